// The person who looks at the pages of the settings, and decides on them.
import { hashPassword } from '../../src/lib/password-hash.ts';

export const user = { name: 'ann', password: 'four words of ann' };

/** The entry under `server.users`. */
export async function userEntry() {
  return { name: user.name, role: 'operator', password_hash: await hashPassword(user.password) };
}
