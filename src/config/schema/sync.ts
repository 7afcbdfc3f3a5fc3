// The options of a sync.
import * as z from 'zod';
import type { CrmDescription, Direction } from '../../crm/port.ts';
import type { BlankPolicy, ConflictPolicy, Mapping } from '../../sync/record/mapping.ts';
import { jobAccount } from './account.ts';
import { flag, oneOf, percentage, seconds, section, text, textThat, wholeNumber } from './leaves.ts';
import { fullLook, header, headerRow, spreadsheet, tab } from './sheet.ts';
import { cron, cronDays, timeZone } from './times.ts';

/** The words of the algorithm: one too few or too many does not compile. */
type WordsOf<Policy extends string> = { readonly [Word in Policy]: Word };
const conflictPolicies = {
  manual: 'manual',
  crm: 'crm',
  sheet: 'sheet',
  newest: 'newest',
} as const satisfies WordsOf<ConflictPolicy>;
const blankPolicies = { sync: 'sync', ignore: 'ignore' } as const satisfies WordsOf<BlankPolicy>;
const rowDeletedPolicies = {
  ignore: 'ignore',
  restore: 'restore',
  cancel_automations: 'cancel_automations',
  delete_contact: 'delete_contact',
} as const satisfies WordsOf<Mapping['onRowDeleted']>;
const contactDeletedPolicies = {
  mark: 'mark',
  delete_row: 'delete_row',
  ignore: 'ignore',
} as const satisfies WordsOf<Mapping['onContactDeleted']>;

const directions = ['both', 'to_sheet', 'to_crm'] as const satisfies readonly Direction[];

const column = ({ fields, customFields }: CrmDescription) => {
  const field = oneOf([...fields.keys()]);
  const customField = customFields
    ? textThat(`the name of a custom field: ${customFields.allowed}`, customFields.isName)
    : textThat('nothing: this CRM has no custom fields', () => false);
  const settings = section({
    field: field.optional().describe('The field of the contact, if it is not a custom field.'),
    custom_field: customField
      .optional()
      .describe('The custom field, instead of `field`. It is sent only: the service does not give it back.'),
    direction: z
      .enum(directions)
      .optional()
      .describe('`both` ways, `to_sheet` or `to_crm` only. Default: everything the field can do.'),
    conflict: z.enum(conflictPolicies).optional().describe('As the `conflict` of the sync, for this column alone.'),
    blank: z.enum(blankPolicies).optional().describe('As the `blank` of the sync, for this column alone.'),
  }).meta({ oneOf: [{ required: ['field'] }, { required: ['custom_field'] }] });

  return z.union([field, settings]).describe('The field of the contact, or a mapping that says more.');
};

const contacts = ({ filter }: Pick<CrmDescription, 'filter'>) =>
  section({
    list: text('the name or the uuid of a list').describe('The list: its name or uuid. New contacts are created here.'),
    create_list: flag()
      .default(false)
      .describe(
        '`true`: a list that is not there is made, once, under exactly this name. A list given by its uuid is never made.',
      ),
    filter: filter
      .optional()
      .describe(
        'Only contacts of the list that match: the search filter of the service, field by field. A value, a list of values, ' +
          '`is_null`, `is_not_null`, or comparisons such as `{ ">=": 2026-01-01 }`.',
      ),
    move_to_list: flag()
      .default(false)
      .describe('`true`: a person typed into the sheet who is in another list is moved to this one.'),
  }).describe('The contacts of the sync.');

const sheet = section({
  spreadsheet,
  tab,
  header_row: headerRow,
  id_column: header()
    .default('Contact ID')
    .describe('The column that holds the uuid of each contact. Created if missing; hidden and protected.'),
  status_column: header()
    .nullable()
    .default(null)
    .describe('A column for one short sentence a row: what waits, what was refused and why. `null`: none.'),
  full_look: fullLook(),
}).describe('The tab of the sync.');

const limits = section({
  deletes: percentage()
    .default('20%')
    .describe(
      'Of the links: deletions in one run. Of the enrolments in effect: those that are cancelled because their cells were emptied or changed.',
    ),
  changes: percentage().default('50%').describe('Of the links: records changed in one run.'),
  blanks: percentage().default('20%').describe('Of the links: fields emptied in one run.'),
  creates: wholeNumber(1).default(1000).describe('Contacts created in one run. New rows are not counted.'),
  enrolments_per_hour: wholeNumber(1)
    .default(100)
    .describe('Contacts put into automations in an hour; the others wait their turn, oldest first.'),
}).describe('The most that one run may do by itself. A plan beyond a limit is held until a person approves it.');

const automation = section({
  column: header().describe('The column whose cells name the automation that the contact shall be in.'),
  segment: wholeNumber(1)
    .default(1)
    .describe('The segment of the automation into which a new contact goes; 1 is the default of the service.'),
  unless: z
    .record(header(), z.union([text(), z.array(text())]))
    .default({})
    .describe(
      'Vetoes, by the header of a mapped column: values with which nobody is enrolled. Judged just before the call.',
    ),
  on_clear: z
    .enum(['ignore', 'cancel'])
    .default('ignore')
    .describe('An emptied cell does nothing (`ignore`), or takes the contact out of the automation (`cancel`).'),
  result_column: header()
    .nullable()
    .default('Enrolment')
    .describe('The column that says what came of it. After a loss of the state it is the proof of what was done.'),
}).describe('Enrolment from the sheet. Left out: none.');

export const sync = (crm: CrmDescription) =>
  section({
    account: jobAccount,
    schedule: cron()
      .default('*/30 * * * * *')
      .describe(
        `The times at which it looks for changes: a cron expression, with seconds in front if it has six fields. ${cronDays}`,
      ),
    full_scan: cron()
      .default('0 3 * * *')
      .describe(
        `The times at which it reads every contact of the list. Only this finds contacts that were deleted. ${cronDays}`,
      ),
    timezone: timeZone().default('UTC').describe('The time zone of `schedule` and `full_scan`.'),
    contacts: contacts(crm),
    sheet,
    match: z
      .array(oneOf(crm.matchKeys.map(({ name }) => name)))
      .optional()
      .describe(
        'The fields by which a row without an ID finds its contact, tried in order. Every field of a key must be mapped; `name` is also ' +
          'put together from a mapped `first_name` and `last_name`. Default: those of `network_id` and `email` that are mapped.',
      ),
    columns: z
      .record(header(), column(crm))
      .refine((columns) => Object.keys(columns).length > 0, { error: 'one column at least, such as Email: email' })
      .describe('Each mapped header and its field.'),
    conflict: z
      .enum(conflictPolicies)
      .default('manual')
      .describe(
        'The winner if both sides changed a field: none until a person decides (`manual`), a side, or the later edit (`newest`).',
      ),
    blank: z
      .enum(blankPolicies)
      .default('sync')
      .describe('An emptied cell or field empties the other side too (`sync`), or is filled again from it (`ignore`).'),
    settle_secs: seconds(0, 3600)
      .default(10)
      .describe(
        'The daemon sends a cell once it has stayed the same for so long: people type, and correct what they typed.',
      ),
    on_row_deleted: z
      .enum(rowDeletedPolicies)
      .default('ignore')
      .describe('The effect of a deleted row on its contact.'),
    on_contact_deleted: z
      .enum(contactDeletedPolicies)
      .default('mark')
      .describe('The effect of a deleted contact on its row.'),
    limits: limits.prefault({}),
    automation: automation.optional(),
  });
