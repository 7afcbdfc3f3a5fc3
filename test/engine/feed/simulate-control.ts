// One trial of a feed whose cells start and stop automations (E7): people type into these cells, sort, copy and delete rows,
// and start and stop in the service, switch `control` off and on, map and unmap a column, delete the controlled one and put it
// back, set the feed to another spreadsheet and back, and undo runs; calls fail, the token is refused, the state is lost or loses
// its end, and the process is killed at any request and at any write of its state. Then everything is quiet.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createRandom } from '../../../src/standin/service/random.ts';
import { createSyncTrial, spreadsheetId, tabTitle } from '../../support/app.ts';
import { createControlHands } from './control-hands.ts';
import { columnOf, readRows } from './rows.ts';

const columns = { ID: 'uuid', Name: 'name', Status: 'status' };
const operations = { start: 'on', stop: 'off' } as const;
const elsewhere = `${spreadsheetId}-other`;

interface FlowsInFile {
  control: boolean;
  columns: Record<string, string>;
  spreadsheet: string;
}

/** What was broken, and the story. */
export async function simulateControl(
  seed: number,
  { hasHands = false }: { readonly hasHands?: boolean } = {},
): Promise<{ readonly broken: readonly string[]; readonly story: readonly string[] }> {
  const random = createRandom(seed);
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, control: true } },
    switches: { pageRowsMax: random.pick([100, 2]) },
  });
  const { automations } = trial.service.model;
  const tab = { title: tabTitle, sheetId: 7, rowCount: 100, columnCount: 26, values: [[]] };
  trial.sheets.model.create({ id: elsewhere, writers: [trial.account.email], tabs: [tab] });
  const story: string[] = [`seed ${seed}`];
  const broken: string[] = [];
  const uuids = Array.from({ length: random.integer(2, 4) }, (_, index) => {
    // Some are refused: an archived one cannot be started.
    const status = random.integer(0, 5) === 0 ? 'archived' : random.pick(['on', 'off']);
    return automations.add({ name: `N${index}`, status }).uuid;
  });
  const nameOf = (uuid: string) => automations.table.find(uuid)?.name ?? uuid;
  const statusOf = (uuid: string) => automations.table.find(uuid)?.status ?? '';
  /** Texts that people typed since a run could have acted on them, by uuid; the last one that stood before counts too. */
  const typed = new Map<string, string[]>();
  /** What the last run that came to its end left in the cell, or what a call was made for since. Left out: not known for sure. */
  const known = new Map<string, string>();
  /** The last thing that anybody did to an automation, if it was to type on or off where something else was known to stand. */
  const lastWish = new Map<string, string>();
  /** Automations of which somebody copied or deleted a row: which of the rows counts, other rules say. */
  const mixedUp = new Set<string>();
  let instants = 0;
  let killAt = Infinity;
  let editsLeft = 0;
  const edited = new Set<string>();
  /** What the run under way made a call for that the service does not refuse: such a call is noted before it is made. */
  const called = new Set<string>();
  let isRefusing = false;
  let isUndoing = false;
  /** Calls that start and stop may go wrong. */
  let isFaulty = false;
  /** No write of the sheet arrives. */
  let isUnwritable = false;
  let isControlled = true;
  let isElsewhere = false;
  /** The start or stop, from now on, for which the token is refused; 0: none. */
  let refusedIn = 0;
  /** Ids of runs that ended, the last one last. */
  const ended: string[] = [];
  /** L12: by automation and what was called for, in how many runs. */
  const runsByCall = new Map<string, number>();
  const calledNow = new Set<string>();

  trial.atEachInstant((what) => {
    if (what instanceof Request) noteCall(new URL(what.url).pathname);
    instants += 1;
    if (instants === killAt) {
      story.push(`killed at ${typeof what === 'string' ? what : `${what.method} ${new URL(what.url).pathname}`}`);
      return trial.kill();
    }
    if (editsLeft === 0 || random.integer(0, 3) > 0) return;
    editsLeft -= 1;
    story.push(`  meanwhile ${random.pick([typeStatus, typeStatus, toggle, sort])()}`);
  });

  const hands = createControlHands({
    trial,
    random,
    noteTyped: (id, text) => noteTyped(id, text),
    noteMixedUp: (id) => void mixedUp.add(id),
  });
  let hasMerged = false;
  const handsAct = () => {
    if (isElsewhere || !isStatusThere()) return 'nothing to move';
    const told = hands.act();
    hasMerged ||= hands.hasMerges();
    return told;
  };

  await run();
  for (let step = random.integer(3, 7); step > 0; step -= 1) {
    for (let count = random.integer(0, 3); count > 0; count -= 1) story.push(act());
    if (hasHands) for (let count = random.integer(0, 3); count > 0; count -= 1) story.push(handsAct());
    if (random.integer(0, 1) === 0) injectFault();
    editsLeft = random.pick([0, 0, 1, 2]);
    killAt = random.integer(0, 2) === 0 ? instants + random.integer(1, 25) : Infinity;
    const report = await run();
    if (report === 'killed' || random.integer(0, 4) === 0) await trial.start();
    else if (random.integer(0, 3) === 0) {
      if (random.integer(0, 2) === 0) story.push(act());
      await undoRun(random.pick(ended.slice(-2)));
    }
    const loss = random.integer(0, 11);
    if (loss === 0) await loseState();
    if (loss === 1) await damageState();
    if (random.integer(0, isControlled ? 7 : 1) === 0) await switchControl();
    if (random.integer(0, 7) === 0) await switchColumn();
    if (random.integer(0, isElsewhere ? 1 : 11) === 0) await move();
    if (random.integer(0, isStatusThere() ? 11 : 1) === 0) story.push(isStatusThere() ? loseStatus() : putStatusBack());
    if (random.integer(0, 1) === 0) {
      trial.service.faults.clear();
      trial.sheets.faults.clear();
      isRefusing = isFaulty = isUnwritable = false;
      refusedIn = 0;
    }
  }
  killAt = Infinity;
  editsLeft = 0;
  refusedIn = 0;
  if (isElsewhere) await move();
  if (!isStatusThere()) story.push(putStatusBack());
  // A kill may come at an answer that a failed run did not wait for any more.
  await trial.start();
  trial.service.faults.clear();
  trial.sheets.faults.clear();
  isRefusing = isFaulty = isUnwritable = false;
  // W5: the pauses of cells that were covered are over then.
  if (hasMerged) story.push(hands.unmerge());
  for (let quiet = 0; quiet < 3; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, hasMerged ? 7_300_000 : 120_000));
    await run();
  }
  checkQuiet();
  await checkHistory();
  const before = trial.sheets.log.counters.writes;
  const last = await run();
  // A copy is told by each run, until somebody deletes it (I4).
  const ids = readRows(trial).flatMap(({ id }) => (id === '' ? [] : [id]));
  const ending = new Set(ids).size === ids.length ? 'succeeded' : 'partial';
  if (last === 'killed' || last.status !== ending) broken.push(`L6: the quiet run did not end as ${ending}`);
  if (trial.sheets.log.counters.writes !== before) broken.push('W9: a run with nothing to do wrote something');
  return { broken, story };

  function act(): string {
    return random.pick([typeStatus, typeStatus, typeStatus, typeStatus, toggle, toggle, sort, copyRow, deleteRow])();
  }

  async function run() {
    edited.clear();
    called.clear();
    calledNow.clear();
    const was = new Map(readRows(trial).map(({ id, cells }) => [id, wishIn(cells['Status'])]));
    const report = await trial.attemptFeed('flows');
    story.push(report === 'killed' ? 'run: killed' : `run: ${report.status} ${report.error ?? ''}`);
    const isKilled = report === 'killed';
    if (!isKilled) ended.push(report.run);
    if (isElsewhere) return report;
    if (!isControlled) return forgetWishes(report);
    for (const { id, cells } of readRows(trial)) {
      const now = wishIn(cells['Status']);
      // Carried out, a wish counts no more, also where its cell was not written.
      const isCarriedOut = !isKilled && !isFaulty && called.has(id);
      if (!edited.has(id) && !mixedUp.has(id) && (now !== was.get(id) || isCarriedOut)) typed.delete(id);
      // Of a cell that a run may have been writing, nobody can tell whether what is in it was typed since (L10). And what
      // is typed while a run is under way it may have read, or not.
      const isRead = !isKilled && (report.status === 'succeeded' || (isUnwritable && report.status === 'partial'));
      const isCertain = isRead && !edited.has(id);
      if (isCertain) known.set(id, now);
      else if (!called.has(id)) known.delete(id);
    }
    return report;
  }

  /** A run without control knows of no wish, and puts cells back, unless it was killed or failed before. */
  function forgetWishes<Report extends 'killed' | { readonly status: string }>(report: Report): Report {
    const hasCome = report !== 'killed' && report.status !== 'failed';
    for (const { id, cells } of readRows(trial)) {
      if (id === '' || edited.has(id) || mixedUp.has(id)) continue;
      if (hasCome && wishIn(cells['Status']) === statusOf(id)) typed.delete(id);
    }
    known.clear();
    lastWish.clear();
    return report;
  }

  /** E7: after a run without control, the first one with it takes no cell for a wish. */
  async function switchControl(): Promise<void> {
    isControlled = !isControlled;
    await configure((flows) => void (flows.control = isControlled));
    story.push(`control is ${isControlled ? 'on' : 'off'}`);
  }

  async function configure(change: (flows: FlowsInFile) => void): Promise<void> {
    const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: FlowsInFile } };
    change(file.feeds.flows);
    writeFileSync(trial.configFile, stringify(file));
    await trial.start();
  }

  /** W16: a column more or less makes no cell a wish. */
  async function switchColumn(): Promise<void> {
    await configure((flows) => {
      const { Priority: mapped, ...others } = flows.columns;
      flows.columns = mapped === undefined ? { Priority: 'priority', ...others } : others;
      story.push(`the column Priority is ${mapped === undefined ? '' : 'no more '}mapped`);
    });
  }

  /** G1: what is remembered of another tab says nothing of this one, so that no cell is a wish until somebody types again. */
  async function move(): Promise<void> {
    isElsewhere = !isElsewhere;
    await configure((flows) => void (flows.spreadsheet = isElsewhere ? elsewhere : spreadsheetId));
    // If no run of the feed came to the other one, what was typed here still counts.
    for (const each of [known, lastWish]) each.clear();
    story.push(`the feed is in ${isElsewhere ? 'another spreadsheet' : 'its spreadsheet again'}`);
  }

  function isStatusThere(): boolean {
    const [names = []] = trial.person.read("'Prospects'!1:1");
    return names.includes('Status');
  }

  /** W11: what stood in the column is gone, and blank cells are nobody's wish. */
  function loseStatus(): string {
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Status'), 1);
    for (const each of [typed, known, lastWish]) each.clear();
    return 'deletes the column Status';
  }

  function putStatusBack(): string {
    const [names = []] = trial.person.read("'Prospects'!1:1");
    trial.person.type(`'Prospects'!${String.fromCodePoint(65 + names.length)}1`, 'Status');
    return 'types the header Status';
  }

  /** S3, E7: a state that knows that it lost its end takes no cell for a wish until somebody types again. */
  async function damageState(): Promise<void> {
    const log = join(trial.folder, 'state', 'flows', 'base.log');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    // What follows tells that the damaged line was whole once. Without its first line alone a log lacks nothing.
    if (lines.length < 4) return;
    const damaged = random.integer(1, lines.length - 3);
    const line = lines[damaged] ?? '';
    lines[damaged] = line.replace(/.(?=.{8})/, '?');
    writeFileSync(log, lines.join('\n'));
    await trial.start();
    for (const each of [typed, known, lastWish, runsByCall]) each.clear();
    ended.length = 0;
    story.push(`line ${damaged + 1} of the log is damaged`);
  }

  /** I9: without a state, no cell is a wish until somebody types again. */
  async function loseState(): Promise<void> {
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
    for (const each of [typed, known, lastWish, runsByCall]) each.clear();
    ended.length = 0;
    story.push('the state is lost');
  }

  /** S8: what the run started is stopped, and no later run takes its cell for a wish. */
  async function undoRun(undone: string | undefined): Promise<void> {
    if (undone === undefined) return;
    edited.clear();
    calledNow.clear();
    const statuses = new Map(uuids.map((uuid) => [uuid, statusOf(uuid)]));
    isUndoing = true;
    const undoing = await trial.attemptUndo(undone).catch((error: unknown) => String(error));
    isUndoing = false;
    story.push(`undo: ${undoing}`);
    for (const uuid of uuids) {
      known.delete(uuid);
      if (statusOf(uuid) !== statuses.get(uuid) && !edited.has(uuid) && !mixedUp.has(uuid)) typed.delete(uuid);
    }
    if (undoing === 'killed') await trial.start();
  }

  /** E7: nothing is started or stopped that nobody typed. */
  function noteCall(path: string): void {
    const [, uuid = '', what = ''] = /([^/]+)\/(start|stop)$/.exec(path) ?? [];
    if (what === '') return;
    const wanted = operations[what as keyof typeof operations];
    story.push(`  ${what} ${nameOf(uuid)}`);
    if (isElsewhere && !isUndoing)
      broken.push(`E7: ${what} of ${nameOf(uuid)}, and nobody typed in the other spreadsheet`);
    if (refusedIn > 0 && (refusedIn -= 1) === 0) {
      trial.service.faults.inject({ kind: 'status', status: 401, operation: `automations.${what}` });
      story.push('    the token is refused');
      known.delete(uuid);
      return;
    }
    const call = `${what} ${uuid}`;
    if (!calledNow.has(call)) runsByCall.set(call, (runsByCall.get(call) ?? 0) + 1);
    calledNow.add(call);
    if (!isControlled) broken.push(`E7: ${what} of ${nameOf(uuid)} without control`);
    if (isUndoing) return void lastWish.delete(uuid);
    const texts = typed.get(uuid) ?? [];
    if (!texts.includes(wanted))
      broken.push(`E7: ${what} of ${nameOf(uuid)}, of which people typed ${texts.join(', ') || 'nothing'}`);
    known.set(uuid, wanted);
    if (!isRefusing && statusOf(uuid) !== 'archived') called.add(uuid);
    // What is refused is put back, and a run that dies right then tells it in the history alone.
    else lastWish.delete(uuid);
  }

  function checkQuiet(): void {
    const rows = readRows(trial).filter(({ id }) => id !== '');
    for (const uuid of uuids) {
      const own = rows.filter(({ id }) => id === uuid);
      if (own.length === 0) broken.push(`F1: ${nameOf(uuid)} has no row`);
      const [row] = own;
      if (own.length !== 1 || !row) continue;
      if (row.cells['Status'] !== statusOf(uuid)) {
        broken.push(`F1: ${nameOf(uuid)} is ${statusOf(uuid)}, and its cell says ${row.cells['Status']}`);
      }
      const wish = lastWish.get(uuid);
      const isRefused = row.cells['Sync']?.startsWith('refused: ') || statusOf(uuid) === 'archived';
      if (wish !== undefined && !isRefused && !mixedUp.has(uuid) && statusOf(uuid) !== wish) {
        broken.push(`L1: somebody typed ${wish} for ${nameOf(uuid)} last, and it is ${statusOf(uuid)}`);
      }
    }
  }

  /** L12: each call that a run made is in the history, also where the run died. */
  async function checkHistory(): Promise<void> {
    const lines = await trial.history('flows');
    for (const [call, runs] of runsByCall) {
      const [what, uuid = ''] = call.split(' ');
      const told = lines.filter(
        ({ side, contact, after }) => side === 'crm' && contact === uuid && after === operations[what as 'start'],
      );
      if (told.length < runs)
        broken.push(`L12: ${runs} runs called ${what} of ${nameOf(uuid)}, ${told.length} are told`);
    }
  }

  function typeStatus(): string {
    if (isElsewhere || !isStatusThere()) return 'nothing to type over';
    const rows = readRows(trial).filter(({ id }) => id !== '');
    if (rows.length === 0) return 'nothing to type over';
    const { number, id } = random.pick(rows);
    const text = random.pick(['on', 'off', 'on', 'off', 'ON ', 'perhaps', '']);
    if (hands.isCovered(number, 'Status')) return 'nothing to type over';
    trial.person.type(`'Prospects'!${columnOf(trial, 'Status')}${number}`, text);
    noteTyped(id, text);
    return `types "${text}" for ${nameOf(id)}`;
  }

  function noteTyped(id: string, text: string): void {
    typed.set(id, [...(typed.get(id) ?? []), wishIn(text)]);
    edited.add(id);
    const wish = wishIn(text);
    const isWish = (wish === 'on' || wish === 'off') && known.has(id) && known.get(id) !== wish;
    if (isWish) lastWish.set(id, wish);
    else lastWish.delete(id);
  }

  function toggle(): string {
    const uuid = random.pick(uuids);
    const status = statusOf(uuid) === 'on' ? 'off' : 'on';
    automations.table.change(uuid, { status }, Date.now());
    edited.add(uuid);
    lastWish.delete(uuid);
    return `${nameOf(uuid)} is ${status} in the service`;
  }

  function sort(): string {
    const header = random.pick(isStatusThere() ? ['Name', 'Status'] : ['Name']);
    if (hands.hasMerges()) return 'cannot sort, since cells are merged';
    trial.person.sort('Prospects', columnOf(trial, header), random.pick(['ASCENDING', 'DESCENDING'] as const));
    return `sorts by ${header}`;
  }

  function copyRow(): string {
    const rows = readRows(trial).filter(({ id }) => id !== '');
    if (rows.length === 0) return 'nothing to copy';
    const { number, id, cells } = random.pick(rows);
    const at = number + random.integer(0, 1);
    trial.person.insertRows('Prospects', at, 1);
    trial.person.paste(`'Prospects'!A${at}`, [Object.values(cells)]);
    const isEdited = random.integer(0, 2) === 0;
    if (isEdited) trial.person.type(`'Prospects'!${columnOf(trial, 'Name')}${at}`, 'mine');
    mixedUp.add(id);
    return `copies the row of ${nameOf(id)} ${at === number ? 'above' : 'below'} it${isEdited ? ', and renames it' : ''}`;
  }

  function deleteRow(): string {
    const rows = readRows(trial);
    if (rows.length === 0) return 'nothing to delete';
    const { number, id } = random.pick(rows);
    trial.person.deleteRows('Prospects', number);
    if (id !== '') mixedUp.add(id);
    return `deletes row ${number}`;
  }

  function injectFault(): void {
    if (random.integer(0, 3) === 0) {
      refusedIn = random.integer(1, 2);
      story.push(`the token will be refused for start or stop ${refusedIn}`);
      return;
    }
    const when = random.pick(['before', 'after'] as const);
    if (random.integer(0, 2) === 0) {
      const effect = random.pick([{ type: 'lost' }, { type: 'status', status: 503 }] as const);
      const times = random.pick([1, 2, 3, 99]);
      const kind = random.pick(['read', 'write'] as const);
      trial.sheets.faults.add({ effect, when, times, match: { kind } });
      isUnwritable ||= kind === 'write' && times === 99 && when === 'before' && effect.type === 'status';
      story.push(`fault of the sheet: ${kind} ${JSON.stringify(effect)} ${when}, ${times} times`);
      return;
    }
    const operation = random.pick(['automations.start', 'automations.stop', 'automations.list']);
    const effect = random.pick([
      { kind: 'status', status: 500 },
      { kind: 'status', status: 422 },
      { kind: 'lost' },
    ] as const);
    trial.service.faults.inject({ ...effect, when, operation, times: random.pick([1, 9, 99]) });
    isFaulty = true;
    isRefusing ||= effect.kind === 'status' && effect.status === 422;
    story.push(`fault of ${operation}: ${JSON.stringify(effect)} ${when}`);
  }
}

function wishIn(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase();
}
