import { describe, expect, test } from 'vitest';
import type { Heartbeat } from '../../../src/daemon/heartbeat.ts';
import { type DaemonReply, lookAtDaemon } from '../../../src/daemon/view.ts';

/* A command sees the daemon by the answer on the socket, by the heartbeat, and by its process. */

const now = Date.parse('2026-11-21T09:00:00Z');
const ago = (secs: number) => new Date(now - secs * 1_000).toISOString();
const used = { used: 1, per_minute: 60 };

function beat(given: Partial<Heartbeat> = {}): Heartbeat {
  return {
    version: 1,
    pid: 7,
    host: 'here',
    boot: 'b1',
    started_at: ago(600),
    written_at: ago(20),
    state: 'running',
    syncs: [],
    configuration: { left_out: [], refused: null },
    budget: { crm: used, sheet_reads: used, sheet_writes: used },
    account_budgets: [],
    ...given,
  };
}

interface Given {
  readonly reply: DaemonReply;
  readonly last?: Partial<Heartbeat> | 'none';
  readonly isAlive?: boolean;
  readonly boot?: string | null;
}

async function look({ reply, last = {}, isAlive = true, boot = 'b1' }: Given) {
  const file = last === 'none' ? undefined : JSON.parse(JSON.stringify(beat(last)));
  return lookAtDaemon({ readHeartbeat: async () => file }, now, {
    ask: async () => reply,
    isRunning: () => isAlive,
    machine: { host: 'here', boot },
  });
}

const absent: DaemonReply = { kind: 'absent' };
const refused: DaemonReply = { kind: 'refused' };
const silent: DaemonReply = { kind: 'silent', why: 'did not answer within 3 s' };

test('what a daemon says now is told, whatever its heartbeat says', async () => {
  const told = JSON.parse(JSON.stringify(beat({ written_at: ago(0), pid: 8 }))) as unknown;
  const { view, notice } = await look({ reply: { kind: 'told', told }, last: { state: 'ended' } });
  expect({ pid: view?.pid, told: view?.told, notice }).toEqual({ pid: 8, told: 'now', notice: undefined });
});

describe('a daemon that was killed is known', () => {
  test.each<[string, Given]>([
    ['by its socket, on which nothing listens', { reply: refused }],
    ['by the same from another container of the machine', { reply: refused, last: { host: 'other' } }],
    ['by its process, where it had no socket', { reply: absent, isAlive: false }],
    ['by its age, where neither can be told', { reply: absent, last: { host: 'other', written_at: ago(180) } }],
    ['by its age, where its id is that of another process', { reply: absent, last: { written_at: ago(180) } }],
  ])('%s', async (_how, given) => {
    const { view, last } = await look(given);
    expect({ view, end: last?.end, pid: last?.pid }).toEqual({ view: undefined, end: 'killed', pid: 7 });
  });
});

describe('a daemon may live', () => {
  test.each<[string, Given]>([
    ['on another machine, whose sockets nobody can use from here', { reply: refused, last: { host: 'o', boot: 'b2' } }],
    [
      'on another machine that does not name its start',
      { reply: refused, last: { host: 'o', boot: null }, boot: null },
    ],
    ['without a socket', { reply: absent }],
    ['in another container, where its process cannot be seen', { reply: absent, last: { host: 'o' }, isAlive: false }],
    [
      'of an earlier version, which tells no machine',
      { reply: absent, last: { host: null, boot: null }, isAlive: false },
    ],
    ['although it has been silent for an hour', { reply: silent, last: { written_at: ago(3_600) } }],
    ['although another version says nothing more', { reply: { kind: 'other-version', version: '9.1.0' } }],
  ])('%s', async (_where, given) => {
    const { view, last } = await look(given);
    expect({ told: view?.told, last }).toEqual({ told: 'heartbeat', last: undefined });
  });
});

test('a daemon that ended is told as ended, and without a heartbeat none is known', async () => {
  expect(await look({ reply: absent, last: { state: 'ended' } })).toEqual({
    last: { pid: 7, end: 'ended', at: ago(20) },
  });
  expect(await look({ reply: refused, last: 'none' })).toEqual({});
});

test('why it could not be asked is said, with its process', async () => {
  expect((await look({ reply: silent })).notice).toBe(
    'the daemon (process 7) did not answer within 3 s; this is what it told last',
  );
  expect((await look({ reply: silent, last: 'none' })).notice).toBe('the daemon did not answer within 3 s');
  expect((await look({ reply: { kind: 'told', told: {} } })).notice).toContain(
    'an answer that this leadsheet cannot read',
  );
});
