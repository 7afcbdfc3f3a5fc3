// People who restore an earlier version of the spreadsheet: all cells of its tabs are as they were then, IDs and wishes included.
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { restoreTab } from '../../support/earlier-version.ts';
import type { Act } from '../scenario/scenario.ts';
import { feedTab, outboxTab, tabTitle, wishHeader } from '../world/setting.ts';
import { cellText, type RowView, viewSheet } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { feedRowsOf } from './feed-acts.ts';
import { noteEntered, noteWish, personLog } from './log.ts';
import { type MessageRow, messageRows } from './outbox-acts.ts';
import { noteMoved } from './outbox-hands.ts';
import { pick, type Typing } from './typing.ts';

/** The spreadsheet lists more; people take one of the last. */
const versionsMax = 8;

export function createVersions(
  { sides: { file }, setting, log, personOf }: PeopleDep,
  { note, tangle, forget, tell }: Typing,
) {
  const fields = setting.fields.map(({ field }) => field);
  const versions: Spreadsheet[] = [];

  return { keep, restore };

  /** Before each act of a person. */
  function keep(): void {
    if (versions.at(-1) === file.content) return;
    versions.push(file.content);
    if (versions.length > versionsMax) versions.shift();
  }

  function restore({ a }: Act): boolean {
    const [then, now] = [pick(versions, a), file.content];
    if (!then || log.misplaced.size > 0) return false;
    const titles = [tabTitle, outboxTab, feedTab].filter((title) => isRestorable(then, now, title));
    if (titles.length === 0) return false;
    tell(`sheet: restores an earlier version of the spreadsheet: ${titles.join(', ')}`);
    for (const title of titles) restoreTab(file, then, title);
    if (titles.includes(tabTitle)) log.restoredAt = log.seq;
    if (titles.includes(tabTitle)) {
      const [was, is] = [now, then].map((content) => viewSheet(content, log.renamed).rows);
      noteChanges(was!, is!);
    }
    // A run that misses their rows may be adding them in this moment.
    const isThere = new Set(feedRowsOf(now).map(({ id }) => id));
    for (const { id } of feedRowsOf(file.content)) if (!isThere.has(id)) log.feed.copied.add(id);
    noteMoved(log.messages, messageRows(now), messageRows(file.content));
    noteFreed(messageRows(now), messageRows(file.content));
    return true;
  }

  /** Rows are back as they were before they had an ID, perhaps with another text than was sent: each is a new message. */
  function noteFreed(was: readonly MessageRow[], is: readonly MessageRow[]): void {
    for (const { tag, id } of is)
      if (id === '' && !was.some((row) => row.tag === tag && row.id === '')) log.messages.loosened.add(tag);
  }

  /**
   * Merged cells refuse it. A version with other columns would change what a run takes for which column, which nobody puts right
   * by hand.
   */
  function isRestorable(then: Spreadsheet, now: Spreadsheet, title: string): boolean {
    const [old, present] = [then, now].map((content) => content.findSheetByTitle(title));
    if (!old || !present || old.merges.length + present.merges.length > 0) return false;
    const headerAt = (content: Spreadsheet) => (title === tabTitle ? viewSheet(content, log.renamed).headerRow - 1 : 0);
    const [header, headerNow] = [old.rows[headerAt(then)], present.rows[headerAt(now)]].map((row) =>
      row?.cells.map((cell) => cellText(cell)),
    );
    return JSON.stringify(header) === JSON.stringify(headerNow);
  }

  function noteChanges(was: readonly RowView[], is: readonly RowView[]): void {
    const [before, after] = [was, is].map((rows) => Map.groupBy(rows, (row) => personOf(row)));
    for (const name of new Set([...before!.keys(), ...after!.keys()])) {
      if (name === undefined) continue;
      const [old, now] = [before!.get(name) ?? [], after!.get(name) ?? []];
      if (old.length > 1 || now.length > 1) tangle(name, 'second row');
      const [own, its] = [old[0], now[0]];
      if (own?.id !== its?.id) tangle(name, 'ID');
      if (!its) {
        for (const field of fields) forget('sheet', name, field, own!.value(field));
        personLog(log, name).deletedIn.add('sheet');
        continue;
      }
      if (!own) {
        tangle(name, 'put back');
        noteEntered(log, name, 'sheet');
      }
      for (const field of fields) {
        if (own?.value(field) === its.value(field)) continue;
        if (field === 'email' || field === 'network_id') tangle(name, 'key');
        note('sheet', name, field, its.value(field));
      }
      const wish = its.text(wishHeader);
      if (wish === (own?.text(wishHeader) ?? '')) continue;
      noteWish(log, name, own?.text(wishHeader) ?? '', wish);
    }
  }
}
