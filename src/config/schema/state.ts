// The options that say where the state is kept: in a folder, or in a PostgreSQL database.
import { isPostgresAddress, parsePostgresAddress } from '../../postgres/address.ts';
import { postgresDefaults } from '../../postgres/defaults.ts';
import { Secret } from '../../lib/secret.ts';
import { flag, secret, section, seconds, text, textThat, wholeNumber } from './leaves.ts';
import * as z from 'zod';

const stateWords = 'file:FOLDER, such as file:./state, or postgres://USER:PASSWORD@HOST/DATABASE';

/** Undefined: it is a place for the state. */
export function stateFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return stateWords;
  if (isPostgresAddress(value)) {
    const address = parsePostgresAddress(value);
    return 'fault' in address ? address.fault : undefined;
  }
  // An address after `file:` is a mistake, and would be shown as the name of a folder, including its password.
  return /^file:(?!\w+:\/\/)./.test(value) ? undefined : stateWords;
}

export const state = z
  .string({ error: stateWords })
  .refine((value) => stateFault(value) === undefined, { error: ({ input }) => stateFault(input) ?? stateWords })
  // A refused value may be the address of a database, which holds its password: it is not shown.
  .meta({
    writeOnly: true,
    description:
      'Where the state of all jobs is kept: in a folder of this machine, as `file:FOLDER`, or in a PostgreSQL database, which ' +
      'several machines may share. An address may end in `?sslmode=`: `verify-full` (beyond this machine, if left out), `require` (encrypted, to any server) or `disable`.',
  })
  .transform((value) => (isPostgresAddress(value) ? new Secret(value) : value))
  .default('file:./state');

export const postgres = section({
  password: secret('The password, if it is not in the address. This or `password_file`.', 'a password').optional(),
  password_file: text('the path of a file').optional().describe('A file that holds the password and nothing else.'),
  ca_file: text('the path of a file')
    .optional()
    .describe('The certificate of the authority of the server, as PEM. Left out: the authorities that Node knows.'),
  schema: textThat('up to 48 lower-case letters, digits and underscores, beginning with a letter', (value) =>
    /^(?!pg_)[a-z][a-z\d_]{0,47}$/.test(value),
  )
    .default(postgresDefaults.schema)
    .describe('The schema that holds all tables of leadsheet, and nothing else.'),
  pool_size: wholeNumber(2, 100)
    .default(postgresDefaults.poolMax)
    .describe('Connections of one process at most. max_connections of the server is for all processes together.'),
  connect_timeout_secs: seconds(1, 60)
    .default(postgresDefaults.connectTimeoutSecs)
    .describe('The time in which a connection must be there.'),
  statement_timeout_secs: seconds(1, 600)
    .default(postgresDefaults.statementTimeoutSecs)
    .describe('The server cancels a statement that takes longer, and the run fails by name.'),
  migrate: flag()
    .default(postgresDefaults.migrates)
    .describe(
      'Whether processes make and change the tables by themselves. With `false` only `leadsheet state migrate` does, which may use another user.',
    ),
}).describe('How the database of `state:` is used. Without `state: postgres://...` nothing reads it.');
