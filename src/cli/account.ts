/**
 * The account that a decision is recorded under. A container may run under a uid that its list of accounts does not have; the
 * system then knows no name, and the uid stands in. `uid`: undefined where the system has none (Windows).
 */
export function accountName(readName: () => string, uid: number | undefined): string {
  try {
    const name = readName();
    if (name !== '') return name;
  } catch {
    // No entry of this uid.
  }
  return uid === undefined ? 'unknown account' : `uid ${uid}`;
}
