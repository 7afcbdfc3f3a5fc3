import type { Law, Write } from '../oracle/evidence.ts';
import { storyOf, wasSentInDoubt } from './records.ts';

/**
 * I4. Of rows with one ID, the row that is as the base keeps the link. Text in another one goes nowhere, and that row is
 * named. I2. A contact with a living row gets no second one.
 */
export const copies: Law = (evidence) => [
  ...(evidence.isStateTampered || evidence.wasKilled ? [] : evidence.writes).flatMap((write) => {
    const { person, field, isOfCopy, uuid, after } = write;
    if (!isOfCopy || isPerhapsThere(evidence, write)) return [];
    const text = `${person} ${field} in the crm became ${JSON.stringify(after)}: of the rows with the ID ${uuid} one was as the contact, and another was taken`;
    return [{ law: 'I4', text: text + storyOf(evidence, person, field) }];
  }),
  ...evidence.namings.flatMap(({ uuid, owner, isTaken }) =>
    isTaken && uuid !== ''
      ? [{ law: 'I2', text: `a row got the ID ${uuid} of ${owner}, which another row has${storyOf(evidence, owner)}` }]
      : [],
  ),
  ...unnamed(evidence),
];

/** M4, W4: it is sent again after an unknown outcome, and what the contact holds is never read: no row is known to be as it is. */
function isPerhapsThere(evidence: Parameters<Law>[0], write: Write): boolean {
  return evidence.directions(write.field).has('to_crm') && wasSentInDoubt(evidence, write);
}

function unnamed({ quiet, ownerOf }: Parameters<Law>[0]) {
  if (quiet.isHeld) return [];
  const here = new Set(quiet.contacts.filter(quiet.isInScope).map(({ uuid }) => uuid));
  const named = new Set(quiet.problems.map(({ row }) => row));
  return [...Map.groupBy(quiet.rows, ({ id }) => id)].flatMap(([id, rows]) => {
    const silent = rows.filter(({ number }) => !named.has(number));
    if (!here.has(id) || silent.length <= 1) return [];
    const numbers = silent.map(({ number }) => number).join(', ');
    return [{ law: 'I4', text: `rows ${numbers} all have the ID of ${ownerOf(id)}, and nothing is said of it` }];
  });
}
