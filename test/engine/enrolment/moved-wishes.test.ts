// Wishes that stand in other rows at once: the column of automations was sorted alone, or cells of it were deleted or inserted (G1, E1).
import { describe, expect, it } from 'vitest';
import { createEnrolmentTrial, later } from './support.ts';
import { repeats } from '../../support/repeats.ts';

const count = 20;
const emails = Array.from({ length: count }, (_, index) => `p${index + 10}@firm.io`);
/** Every other one. */
const wished = emails.filter((_, index) => index % 2 === 1);

async function everyOtherEnrolled(more: Parameters<typeof createEnrolmentTrial>[0] = {}) {
  const trial = createEnrolmentTrial(more);
  await trial.linked(...emails);
  // The order of the rows is that of the contacts: here it is that of the addresses.
  trial.person.sortRange(`'Prospects'!A2:ZZ${count + 1}`, 'D');
  for (const email of wished) trial.type(email, 'Automation', 'Welcome');
  expect(await trial.run()).toMatchObject({ counts: { enrolled: wished.length } });
  const place = `'Prospects'!F2:F${count + 1}`;
  const cells = () => trial.grid().map(({ Automation: text }) => (typeof text === 'string' ? text : ''));
  const put = (texts: readonly string[]) =>
    trial.person.paste(
      `'Prospects'!F2`,
      texts.map((text) => [text]),
    );
  const before = cells();
  return {
    ...trial,
    put,
    cells,
    putBack: () => put(before),
    active: () => trial.enrolled().filter((text) => text.endsWith('active')).length,
    sort: () => trial.person.sortRange(place, 'F', 'DESCENDING'),
  };
}

type Trial = Awaited<ReturnType<typeof everyOtherEnrolled>>;

const acts: readonly (readonly [string, (trial: Trial) => void])[] = [
  ['the column is sorted alone', ({ sort }) => sort()],
  ['a cell is deleted, and those below move up', ({ cells, put }) => put([...cells().slice(1), ''])],
  ['a cell is inserted, and those below move down', ({ cells, put }) => put(['', ...cells().slice(0, -1)])],
];

describe('G1, E1: wishes that moved to other rows', () => {
  it.each(acts)('G1: %s: nobody is put into an automation until the cells are back', async (_, act) => {
    const trial = await everyOtherEnrolled();
    act(trial);
    for (const isFull of [false, true]) {
      expect(await trial.run({ isFull })).toMatchObject({
        status: 'held',
        holds: [{ rule: 'G1', fails: false, reason: expect.stringContaining('in the column of automations, rows ') }],
      });
    }
    trial.putBack();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 0 } });
    expect(trial.active()).toBe(wished.length);
  });

  it('G4: whatever else is wished for meanwhile, and while people put one cell after the other back', async () => {
    const trial = await everyOtherEnrolled();
    const before = trial.cells();
    trial.sort();
    await trial.run();
    const moved = trial.cells().flatMap((text, at) => (text !== '' && before[at] === '' ? [at] : []));
    const left = trial.cells().flatMap((text, at) => (text === '' && before[at] !== '' ? [at] : []));
    // More than a fifth of those that came, so that they would not count as moved any more.
    const others = trial.cells().flatMap((text, at) => (text === '' && before[at] === '' ? [at] : []));
    for (const at of others.slice(0, 3)) trial.person.paste(`'Prospects'!F${at + 2}`, [['Welcome']]);
    for (const [nth, at] of moved.entries()) {
      const { status, holds } = await trial.run({ isFull: nth % 2 === 0 });
      expect({ nth, status, rule: holds[0]?.rule }).toEqual({ nth, status: 'held', rule: 'G1' });
      trial.person.clear(`'Prospects'!F${at + 2}`);
      trial.person.paste(`'Prospects'!F${left[nth]! + 2}`, [['Welcome']]);
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 3 } });
    expect(trial.active()).toBe(wished.length + 3);
  });

  it('G1: an approval lets these through, once', async () => {
    const trial = await everyOtherEnrolled();
    trial.sort();
    await trial.run();
    expect(await trial.cli('status')).toMatchObject({
      stdout: expect.stringContaining('nothing is written: in the column'),
    });
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 5 } });
    trial.put(trial.cells().toReversed());
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
    expect(trial.active()).toBe(15);
  });

  it('G2: an approval of five lets none of ten through', async () => {
    const trial = await everyOtherEnrolled();
    const before = trial.cells();
    trial.sort();
    await trial.run();
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    trial.put(before.map((text) => (text === '' ? 'Welcome' : '')));
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
    expect(trial.active()).toBe(wished.length);
  });

  it('G2: an approval is for all that the plan would do, also where another limit holds it since', async () => {
    const trial = await everyOtherEnrolled({ automation: { on_clear: 'cancel' } });
    trial.sort();
    await trial.run();
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    // One more is taken out than was approved.
    trial.type('p11@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G2' }] });
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 5, cancelled: 6 } });
  });

  // The two share the instants; with REPEATS=all each takes all.
  it.each([
    ['ignore', 1],
    ['cancel', 2],
  ])(
    'G4, L10: an approval whose run is killed anywhere before its second call needs no other one (%s)',
    { timeout: 240_000 },
    async (onClear, first) => {
      // The cancels alone are within their limit.
      const sync = { limits: { deletes: '100%' } };
      for (let instant = repeats(first, 1), isKilled = true; isKilled; instant += repeats(2, 1)) {
        const trial = await everyOtherEnrolled({ automation: { on_clear: onClear }, sync });
        trial.sort();
        await trial.run();
        expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
        let [instants, calls] = [0, 0];
        trial.atEachInstant((what) => {
          if (what instanceof Request) {
            if (what.method !== 'GET' && !what.url.includes('/search')) calls += 1;
            return;
          }
          instants += 1;
          if (instants === instant && calls < 2) trial.kill();
        });
        isKilled = (await trial.attempt()) === 'killed';
        trial.atEachInstant(() => {});
        expect(await trial.run()).toMatchObject({ holds: [] });
      }
    },
  );

  it('G1: of those that are to be cancelled too few for their limit, nobody is taken out', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
    const people = Array.from({ length: 36 }, (_, index) => `p${index}@firm.io`);
    await trial.linked(...people);
    for (const email of people.slice(0, 30)) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    for (const email of people.slice(0, 6)) trial.type(email, 'Automation', '');
    for (const email of people.slice(30)) trial.type(email, 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
    expect(trial.callsOf('automations.cancel')).toBe(0);
  });

  it('W10: in the daemon they are held at first sight, and still once they have stood still', async () => {
    const trial = await everyOtherEnrolled({ sync: { settle_secs: 10 } });
    trial.sort();
    for (let run = 0; run < 2; run += 1) {
      expect(await trial.run({ isAsked: false })).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
      await later(11_000);
    }
    expect(trial.active()).toBe(wished.length);
  });
});

describe('G1, E1: wishes that people change by themselves', () => {
  const others = emails.filter((_, index) => index % 2 === 0);
  const clear = (trial: Trial, people: readonly string[]) =>
    people.forEach((email) => trial.type(email, 'Automation', ''));
  const wish = (trial: Trial, people: readonly string[], name = 'Welcome') =>
    people.forEach((email) => trial.type(email, 'Automation', name));

  it.each([
    ['four are taken out of their cells, and four others are wished for', 4, 4],
    ['all are cleared, and some others are wished for', 10, 7],
    ['some are cleared, and all others are wished for', 7, 10],
  ])('%s', async (_, cleared, wishes) => {
    const trial = await everyOtherEnrolled();
    clear(trial, wished.slice(0, cleared));
    wish(trial, others.slice(0, wishes));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: wishes } });
  });

  it('all are wished for in another automation', async () => {
    const trial = await everyOtherEnrolled();
    wish(trial, wished, 'Nurture');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 10 } });
  });

  it('those who were cleared before are no reason to hold others later', async () => {
    const trial = await everyOtherEnrolled();
    clear(trial, wished);
    await trial.run();
    wish(trial, others);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { enrolled: 10 } });
  });

  it('rows that are sorted with their IDs, or deleted, pass nothing on', async () => {
    const trial = await everyOtherEnrolled();
    trial.person.sortRange(`'Prospects'!A2:ZZ${count + 1}`, 'F', 'DESCENDING');
    trial.person.deleteRows('Prospects', 2, 7);
    wish(trial, others.slice(0, 6));
    expect(await trial.run()).toMatchObject({ holds: [], counts: { enrolled: 6 } });
  });
});
