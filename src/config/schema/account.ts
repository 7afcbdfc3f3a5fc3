// The option by which a job names its account.
import { text } from './leaves.ts';

export const jobAccount = text('the name of an account')
  .optional()
  .describe(
    'The account whose service and spreadsheet it uses. Left out: `default`, that of `crm` and `google` at the top.',
  );
