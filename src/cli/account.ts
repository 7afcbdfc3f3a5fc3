// The name of the account of the operating system.
/**
 * The account under which a decision is recorded. A container may run under a uid without an account name; then the uid is
 * used. `uid`: undefined if the system has none (Windows).
 */
export function accountName(readName: () => string, uid: number | undefined): string {
  try {
    const name = readName();
    if (name !== '') return name;
  } catch {
    // The list of accounts does not have this uid.
  }
  return uid === undefined ? 'unknown account' : `uid ${uid}`;
}
