// Decides conflicts: by id, or all that a filter selects.
import type { Config } from '../config/config.ts';
import { createShape } from '../engine/sync/shape.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Resolution } from '../sync/input.ts';
import { isTooLong, readCell, tooLong } from '../sync/value/kinds.ts';
import { isBlank, type Value } from '../sync/value/value.ts';
import type { ConflictAnswer, RequestsAnswer } from './answers/conflicts.ts';
import { type ConflictFilter, readConflicts } from './conflicts.ts';
import { type Decider, type Decision, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { rowNumber } from './records.ts';
import { countText, valueText } from './words.ts';

/** `use`: what that side holds when the run carries it out. `text`: the value itself, as it would be typed into a cell. */
export type Choice =
  | { readonly use: 'crm' | 'sheet' }
  /** `isSure`: the person knows that a blank empties the field on both sides. */
  | { readonly text: string; readonly isSure?: true };

/** `ids`: exactly these; else everything that the filter selects. Records all of them or none. */
export async function resolve(
  operator: Operator,
  decider: Decider,
  { ids, choice, ...filter }: ConflictFilter & { readonly ids: readonly string[]; readonly choice: Choice },
): Promise<RequestsAnswer> {
  const { syncs = [], field, contact } = filter;
  if (ids.length === 0 && syncs.length === 0 && field === undefined && contact === undefined) {
    throw new OperatorError(
      'invalid',
      'resolve needs the id of a conflict, or --sync, --field or --contact; leadsheet conflicts lists what is open',
    );
  }
  const open = await readConflicts(operator, filter);
  const meant = ids.length === 0 ? open : [...new Set(ids.map((id) => findConflict(id, open)))];
  if (contact !== undefined) assertOnePerson(contact, meant);
  if (meant.length === 0) throw new OperatorError('nothing', 'no conflict of these is open');
  const decisions = meant.map((conflict) => toDecision(conflict, choice, operator.config));
  assertSure(choice, decisions, meant);
  return record(operator, decider, decisions);
}

/** A row or a name is meant as one person: others may have it as well. Throws OperatorError. */
function assertOnePerson(given: string, meant: readonly ConflictAnswer[]): void {
  const syncs = [...new Set(meant.map(({ sync }) => sync))];
  if (rowNumber(given) !== undefined && syncs.length > 1) {
    throw new OperatorError('ambiguous', `${given} is a row of ${syncs.join(' and ')}: say which with --sync`);
  }
  const persons = new Map(meant.map(({ contact, person }) => [contact, person]));
  const isEachOfOneSync = syncs.length === persons.size;
  // Two syncs may have an address as contacts of two accounts; that is one person.
  if (persons.size < 2 || (given.includes('@') && isEachOfOneSync)) return;
  const each = [...persons].map(([contact, person]) => (person === null ? contact : `${contact} (${person})`));
  throw new OperatorError(
    'ambiguous',
    `${given} is ${persons.size} contacts of ${syncs.join(' and ')}: name one of ${each.join(', ')}`,
  );
}

/** Throws OperatorError `doubt`: a blank that was typed empties a field. */
export function assertSure(
  choice: { readonly use: string } | { readonly text: string; readonly isSure?: true },
  decisions: readonly Decision[],
  meant: readonly ConflictAnswer[],
): void {
  if ('use' in choice || choice.isSure === true || !decisions.some(({ request }) => isBlanking(request))) return;
  const fields = [...new Set(meant.map((conflict) => conflict.field))].join(', ');
  throw new OperatorError(
    'doubt',
    `this empties ${fields} of ${countText(meant.length, 'record')} on both sides: say --yes to have it so`,
  );
}

/** Two syncs that have one contact have one id for its conflicts: which is meant is asked back. Throws OperatorError. */
export function findConflict(id: string, open: readonly ConflictAnswer[]): ConflictAnswer {
  const [hit, ...others] = open.filter((conflict) => conflict.id === id.toLowerCase() || conflict.id === id);
  if (hit && others.length === 0) return hit;
  if (hit) {
    const syncs = [hit, ...others].map(({ sync }) => sync).join(' and ');
    throw new OperatorError('ambiguous', `${id} is a conflict of ${syncs}: say which with --sync`);
  }
  const known = open.map((conflict) => conflict.id);
  if (known.length === 0) throw new OperatorError('unknown', `there is no conflict ${id}: none is open`);
  const hint = didYouMean(id, known) || `; leadsheet conflicts lists the ${known.length} that are open`;
  throw new OperatorError('unknown', `there is no conflict ${id}${hint}`);
}

/** `only`: the decision is for these values alone. */
export function toDecision(
  conflict: ConflictAnswer,
  choice: Choice | { readonly value: Value },
  config: Config,
  only?: Resolution['seen'],
): Decision {
  const { sync, id, field, base, is_base_known: isBaseKnown, crm, sheet } = conflict;
  const what = 'text' in choice ? { value: readValue(choice.text, conflict, config) } : choice;
  const resolution: Resolution = { ...what, ...(only && { seen: only }) };
  const request = { kind: 'resolve', id, resolution } as const;
  const seen = { ...(isBaseKnown && { base }), crm, sheet };
  return { sync, request, text: resolutionText(field, resolution), seen };
}

function resolutionText(field: string, resolution: Resolution): string {
  if (!('use' in resolution)) return `${field} becomes ${valueText(resolution.value)} on both sides`;
  const { use, seen } = resolution;
  const side = use === 'crm' ? 'service' : 'sheet';
  return seen ? `${field} keeps ${valueText(seen[use])} of the ${side}` : `${field} takes what the ${side} holds`;
}

function isBlanking(request: Decision['request']): boolean {
  return request.kind === 'resolve' && 'value' in request.resolution && isBlank(request.resolution.value);
}

/** Why a text cannot be the value of this field; undefined: it can. A blank can. */
export function whyNotValue({ config }: Operator, conflict: ConflictAnswer, text: string): string | undefined {
  try {
    readValue(text, conflict, config);
    return undefined;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}

/** A typed value is read as a cell of that column would be. */
function readValue(text: string, { sync, field: name }: ConflictAnswer, { syncs }: Config) {
  const { mapping } = createShape(
    syncs.find((each) => each.name === sync)!,
    Infinity,
  );
  const field = mapping.fields.find((each) => each.name === name);
  if (!field) {
    throw new OperatorError('invalid', `${name} is no longer mapped in ${sync}: its conflict ends with the next run`);
  }
  const read = readCell(field.kind, text);
  if (read === undefined || (typeof read === 'object' && read !== null)) {
    throw new OperatorError(
      'invalid',
      `${valueText(text)} cannot be a value of ${name}, which is of kind ${field.kind}`,
    );
  }
  if (isTooLong(read)) throw new OperatorError('invalid', `${name}: ${tooLong}`);
  return read;
}
