// The form of the names of accounts.
export const accountNameWords = 'a name of letters, digits, - and _, a letter or digit first, 64 at most';

export function isAccountName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text);
}
