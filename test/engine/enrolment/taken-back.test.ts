import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { createEnrolmentTrial, later, today } from './support.ts';

describe('E5: a wish that is taken back', () => {
  const cancels = { automation: { on_clear: 'cancel' } };

  it('E5: is cancelled from that automation alone, and said to be cancelling', async () => {
    const trial = createEnrolmentTrial(cancels);
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.model.automations.enrol(trial.nurture.uuid, uuid!, 1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ counts: { cancelled: 1 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe('cancelling');
    await trial.run();
    expect(trial.callsOf('automations.cancel')).toBe(1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe('cancelling: wished for again, only retry enrols again');
  });

  it('E5: what left its cell under ignore is not cancelled on the day on which on_clear becomes cancel', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'ignore' } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    const config = readFileSync(trial.configFile, 'utf8');
    writeFileSync(trial.configFile, config.replace('on_clear: ignore', 'on_clear: cancel'));
    await trial.start();
    expect((await trial.cli('plan')).stdout).not.toContain('take out of automations');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { cancelled: 0 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ counts: { enrolled: 0 } });
    trial.type('ann@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ counts: { cancelled: 1 } });
  });

  it('L12, E5: a wish that waited and was taken out of its cell is told to wait no more, and the next run writes nothing', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ counts: { enrolled: 1, waiting: 1 } });
    trial.type('bob@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ problems: [], counts: { waiting: 0 } });
    expect((await trial.cli('explain', 'bob@firm.io')).stdout).not.toContain('waiting');
    expect((await trial.cli('status')).stdout).not.toContain('waiting');
    const files = trial.stateFiles();
    await trial.run();
    expect(trial.stateFiles()).toEqual(files);
  });

  it.each([
    ['Campaign', 'other'],
    ['Automation', 'same'],
  ])(
    'E5, W11: after the mapping was without wishes, blank cells of %s take nobody out until a wish was typed there',
    async (column, which) => {
      const trial = createEnrolmentTrial(cancels);
      await trial.linked('ann@firm.io', 'bob@firm.io');
      for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
      await trial.run();
      const setWishes = async (automation?: object) => {
        const file = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: { prospects: object } };
        file.syncs.prospects = { ...file.syncs.prospects, automation };
        writeFileSync(trial.configFile, stringify(file));
        await trial.start();
      };
      await setWishes();
      await trial.run();
      if (which === 'same') trial.type('ann@firm.io', 'Automation', '');
      await setWishes({ ...cancels.automation, column });
      for (const isFull of [false, false, true]) {
        expect(await trial.run({ isFull })).toMatchObject({
          status: 'succeeded',
          counts: { cancelled: 0, enrolled: 0 },
        });
      }
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Welcome active']);
      trial.type('ann@firm.io', column, 'Welcome');
      await trial.run();
      trial.type('ann@firm.io', column, '');
      expect(await trial.run()).toMatchObject({ counts: { cancelled: 1, enrolled: 0 } });
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled', 'bob@firm.io Welcome active']);
    },
  );

  it('E5, L12: a wish that is typed again after its cancel is named, with the command that enrols again', async () => {
    const trial = createEnrolmentTrial(cancels);
    const [uuid] = await trial.linked('ann@firm.io');
    for (const wish of ['Welcome', '', 'Welcome']) {
      trial.type('ann@firm.io', 'Automation', wish);
      await trial.run();
    }
    const id = `${uuid}/${trial.welcome.uuid}`;
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ id, kind: 'held', rule: 'E5' }] });
    const command = `leadsheet retry ${id} --yes`;
    expect((await trial.cli('status')).stdout).toContain(`${command} to enrol it again, or take it out of its cell`);
    expect((await trial.cli('explain', 'ann@firm.io')).stdout).toContain(`enrol it again: ${command}`);
    // The service ends it in a job of its own.
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    await trial.cli(...command.split(' ').slice(1));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 }, problems: [] });
    expect(trial.enrolled()).toContain('ann@firm.io Welcome active');
  });

  it('E5: a changed cell cancels the old one first', async () => {
    const trial = createEnrolmentTrial(cancels);
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'automations.cancel', times: 20 });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.service.faults.clear();
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
  });

  it.each([
    ['fails', 503, /^waiting: is cancelled in the next run: ./],
    ['is refused', 422, /^refused: ./],
  ])('E5, L12: a row whose cancel %s says so, and why', async (_how, status, told) => {
    const trial = createEnrolmentTrial(cancels);
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    trial.service.faults.inject({ kind: 'status', status, operation: 'automations.cancel', times: 20 });
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toMatch(told);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E5, W8: wherever the end is asked for, the old wish is cancelled before the new one is carried out, each once', async () => {
    let isOver = false;
    for (let at = 1; !isOver; at += 1) {
      const trial = createEnrolmentTrial(cancels);
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.type('ann@firm.io', 'Automation', 'Nurture');
      const stop = new AbortController();
      let saves = 0;
      trial.atEachInstant((what) => {
        if (what === 'saved' && (saves += 1) === at) stop.abort(new Error('stopped by SIGTERM'));
      });
      const { problems } = await trial.run({ signal: stop.signal });
      trial.atEachInstant(() => {});
      isOver = saves < at;
      // What was not begun is no failure.
      expect({ at, problems }).toEqual({ at, problems: [] });
      await trial.run();
      expect({ at, enrolled: trial.enrolled() }).toEqual({
        at,
        enrolled: ['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled'],
      });
      expect([trial.callsOf('automations.cancel'), trial.callsOf('automations.add-contact')]).toEqual([1, 2]);
    }
  });

  it.each([
    ['cleared', ''],
    ['changed', 'Nurture'],
  ])('E5, W10: in the daemon a cell that is %s for a moment cancels nothing', async (_how, text) => {
    const trial = createEnrolmentTrial({ ...cancels, sync: { settle_secs: 600 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', text);
    const { problems } = await trial.run({ isAsked: false });
    expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toContain('waiting W10');
    await later(500_000);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    trial.type('ann@firm.io', 'Automation', text);
    await later(500_000);
    await trial.run({ isAsked: false });
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('E5, W10: a cell that has stood still cancels the old wish, and then the new one is carried out', async () => {
    const trial = createEnrolmentTrial({ ...cancels, sync: { settle_secs: 600 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    await trial.run({ isAsked: false });
    await later(600_000);
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Nurture': 'enrolled', 'ann@firm.io Welcome': 'cancelling' });
  });

  const wishedAgain = 'cancelling: wished for again, only retry enrols again';

  const cutShort = [
    {
      how: 'every answer to it is lost',
      cut: () => {
        throw Object.assign(new TypeError('lost'), { code: 'ECONNRESET' });
      },
    },
    { how: 'the process dies after the call', cut: (trial: ReturnType<typeof createEnrolmentTrial>) => trial.kill() },
  ];

  it.each(cutShort)(
    'E3, E5: a cancel of unknown outcome, since $how: a wish that is typed again finds nobody enrolled',
    async ({ cut }) => {
      let isCut = true;
      const trial = createEnrolmentTrial({
        ...cancels,
        around: async (request, next) => {
          const answer = await next(request);
          if (isCut && request.url.includes('cancel')) cut(trial);
          return answer;
        },
      });
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.type('ann@firm.io', 'Automation', '');
      await trial.attempt();
      isCut = false;
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
      expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
      expect(trial.callsOf('automations.add-contact')).toBe(1);
    },
  );

  it('E5: a cancel whose outcome is unknown is made again while the cell names nothing', async () => {
    const trial = createEnrolmentTrial(cancels);
    const { faults } = trial.service;
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    faults.inject({ kind: 'lost', operation: 'automations.cancel', when: 'before', times: 30 });
    await trial.run();
    faults.clear();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.type('ann@firm.io', 'Automation', '');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
  });

  it('E5, W6, L12: a cancel without an answer, whose repeat is answered 401, may have been carried out', async () => {
    const trial = createEnrolmentTrial(cancels);
    const [uuid] = await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.cancel' });
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.cancel' });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    await trial.start();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
    expect((await trial.history()).find(({ op }) => op === 'cancel')).toMatchObject({
      contact: uuid,
      outcome: 'unknown',
    });
  });

  it('D1, E5: a row that is put back after the process died at the cancel from all is not told that it is enrolled', async () => {
    const trial = createEnrolmentTrial({
      sync: { on_row_deleted: 'cancel_automations', limits: { deletes: '100%' } },
      around: async (request, next) => {
        const answer = await next(request);
        if (request.url.includes('cancel')) trial.kill();
        return answer;
      },
    });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const at = trial.rowNumberOf('ann@firm.io');
    const row = trial.person.read(`'Prospects'!${at}:${at}`);
    trial.person.deleteRows('Prospects', at);
    expect(await trial.attempt()).toBe('killed');
    trial.person.paste(`'Prospects'!A3`, row);
    for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
    expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
  });

  it('E5: on_clear ignore cancels nothing', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('D1, E5: a deleted row cancels from all, and the ledger knows', async () => {
    const trial = createEnrolmentTrial({ sync: { on_row_deleted: 'cancel_automations', limits: { deletes: '100%' } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const place = trial.grid().findIndex((row) => row['Email'] === 'ann@firm.io') + 2;
    trial.person.deleteRows('Prospects', place);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
  });
});

describe('E1, L8: a retry of a wish that waits', () => {
  /** Ann and Bob wish for Welcome, and a run has seen that while it settled. */
  async function waiting() {
    const trial = createEnrolmentTrial({ sync: { settle_secs: 600 } });
    const [uuid = ''] = await trial.linked('ann@firm.io', 'bob@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    return { ...trial, id: `${uuid}/${trial.welcome.uuid}`, calls: () => trial.callsOf('automations.add-contact') };
  }

  it.each(['', '--yes'])(
    'E1, L8, L12: is void where the run that was under way carries the wish out, as nobody was asked whether it may happen twice (answer: %j)',
    async (yes) => {
      const trial = await waiting();
      let instants = 0;
      trial.atEachInstant(async () => {
        instants += 1;
        if (instants === 3) await trial.cli('retry', trial.id, ...(yes === '' ? [] : [yes]));
      });
      await trial.run();
      trial.atEachInstant(() => {});
      expect(trial.calls()).toBe(2);
      for (const isFull of [false, true, false]) await trial.run({ isFull });
      expect(trial.calls()).toBe(2);
      const decisions = (await trial.history()).filter((line) => line['decision'] === 'retry');
      expect(decisions).toMatchObject([{ id: trial.id, outcome: 'void' }]);
      const { store } = await trial.start();
      expect((await store.sync('prospects').load()).requests.size).toBe(0);
      await trial.cli('retry', trial.id, '--yes');
      await trial.run();
      expect(trial.calls()).toBe(3);
    },
  );

  it.each(['this version', 'an earlier one, which did not record that nobody was asked'])(
    'E1, L8: is done with before the call: a run that is killed after it does not enrol twice, as recorded by %s',
    async (version) => {
      const trial = await waiting();
      if (version === 'this version') await trial.cli('retry', trial.id, '--yes');
      else {
        const { store } = await trial.start();
        await store.sync('prospects').addRequest({ kind: 'retry', id: trial.id });
      }
      let instants = 0;
      trial.atEachInstant(() => {
        if (trial.calls() === 2 && (instants += 1) === 6) trial.kill();
      });
      await trial.attempt();
      trial.atEachInstant(() => {});
      expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled', 'bob@firm.io Welcome': 'enrolled' });
      for (let runs = 0; runs < 2; runs += 1) await trial.run();
      expect(trial.calls()).toBe(2);
    },
  );
});
