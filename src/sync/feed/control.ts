// The cell with which people start and stop an automation (E7).
import { type Change, type Problem, problem } from '../change.ts';
import { failureProblem } from '../outcome.ts';
import type { Cell } from '../value/kinds.ts';
import type { Value } from '../value/value.ts';
import type { FeedInput, FeedLink, FeedRecord, FeedRow, Wish } from './input.ts';
import { differing } from './rows.ts';
import { isSameInCell } from './value.ts';

export interface Control {
  /** The link if everything is done. */
  readonly link: FeedLink;
  /** The link as long as the cell is not written. Left out: as it was. */
  readonly meanwhile?: FeedLink;
  /**
   * `mirrored`: written like any other cell. `answered`: a person typed there, and the cell gets what the service has
   * now. `kept`: not written in this run.
   */
  readonly cell: 'mirrored' | 'answered' | 'kept';
  readonly wish?: Change;
  readonly problem?: Problem;
}

/** E7: whether the cell holds a wish, and what becomes of it. */
export function judgeControl(input: FeedInput, record: FeedRecord, row: FeedRow): Control {
  const { controlled, fields, links, answers } = input;
  const index = fields.findIndex(({ name }) => name === controlled);
  const field = fields[index];
  const [truth, cell] = [record.values[index], row.cells[index]];
  const stored = links.get(record.uuid);
  const known = stored && withoutAbsence(stored);
  const nothing: Control = { link: known ?? {}, cell: 'mirrored' };
  if (!field || truth === undefined || cell === undefined || row.formulas.includes(field.name)) return nothing;
  const isCell = (value: Value | undefined) => value !== undefined && isSameInCell(field, value, cell);
  // When the service's value changes, the answer to the last wish is out of date.
  const said = known?.said !== undefined && known.agreed === truth ? { said: known.said } : {};
  const settled: Control = { link: { agreed: truth, ...said }, cell: 'mirrored' };
  const isUntouched = known?.asked === undefined && isCell(known?.agreed);
  if (isCell(truth) || known?.agreed === undefined || isUntouched || isCell(known.writing)) return settled;
  // The cell says something else than what was being written: found in it later, that was typed.
  const { writing: _over, ...open } = known;
  const about = { uuid: record.uuid, row: row.number, field: field.name };
  const wanted = wishIn(cell);
  const refused = (reason: string) => ({
    link: { agreed: truth, said: `refused: ${reason}` },
    cell: 'answered' as const,
    problem: problem('refused', about, 'E7', reason),
  });
  const answer = answers.get(record.uuid);
  if (answer?.kind === 'refused') {
    const control = refused(answer.message);
    return { ...control, meanwhile: { ...open, ...control.link, isRefused: true } };
  }
  // The service is as the cell asked for: the wish is over. If the cell still asks for it after the service has changed, that is no
  // new wish.
  const carriedOut: FeedLink = typeof cell === 'string' ? { agreed: cell } : open;
  if (answer?.kind === 'done') return { link: { agreed: truth }, meanwhile: carriedOut, cell: 'answered' };
  if (answer) return { link: open, cell: 'kept', problem: failureProblem(about, answer) };
  const isMoved = showsAnother(input, record, row);
  if (wanted === undefined && isMoved) return { ...settled, cell: 'answered' };
  if (wanted === undefined) return refused(`${field.header} takes on or off`);
  // I4: the row that is left may be the copy, and nobody typed what that held. Columns may have been mapped since, so that no
  // cell of a copy is known by its place.
  if (isInCopy(known, wanted)) {
    return refused(
      `${wanted} stands or stood in a copy of this row: once there is no copy, type it again if it is meant`,
    );
  }
  if (wanted === String(truth).toLowerCase()) return { ...settled, meanwhile: carriedOut, cell: 'answered' };
  if (known.isRefused && known.asked === wanted && known.agreed === truth) return { ...settled, cell: 'answered' };
  if (isMoved) {
    return refused(
      `the row showed what another record has, as after sorting without the ID column: type ${wanted} again if it is meant`,
    );
  }
  const reason = wanted === 'on' ? 'to be started' : 'to be stopped';
  const wish: Change = {
    side: 'crm',
    op: 'update',
    uuid: record.uuid,
    row: row.number,
    fields: [{ field: field.name, before: truth, after: wanted, rule: 'E7', reason }],
    rule: 'E7',
    reason,
  };
  return { link: open, cell: 'kept', wish };
}

/**
 * E7: whether most of what the row shows unlike its own record is what one other record has: cells were sorted, moved or copied there
 * without the ID, and the status with them.
 */
function showsAnother({ fields, records, controlled }: FeedInput, record: FeedRecord, row: FeedRow): boolean {
  const changed = differing(fields, record, row).filter((index) => fields[index]!.name !== controlled);
  return records.some(({ uuid, values }) => {
    const shown = changed.filter((index) => {
      const [value, cell] = [values[index], row.cells[index]];
      // Blank cells show nobody.
      return value != null && cell !== undefined && isSameInCell(fields[index]!, value, cell);
    });
    return uuid !== record.uuid && shown.length * 2 > changed.length;
  });
}

/** E7, F3: what a person typed beside a record that is not listed. It is carried out only once the record is listed again. */
export function wishOfAbsent({ controlled, fields }: FeedInput, link: FeedLink, row: FeedRow): Wish | undefined {
  const index = fields.findIndex(({ name }) => name === controlled);
  const [field, cell] = [fields[index], row.cells[index]];
  if (!field || cell === undefined || row.formulas.includes(field.name) || link.agreed === undefined) return undefined;
  const isKnown = [link.agreed, link.writing].some((value) => value !== undefined && isSameInCell(field, value, cell));
  const wanted = wishIn(cell);
  return isKnown || wanted === undefined || isInCopy(link, wanted) ? undefined : wanted;
}

/**
 * E7: the links of a feed whose cells are no wishes. What people typed meanwhile was put back, and cells were written that no
 * link knows of. So the first run with `control: true` knows of no wish, as with a new state.
 */
export function withoutControl(links: ReadonlyMap<string, FeedLink>): ReadonlyMap<string, FeedLink> {
  if (![...links.values()].some(isControlled)) return links;
  return new Map([...links].map(([uuid, link]) => [uuid, isControlled(link) ? mirroredOnly(link) : link]));
}

function isControlled({ agreed, writing, asked, isRefused, said }: FeedLink): boolean {
  return [agreed, writing, asked, isRefused, said].some((part) => part !== undefined);
}

function mirroredOnly({
  agreed: _agreed,
  writing: _writing,
  asked: _asked,
  isRefused: _refused,
  said: _said,
  ...rest
}: FeedLink): FeedLink {
  return rest;
}

/** The link of a record that is listed, perhaps again (F3). */
export function withoutAbsence(link: FeedLink): FeedLink {
  const { isGone, isMissed, ...rest } = link;
  return isGone || isMissed ? rest : link;
}

function isInCopy({ copies }: FeedLink, wanted: Wish): boolean {
  return copies?.some((copy) => (JSON.parse(copy) as Cell[]).some((held) => wishIn(held) === wanted)) ?? false;
}

function wishIn(cell: Cell): Wish | undefined {
  const text = typeof cell === 'string' ? cell.trim().toLowerCase() : '';
  return text === 'on' || text === 'off' ? text : undefined;
}
