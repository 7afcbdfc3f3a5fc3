import type { Evidence, Law, Violation, Write } from '../oracle/evidence.ts';
import { normalOf } from '../people/token.ts';
import type { FieldName } from '../world/setting.ts';

/** The reason of a write that a decision asked for. */
const byDecision = 'resolved by hand';

/** M1. A decision for values that a person saw never writes over another value. */
export const seen: Law = (evidence) => evidence.history.flatMap((line) => unseen(evidence, line));

function unseen({ log, setting }: Evidence, line: Evidence['history'][number]): readonly Violation[] {
  const { contact, field, side, before, reason } = line;
  if (reason !== byDecision || (side !== 'crm' && side !== 'sheet')) return [];
  const id = `${contact}/${field as string}`;
  if (log.resolvedUnseen.has(id)) return [];
  const plain = (text: unknown) => {
    const normal = normalOf(field as FieldName, typeof text === 'string' ? text : '');
    // The service stores this field in capitals.
    return setting.isShouting ? normal.toUpperCase() : normal;
  };
  const decisions = log.resolved.filter((each) => each.id === id);
  if (decisions.some((each) => plain(each[side]) === plain(before))) return [];
  const shown = decisions.map((each) => `"${each.crm}" and "${each.sheet}"`).join(', then ');
  return [
    {
      law: 'M1',
      text: `${id} in the ${side}: "${before as string}" was written over by a decision of a person who had seen ${shown}`,
    },
  ];
}

/** M1: a person who saw the overwritten value decided on the one that was written. */
export function isAsDecided({ log }: Evidence, { side, uuid, field, before, after }: Write): boolean {
  return log.resolved.some(
    (each) =>
      each.id === `${uuid}/${field}` &&
      normalOf(field, each[side]) === normalOf(field, before) &&
      normalOf(field, each.value) === normalOf(field, after),
  );
}
