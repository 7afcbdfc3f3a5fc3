// The ledgers page by page: enrolments of syncs, and messages of outboxes, with the caps and what waits.
import * as z from 'zod';
import { explainAnswer } from './explain.ts';
import { ledgerState } from './history.ts';
import { count, pageCursors, row } from './shared.ts';

const instant = z.string().describe('ISO instant');

const cap = z.strictObject({
  per_hour: count,
  used: count.describe('calls of the last hour that did it or may have'),
  left: count.describe('calls that this hour still allows'),
});

const ofJob = {
  name: z.string(),
  cap,
  counts: z.record(z.string(), count).describe('entries by state'),
  held_run: z.string().nullable().describe('waits for `approve`'),
};

const enrolment = z.strictObject({
  job: z.string(),
  contact: z.string().describe('uuid'),
  person: z.string().nullable().describe('name and e-mail address, as far as they are mapped'),
  row,
  automation: z.string().describe('uuid'),
  name: z.string().nullable().describe('of the automation, as of the call'),
  state: ledgerState,
  time: instant.describe('when, or since when'),
  run: z.string().nullable(),
  message: z.string().nullable().describe('the words of a refusal'),
  waits: z.string().nullable().describe('why it waits, as of the last run'),
});

export const enrolmentsPage = z.strictObject({
  jobs: z
    .array(
      z.strictObject({
        ...ofJob,
        vetoes: z
          .array(z.strictObject({ header: z.string(), values: z.array(z.string()) }))
          .describe('nobody is enrolled whose row has one of these values'),
      }),
    )
    .describe('the syncs that enrol'),
  enrolments: z.array(enrolment).describe('the latest first'),
  automations: z.array(z.string()).describe('names that the ledgers have'),
  total: count.describe('of the filter, on all pages'),
  ...pageCursors,
});

const message = z.strictObject({
  job: z.string(),
  id: z.string().describe('of the row'),
  row,
  state: explainAnswer.shape.records.element.shape.messages.element.shape.state,
  time: instant,
  run: z.string().nullable(),
  contact: z.string().nullable().describe('uuid'),
  person: z.string().nullable(),
  delivery: z.string().nullable().describe('its status in the service, as last seen'),
  message: z.string().nullable().describe('why it was refused'),
  waits: z.string().nullable().describe('why it is not sent, as of the last run'),
  remedies: explainAnswer.shape.records.element.shape.messages.element.shape.remedies,
});

export const messagesPage = z.strictObject({
  outboxes: z.array(z.strictObject({ ...ofJob, resource: z.string().describe('what is sent') })),
  messages: z.array(message).describe('the latest first'),
  total: count.describe('of the filter, on all pages'),
  ...pageCursors,
});

export const feedsPage = z.strictObject({
  feeds: z.array(
    z.strictObject({
      name: z.string(),
      resource: z.string().describe('the collection of the service'),
      tab: z.string(),
      columns: z.array(z.strictObject({ header: z.string(), field: z.string() })),
      rows_max: count.nullable().describe('null: all records'),
      controlled: z.string().nullable().describe('header of the column that people may set'),
      on_gone: z.enum(['mark', 'delete_row']),
      rows: count.describe('of records that the service has'),
      gone: count.describe('rows that say that their record is gone'),
    }),
  ),
  total: count,
  ...pageCursors,
});

export type EnrolmentsPageAnswer = z.infer<typeof enrolmentsPage>;
export type EnrolmentAnswer = z.infer<typeof enrolment>;
export type MessagesPageAnswer = z.infer<typeof messagesPage>;
export type MessageAnswer = z.infer<typeof message>;
export type FeedsPageAnswer = z.infer<typeof feedsPage>;
export type FeedAnswer = FeedsPageAnswer['feeds'][number];
