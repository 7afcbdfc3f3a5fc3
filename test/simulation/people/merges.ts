// People who merge cells for the look of the sheet: the first keeps its value, the others lose theirs and are covered (V3).
import type { Act, MergeAct } from '../scenario/scenario.ts';
import { headerOf, tabTitle, wishHeader } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { letterOf } from './sheet-acts.ts';
import { pick, type Typing } from './typing.ts';

/** 0-based, the ends are left out. */
interface Merge {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export function createMerges(
  { sides: { person, file }, setting, log, personOf, view }: PeopleDep,
  { newText, note, forget, tell }: Typing,
) {
  const fields = setting.fields.map(({ field }) => field);
  const headers = fields.map((field) => headerOf[field]);
  const tab = () => file.content.findSheetByTitle(tabTitle)!;

  return { act };

  function act(what: MergeAct, by: Act): boolean {
    if (log.misplaced.size > 0) return false;
    switch (what) {
      case 'merge down':
        return mergeDown(pick(headers, by.b)!, by, () => true);
      case 'merge wishes':
        return setting.automation !== undefined && mergeDown(wishHeader, by, (below) => below.text(wishHeader) !== '');
      case 'merge beside':
        return mergeBeside(by);
      case 'edit merged':
        return editMerged(by);
      case 'unmerge':
        return unmerge(by);
    }
  }

  /** `isFor`: whether people would cover this row. */
  function mergeDown(header: string, { a, c }: Act, isFor: (below: RowView) => boolean): boolean {
    const { rows, columnOf } = view();
    const covered = rows.filter((row) => isFor(row) && rows.some(({ number }) => number === row.number - 1));
    const [below, left] = [pick(covered, a), columnOf(header)];
    if (!below || left === undefined) return false;
    // A third of them cover two rows.
    const next = c < 333 ? rows.find(({ number }) => number === below.number + 1) : undefined;
    const hidden = next ? [below, next] : [below];
    return merge(
      { top: below.number - 2, bottom: hidden.at(-1)!.number, left, right: left + 1 },
      hidden.map((row) => [row, header] as const),
    );
  }

  function mergeBeside({ a, b }: Act): boolean {
    const { rows, columnOf } = view();
    const [row, header] = [pick(rows, a), pick(headers, b)!];
    const left = columnOf(header);
    const covered = headers.find((each) => left !== undefined && columnOf(each) === left + 1);
    if (!row || left === undefined || covered === undefined) return false;
    return merge({ top: row.number - 1, bottom: row.number, left, right: left + 2 }, [[row, covered]]);
  }

  function merge(range: Merge, covered: readonly (readonly [row: RowView, header: string])[]): boolean {
    // Nobody widens merged cells.
    if (tab().merges.some((each) => isOverlap(each, range))) return false;
    if (covered.some(([row]) => personOf(row) === undefined)) return false;
    const place = placeOf(range);
    person.request({ mergeCells: { range: gridOf(range), mergeType: 'MERGE_ALL' } });
    for (const [row, header] of covered) {
      const field = fields.find((each) => headerOf[each] === header);
      const text = row.text(header);
      tell(`sheet: merges ${place}; of ${personOf(row)} that covers ${field ?? 'the wish'} ${JSON.stringify(text)}`);
      if (field !== undefined && row.id === '') {
        // V3: of a row without an ID nobody knows what a covered cell held, and it counts as blank.
        note('sheet', personOf(row), field, '');
      } else if (field !== undefined) forget('sheet', personOf(row), field, text);
      else if (row.id !== '' && text !== '') log.coveredWishes.set(row.id, { wish: text, seq: log.seq });
    }
    return true;
  }

  /** What is typed into merged cells goes into the first of them. */
  function editMerged({ a, c }: Act): boolean {
    const { rows, columnOf } = view();
    const first = tab().merges.flatMap(({ top, left }) => {
      const row = rows.find(({ number }) => number === top + 1);
      const field = fields.find((each) => columnOf(headerOf[each]) === left);
      const name = row && personOf(row);
      return row && field !== undefined && field !== 'email' && field !== 'network_id' && name !== undefined
        ? [{ row, field, name, left }]
        : [];
    });
    const chosen = pick(first, a);
    if (!chosen) return false;
    const { row, field, name, left } = chosen;
    const text = newText(name, field, c);
    person.paste(`'${tabTitle}'!${letterOf(left)}${row.number}`, [[text]]);
    note('sheet', name, field, text);
    tell(`sheet: row ${row.number} ${name} ${field} = ${JSON.stringify(text)}, in merged cells`);
    return true;
  }

  /** What was covered is blank from then on: it counts as emptied where no run saw it covered, and is filled again else. */
  function unmerge({ a }: Act): boolean {
    const chosen = pick(tab().merges, a);
    if (!chosen) return false;
    tell(`sheet: unmerges ${placeOf(chosen)}`);
    const isWish = view().columnOf(wishHeader) === chosen.left;
    if (isWish) log.wishChanges.push(log.seq);
    for (const { id, number } of view().rows)
      if (isWish && number > chosen.top && number <= chosen.bottom) log.coveredWishes.delete(id);
    person.request({ unmergeCells: { range: gridOf(chosen) } });
    return true;
  }

  function gridOf({ top, bottom, left, right }: Merge) {
    const rows = { startRowIndex: top, endRowIndex: bottom };
    return { sheetId: tab().id, ...rows, startColumnIndex: left, endColumnIndex: right };
  }
}

function isOverlap(a: Merge, b: Merge): boolean {
  return a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
}

function placeOf({ top, bottom, left, right }: Merge): string {
  return `${letterOf(left)}${top + 1}:${letterOf(right - 1)}${bottom}`;
}
