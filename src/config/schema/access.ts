// The options of the people who may use the console: users, a proxy that knows them, and how long a login lasts.
import * as z from 'zod';
import { isAddressRange } from '../../lib/addresses.ts';
import { isPasswordHash } from '../../lib/password-hash.ts';
import { isIdentityHeader, identityHeaderWords } from '../headers.ts';
import { isUserName, roles, userNameWords } from '../users.ts';
import { oneOf, secret, section, textThat, wholeNumber } from './leaves.ts';

const role = (description: string) => oneOf(roles).describe(description);

/** None would be a person who sees nothing, which is a mistake in the file. */
const accountNames = z.array(z.string()).min(1, { error: 'one account or more' });

const user = section({
  name: textThat(userNameWords, isUserName).describe('The name to log in with, under which decisions are recorded.'),
  role: role('`viewer`: sees everything. `operator`: decides as well, if `console` is `write`, and sees `/audit`.'),
  accounts: accountNames
    .optional()
    .describe(
      'The accounts whose jobs the person sees and decides on. Jobs of other accounts do not exist for that person, nor do ' +
        'logins of others and `/metrics`. Left out: all accounts.',
    ),
  password_hash: secret(
    'The scrypt hash of the password, as `leadsheet user add` makes it. Shown by nothing.',
    'a hash as leadsheet user add prints it, which begins with $scrypt$',
    isPasswordHash,
  ),
});

const trustedProxy = section({
  from: z
    .array(textThat('an address or a range, such as 127.0.0.1, ::1 or 10.0.0.0/8', isAddressRange))
    .min(1, { error: 'one address or more' })
    .describe(
      'The addresses of the proxy. From these alone X-Forwarded-For and X-Forwarded-Proto count, and `header`. Every program on ' +
        'such a machine can say that it is anybody.',
    ),
  header: textThat(identityHeaderWords, isIdentityHeader)
    .optional()
    .describe(
      'The header with the name of the person whom the proxy has let in, such as X-Forwarded-User. The proxy must remove it ' +
        'from requests that come in. Any other address that sends it is refused. Left out: the proxy knows nobody.',
    ),
  role: role(
    'The role of everybody whom the proxy lets in and `roles` does not name. Left out: only those may enter.',
  ).optional(),
  roles: z
    .record(textThat(userNameWords, isUserName), oneOf(roles))
    .optional()
    .describe('The role of single people, by the name in the header.'),
  accounts: z
    .record(textThat(userNameWords, isUserName), accountNames)
    .optional()
    .describe(
      'The accounts of single people, by the name in the header, as `accounts` of a user. A person who is not named here sees ' +
        'all accounts.',
    ),
}).describe('A reverse proxy in front of the server, which people log in to.');

/** Half a working day is short, and a month is long enough to forget a login. */
const sessionHoursMax = 720;

/** Part of the section `server`. */
export const accessOptions = {
  users: z
    .array(user)
    .optional()
    .describe(
      'The people who may use the console, each with `name`, `role` (viewer or operator) and `password_hash`; with `accounts` only ' +
        'of these. ' +
        '`leadsheet user add NAME --role viewer` writes them. ' +
        'A running server takes up a change of this list within seconds.',
    ),
  trusted_proxy: trustedProxy.optional(),
  session_hours: wholeNumber(1, sessionHoursMax)
    .default(12)
    .describe('A login to the console ends after so many hours.'),
};
