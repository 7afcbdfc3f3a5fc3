// Names of contacts for a person who decides on them.
import { readStanding } from '../engine/standing.ts';
import type { Operator } from './operator.ts';

/** Name and e-mail address of each, as far as they are mapped; of one that is not linked, its uuid. Throws StateError. */
export async function personsOf(
  { store }: Operator,
  job: string,
  uuids: readonly string[],
): Promise<readonly string[]> {
  const { links, personText } = await readStanding(store.sync(job));
  return uuids.map((uuid) => (links.has(uuid) ? personText(uuid) : uuid));
}
