import * as z from 'zod';
import { resourceNames } from '../../crm/resources.ts';
import { flag, section, text } from './leaves.ts';
import { header, headerRow, spreadsheet, tab } from './sheet.ts';
import { cron, timeZone } from './times.ts';

export const feed = section({
  resource: z.enum(resourceNames).describe('What is mirrored.'),
  spreadsheet,
  tab,
  header_row: headerRow,
  status_column: header()
    .default('Sync')
    .describe('The column in which a row says that its record is gone. It is created when first needed.'),
  schedule: cron().default('*/5 * * * *').describe('When to look for changes.'),
  timezone: timeZone().default('UTC').describe('The time zone of `schedule`.'),
  columns: z
    .record(header(), text('a field of the resource, or a path into one such as schedule.timezone'))
    .describe(
      'Each header and its field, or a path into one: `schedule.timezone`, `attachments[0].name`. One is `uuid`.',
    ),
  control: flag()
    .default(false)
    .describe('Automations only: `on` or `off` typed into the column of `status` starts or stops the automation.'),
  on_gone: z.enum(['mark', 'delete_row']).default('mark').describe('What becomes of the row of a record that is gone.'),
});
