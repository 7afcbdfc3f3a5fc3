// Tells what came of resolutions: those for other values than the run found and those that a later one replaced are void, and which
// sides hold a decided one (M1).
import { isDecisionFor } from '../../sync/merge/merge-record.ts';
import { lastSeen } from '../../sync/record/base.ts';
import type { Mapping } from '../../sync/record/mapping.ts';
import { unpack } from '../../sync/record/record.ts';
import type { Settled } from '../../sync/settle/settle.ts';
import { isSame } from '../../sync/value/kinds.ts';
import type { Side } from '../../sync/value/value.ts';
import type { DecisionRequest } from '../decision.ts';
import type { Memory } from './memory.ts';

type Resolve = Extract<DecisionRequest, { kind: 'resolve' }>;

/**
 * The ids of these requests. Either the conflict is still open, with other values, and a person sees it anew; or an edit
 * ended it in another way, so that neither side holds what was decided; or the column is of one direction by now, which is not the
 * one that was decided; or somebody decided it once more before the run. `finished`: ids of requests that do not stay for the next run.
 */
export function outdatedResolutions(
  { pending, base }: Pick<Memory, 'pending' | 'base'>,
  { problems, links }: Pick<Settled, 'problems' | 'links'>,
  { fields }: Pick<Mapping, 'fields'>,
  finished: readonly string[],
): readonly string[] {
  const conflicts = new Map(problems.flatMap((each) => (each.kind === 'conflict' ? [[each.id, each] as const] : [])));
  // The last decision about a conflict counts.
  const decided = new Map(
    [...pending].flatMap(([id, each]) => (each.kind === 'resolve' ? [[each.id, id] as const] : [])),
  );
  return [...pending].flatMap(([id, request]) => {
    if (request.kind !== 'resolve') return [];
    if (decided.get(request.id) !== id) return [id];
    if (finished.includes(id) && isAgainstDirection(request)) return [id];
    if (!request.resolution.seen) return [];
    const isOutdated = isOtherConflict(request) || (finished.includes(id) && isWrittenNowhere(request));
    return isOutdated ? [id] : [];
  });

  function isOtherConflict({ id, resolution }: Resolve): boolean {
    const { field: name, values } = conflicts.get(id) ?? {};
    const field = fields.find((each) => each.name === name);
    return field !== undefined && values !== undefined && !isDecisionFor(field, values, resolution);
  }

  function isAgainstDirection({ id, resolution }: Resolve): boolean {
    const direction = fields[placeOf(id, fields)]?.direction ?? 'both';
    return direction !== 'both' && !('use' in resolution && resolution.use === sideThatCounts[direction]);
  }

  function isWrittenNowhere(request: Resolve): boolean {
    return sidesAsDecided({ base, links, fields }, request).length === 0;
  }
}

/** Whose value a column of one direction shows or sends (M4). */
const sideThatCounts = { to_sheet: 'crm', to_crm: 'sheet' } as const satisfies Record<string, Side>;

/** The sides that hold what the person decided, as they were read last. None if the record or the column is gone, too. */
export function sidesAsDecided(
  { base, links, fields }: Pick<Memory, 'base'> & Pick<Settled, 'links'> & Pick<Mapping, 'fields'>,
  { id, resolution }: Resolve,
): readonly Side[] {
  const [uuid = ''] = id.split('/');
  const index = placeOf(id, fields);
  const link = links.has(uuid) ? links.get(uuid) : base.links.get(uuid);
  const { [index]: field } = fields;
  if (!link || !field) return [];
  const valueOn = (side: Side) => unpack(lastSeen(link, side))[index];
  const seenOn = (side: Side) => (resolution.seen ? resolution.seen[side] : valueOn(side));
  const decided = 'value' in resolution ? resolution.value : seenOn(resolution.use);
  return (['crm', 'sheet'] as const).filter((side) => isSame(field.kind, valueOn(side), decided));
}

/** Of the field that the conflict is about: -1 if the mapping does not have it any more. */
function placeOf(id: string, fields: Mapping['fields']): number {
  const [, ...name] = id.split('/');
  return fields.findIndex((each) => each.name === name.join('/'));
}
