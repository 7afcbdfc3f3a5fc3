// Names and roles of the people who may use the console.

export const roles = ['viewer', 'operator'] as const;

/** `viewer`: sees everything. `operator`: decides as well. */
export type Role = (typeof roles)[number];

/** Names of accounts. Undefined: all, also those that are added later. */
export type SeenAccounts = readonly string[] | undefined;

export const userNameWords =
  'a name of 1 to 64 letters, digits, dots, dashes, underscores, + and @, such as ann or ann@example.com; not console';

/** No name that decisions are recorded under where nobody logs in by name. */
export function isUserName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,63}$/u.test(text) && userKey(text) !== 'console';
}

/** Two names with the same key are one user. */
export function userKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
