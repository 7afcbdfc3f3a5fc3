// The options of an outbox.
import * as z from 'zod';
import type { CrmDescription } from '../../crm/port.ts';
import { jobAccount } from './account.ts';
import { oneOf, section, seconds, text, wholeNumber } from './leaves.ts';
import { header, headerRow, spreadsheet, tab } from './sheet.ts';
import { cron, cronDays, timeZone } from './times.ts';

export const outbox = ({ messages }: Pick<CrmDescription, 'messages'>) =>
  section({
    resource: oneOf([...messages.keys()], 'nothing: this CRM sends no messages').describe(
      'The kind of message that is sent.',
    ),
    account: jobAccount,
    spreadsheet,
    tab,
    header_row: headerRow,
    columns: z
      .record(header(), text('a field of the payload'))
      .describe(
        'Each header and the field of the payload that its cells fill. `lead_uuid` (a uuid, or an e-mail address of the ' +
          'contact), `sender_profile_uuid` (a uuid, or the name of the sender profile) and the text have to be there.',
      ),
    send_column: header().default('Send').describe('The row is sent when this cell says `yes`, and not before.'),
    id_column: header()
      .default('Outbox ID')
      .describe('The column that tells the rows apart. It is created, hidden and protected.'),
    uuid_column: header()
      .default('Message')
      .describe('The uuid of what was sent. Created when missing, like those below.'),
    sent_column: header().default('Sent at').describe('The time at which the message was sent.'),
    delivery_column: header().default('Delivery').describe('Its status, as the listing of the service has it.'),
    status_column: header()
      .default('Sync')
      .describe('One short sentence: the outcome of the row, or why nothing was done.'),
    schedule: cron()
      .default('* * * * *')
      .describe(`The times at which it looks for rows to send, as a cron expression. ${cronDays}`),
    timezone: timeZone().default('UTC').describe('The time zone of `schedule`.'),
    settle_secs: seconds(0, 3600)
      .default(30)
      .describe('The daemon sends a row once it has stayed the same for so long. `leadsheet sync` does not wait.'),
    sends_per_hour: wholeNumber(1)
      .default(20)
      .describe('At most so many in any hour, the oldest first; the rest waits.'),
  });
