// Approves a held plan, whole or for some of its records, or refuses it.
import { digestOfHeld } from '../engine/held.ts';
import type { Standing } from '../engine/standing.ts';
import type { HeldFact, HeldRecord } from '../engine/stored/facts.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import { type Decider, givenAgain, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import { findHeld } from './held.ts';
import type { Operator } from './operator.ts';
import { contactsOf, isUuid, rowNumber } from './records.ts';
import { countText, plannedText } from './words.ts';

/** `run` and `digest`: what the person saw. Left out: whatever is held. */
interface HeldRequest {
  readonly name: string;
  readonly run?: string | undefined;
  readonly digest?: string | undefined;
}

/**
 * `only`: exactly these records, by uuid, e-mail address, name or `row:17`; left out: the whole plan, for its counts. The
 * next run carries out records that are still as they were seen. Throws OperatorError and StateError.
 */
export async function approve(
  operator: Operator,
  decider: Decider,
  { name, only, ...seen }: HeldRequest & { readonly only?: readonly string[] | undefined },
): Promise<RequestsAnswer> {
  const { held, standing } = await findHeld(operator, name, seen);
  const { run, planned: counts } = held;
  if (only === undefined) {
    // S8: no run carries it out by itself.
    const again = `of the undo of ${held.undoes}; ${givenAgain}`;
    const text = `approved for ${plannedText(counts)}${held.undoes === undefined ? '' : ` ${again}`}`;
    const undoes = held.undoes === undefined ? {} : { undoes: held.undoes };
    return record(operator, decider, [
      { sync: name, request: { kind: 'approve', run, counts, ...undoes }, text, seen: saw(held) },
    ]);
  }
  const records = findRecords(name, held, standing, only);
  const request = {
    kind: 'approve-records',
    run,
    ids: records.map(({ id }) => id),
    digests: records.map(({ digest }) => digest),
  } as const;
  const text = `approved for ${recordsText(records, standing)} of ${held.records!.length} held`;
  return record(operator, decider, [{ sync: name, request, text, seen: saw(held) }]);
}

/** G7: the plan stays held and is told no more, until it is another one. Throws OperatorError and StateError. */
export async function refuse(
  operator: Operator,
  decider: Decider,
  { name, ...seen }: HeldRequest,
): Promise<RequestsAnswer> {
  const { held } = await findHeld(operator, name, seen);
  if (held.undoes !== undefined) {
    throw new OperatorError('invalid', `${held.run} is an undo: it is done only when a person asks for it again`);
  }
  const request = { kind: 'refuse', run: held.run } as const;
  const text = `refused: ${plannedText(held.planned)}`;
  return record(operator, decider, [{ sync: name, request, text, seen: saw(held) }]);
}

function saw(held: HeldFact) {
  return { counts: held.planned, reasons: held.reasons ?? [], digest: digestOfHeld(held) };
}

function findRecords(
  name: string,
  { run, records }: HeldFact,
  standing: Standing,
  ids: readonly string[],
): readonly HeldRecord[] {
  if (records === undefined) {
    throw new OperatorError(
      'invalid',
      `this plan can only be approved whole: leadsheet approve ${name} --run ${run}; leadsheet plan ${name} shows it`,
    );
  }
  if (ids.length === 0) throw new OperatorError('invalid', 'no record is named: leadsheet plan shows their ids');
  return [...new Set(ids.map((id) => findRecord(name, records, standing, id)))];
}

function findRecord(name: string, records: readonly HeldRecord[], standing: Standing, given: string): HeldRecord {
  const number = rowNumber(given);
  const uuids = number === undefined ? (isUuid(given) ? [given.toLowerCase()] : contactsOf(standing, given)) : [];
  const hits = records.filter(({ id, row }) => uuids.includes(id) || (number !== undefined && row === number));
  if (hits.length === 1) return hits[0]!;
  if (hits.length > 1) {
    throw new OperatorError(
      'ambiguous',
      `${given} is several records: name one of ${hits.map(({ id }) => id).join(', ')}`,
    );
  }
  const known = records.map(({ id }) => id);
  const hint = number === undefined ? didYouMean(given, known) : '';
  throw new OperatorError(
    'unknown',
    `no change of ${given} is held${hint || `; leadsheet plan ${name} shows the ${countText(known.length, 'record')} that are`}`,
  );
}

/** More names than this hide the count. */
const namesMax = 3;

function recordsText(records: readonly HeldRecord[], { links, personText }: Standing): string {
  const names = records.map(({ id }) => (links.has(id) ? personText(id) : id));
  return `${countText(records.length, 'record')} (${names.slice(0, namesMax).join(', ')}${names.length > namesMax ? ', ...' : ''})`;
}
