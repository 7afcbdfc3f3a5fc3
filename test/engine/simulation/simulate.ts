// One trial of a whole sync: people edit both sides between and during runs, calls go wrong, the process is killed at any
// request and at any write of its state. Then everything is quiet, and the laws must hold.
import { createRandom } from '../../../src/standin/service/random.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import { createSyncTrial } from '../../support/app.ts';
import { checkLaws } from './laws.ts';
import { injectFault } from './faults.ts';
import { columns, createPeople, header } from './people.ts';

const stepsMax = 5;

/** A quarter of an hour: longer than a deleted contact is answered, and than any pause of a client. */
const quietMs = 16 * 60_000;

/** The laws that were broken, each with what happened; and the story. */
export async function simulate(
  seed: number,
): Promise<{ readonly broken: readonly string[]; readonly story: readonly string[] }> {
  const random = createRandom(seed);
  const conflict = random.pick(['crm', 'sheet'] as const);
  const isLagging = random.integer(0, 4) === 0;
  const mayKill = random.integer(0, 1) === 0;
  const mayFail = random.integer(0, 2) > 0;
  const policies = {
    conflict,
    on_row_deleted: random.pick(['ignore', 'restore', 'delete_contact'] as const),
    on_contact_deleted: random.pick(['mark', 'delete_row'] as const),
  };
  const trial = createSyncTrial({
    columns,
    values: [header],
    sync: {
      ...policies,
      limits: { deletes: '100%', changes: '100%', blanks: '100%' },
      ...(random.integer(0, 1) === 0 && {
        sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: 'Prospects', status_column: 'Sync' },
      }),
    },
    switches: {
      searchLagMs: isLagging ? 30_000 : 0,
      deleteDelayMs: random.pick([0, 0, 30_000]),
      pageRowsMax: random.pick([100, 3]),
      searchRows: random.pick(['flat', 'wrapped', 'mixed'] as const),
      upsertExisting: random.pick(['unchanged', 'refused', 'duplicated'] as const),
      lookupMiss: random.pick(['not_found', 'null', 'object', 'blank'] as const),
      emailStoredAs: random.pick(['work_email', 'work_email'] as const),
      blankValue: random.pick(['cleared', 'stored'] as const),
    },
  });
  const people = createPeople(trial, random, !isLagging);
  const story = people.story as string[];
  story.push(JSON.stringify({ seed, policies, isLagging, switches: trial.service.switches.upsertExisting }));
  for (let count = random.integer(0, 5); count > 0; count -= 1) people.enter('crm');
  for (let count = random.integer(0, 4); count > 0; count -= 1) people.enter('sheet');
  for (const email of [...people.entered].slice(0, random.integer(0, 2))) {
    const isInSheet = trial.grid().some((row) => row['Email'] === email);
    people.enter(isInSheet ? 'crm' : 'sheet', email);
  }

  let killAt = Infinity;
  let instants = 0;
  let editsLeft = 0;
  trial.atEachInstant((what) => {
    instants += 1;
    if (instants === killAt) {
      story.push(`killed at ${typeof what === 'string' ? what : `${what.method} ${new URL(what.url).pathname}`}`);
      return trial.kill();
    }
    // Only before a read of that side: what is typed between the last look and the write, Sheets and the service cannot tell.
    const side = typeof what === 'string' ? undefined : readSide(what);
    if (side === undefined || editsLeft === 0 || random.integer(0, 3) > 0) return;
    if (side === 'crm' && isLagging) return;
    editsLeft -= 1;
    people.act(side);
  });

  const attempt = async (isFull: boolean): Promise<RunReport | 'killed'> => {
    const report = await trial.attempt({ isFull });
    const { counts, status, error } = report === 'killed' ? { counts: {}, status: report, error: '' } : report;
    const told = Object.entries(counts).filter(([, count]) => count > 0);
    story.push(
      `${isFull ? 'full ' : ''}run: ${status} ${error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`,
    );
    if (report !== 'killed')
      for (const { kind, row, reason } of report.problems) story.push(`  ${kind} row ${row}: ${reason}`);
    return report;
  };

  for (let step = random.integer(2, stepsMax); step > 0; step -= 1) {
    for (let count = random.integer(0, 3); count > 0; count -= 1) {
      const side = random.pick(['crm', 'sheet'] as const);
      if (!(side === 'crm' && isLagging)) people.act(side);
    }
    if (mayFail && random.integer(0, 1) === 0) story.push(injectFault(trial, random));
    editsLeft = random.integer(0, 2);
    killAt = mayKill && random.integer(0, 2) === 0 ? instants + random.integer(1, 60) : Infinity;
    const report = await attempt(random.integer(0, 2) === 0);
    if (report === 'killed' || random.integer(0, 4) === 0) await trial.start();
    await pass(random.pick([1_000, 20_000, 120_000]));
  }

  killAt = Infinity;
  editsLeft = 0;
  trial.service.faults.clear();
  trial.sheets.faults.clear();
  await pass(quietMs);
  if (random.integer(0, 1) === 0) await trial.start();
  await attempt(true);
  await pass(quietMs);
  await attempt(true);
  const broken = await checkLaws({ trial, people, policies, attempt });
  return { broken, story };
}

async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function readSide({ url, method }: Request): 'crm' | 'sheet' | undefined {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/leads/search')) return 'crm';
  const isRead = method === 'GET' || pathname.endsWith('ByDataFilter');
  return pathname.startsWith('/v4/') && isRead && !pathname.includes('batchUpdate') ? 'sheet' : undefined;
}
