// The options of a feed.
import * as z from 'zod';
import type { CrmDescription } from '../../crm/port.ts';
import { jobAccount } from './account.ts';
import { flag, oneOf, section, text, wholeNumber } from './leaves.ts';
import { fullLook, header, headerRow, spreadsheet, tab } from './sheet.ts';
import { cron, cronDays, timeZone } from './times.ts';

export const feed = ({ collections }: Pick<CrmDescription, 'collections'>) =>
  section({
    resource: oneOf([...collections.keys()], 'nothing: this CRM has no collections to mirror').describe(
      'The collection that is mirrored.',
    ),
    account: jobAccount,
    spreadsheet,
    tab,
    header_row: headerRow,
    status_column: header()
      .default('Sync')
      .describe('The column in which a row says that its record is gone. It is created when first needed.'),
    full_look: fullLook(),
    schedule: cron()
      .default('*/5 * * * *')
      .describe(`The times at which it looks for changes, as a cron expression. ${cronDays}`),
    timezone: timeZone().default('UTC').describe('The time zone of `schedule`.'),
    columns: z
      .record(header(), text('a field of the resource, or a path into one such as schedule.timezone'))
      .describe(
        'Each header and its field, or a path into one: `schedule.timezone`, `attachments[0].name`. One is `uuid`.',
      ),
    filter: z
      .record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string())], {
          error: 'a value, or comparisons such as { ">=": 2026-01-01T00:00:00Z }',
        }),
      )
      .optional()
      .describe(
        'Only records that match, as the listing of the resource filters: docs/feeds.md names what each takes.',
      ),
    order: section({
      field: text('a field of the resource').describe('The field to sort by.'),
      type: z.enum(['asc', 'desc']).default('asc').describe('`asc`: the smallest value first; `desc`: the largest.'),
    })
      .optional()
      .describe(
        'The order in which records are read, and so in which their rows are added; rows that are there stay where they ' +
          'are. Default: `created_at`, ascending, and descending with `limit_rows`.',
      ),
    limit_rows: wholeNumber(1, 9000)
      .optional()
      .describe(
        'Only so many records, the newest by `created_at` unless `order` says otherwise. The service lists 10,000 at most ' +
          '(docs/service.md). Default: all.',
      ),
    control: flag()
      .default(false)
      .describe('Automations only: `on` or `off` typed into the column of `status` starts or stops the automation.'),
    on_gone: z
      .enum(['mark', 'delete_row'])
      .default('mark')
      .describe('`mark` keeps the row of a record that is gone and says so in it; `delete_row` deletes it.'),
  });
