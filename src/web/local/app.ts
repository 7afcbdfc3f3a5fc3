// Serves commands on the local socket: how the daemon stands, runs that people ask for, and links into the console.
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { stream } from 'hono/streaming';
import type { Asked, AskedRun } from '../../daemon/queue/port.ts';
import type { JobStatus } from '../../engine/standing.ts';
import {
  type ConsoleLinkRefused,
  type ConsoleLinkTold,
  consoleLinkWanted,
  type DaemonTold,
  protocolVersion,
  type RunMessage,
  type RunRefused,
  type RunWanted,
  runWanted,
} from '../../operator/answers/live.ts';
import type { ReloadAnswer } from '../../operator/answers/reload.ts';
import { runToAnswer } from '../../operator/reports.ts';
import type { EventStream } from '../events.ts';

export interface LocalAppOptions {
  readonly version: string;
  /** Resolves once the process has begun: until then it neither runs a job nor takes a configuration up. */
  readonly begun: Promise<unknown>;
  readonly config: () => DaemonTold['config'];
  /** How the daemon stands now. */
  readonly heartbeat: () => DaemonTold['heartbeat'];
  readonly isDraining: () => boolean;
  /** undefined: there is none of this name. */
  readonly job: (name: string) => JobStatus | undefined;
  /** The id of the run under way. */
  readonly runNow: (name: string) => string | undefined;
  readonly ask: (name: string, isFull: boolean, unlessPaused: boolean) => Asked | undefined;
  readonly events: EventStream;
  /** Makes a one-time link; or says why there is none. */
  readonly consoleLink: (person: Pick<ConsoleLinkTold, 'name' | 'role'>) => ConsoleLinkTold | ConsoleLinkRefused['why'];
  /** Takes the changed configuration up. */
  readonly reload: () => Promise<ReloadAnswer>;
}

/** A request has a name and two flags. */
const bodyBytesMax = 8 * 1024;
/** A person follows one run, a script a few. Each keeps its events in memory. */
const followersMax = 16;

/**
 * - `GET /v1/daemon`: `daemonTold`.
 * - `POST /v1/runs`: `runWanted` in, lines of `runMessage` out until the run has ended. A follower that goes away leaves the
 *   run as it is. 404, 503, 429, 400 with `runRefused`.
 * - `POST /v1/console-links`: `consoleLinkWanted` in, `consoleLinkTold` out. 409, 400 with `consoleLinkRefused`.
 *
 * - `POST /v1/reload`: `reloadAnswer`, also if nothing was taken up.
 *
 * The file mode of the socket is what guards it: it has no password, and is never served by TCP.
 */
export function createLocalApp(options: LocalAppOptions): Hono {
  const { version, begun, config, heartbeat, isDraining, job, runNow, ask, events, consoleLink, reload } = options;
  const app = new Hono();
  let followers = 0;
  app.use('*', bodyLimit({ maxSize: bodyBytesMax }));

  app.get('/v1/daemon', (c) => {
    return c.json({
      protocol: protocolVersion,
      version,
      config: config(),
      heartbeat: heartbeat(),
    } satisfies DaemonTold);
  });

  app.post('/v1/reload', async (c) => {
    await begun;
    return c.json((await reload()) satisfies ReloadAnswer);
  });

  app.post('/v1/runs', async (c) => {
    await begun;
    const wanted = runWanted.safeParse(await c.req.json().catch(() => undefined)).data;
    if (!wanted) return c.json({ why: 'invalid' } satisfies RunRefused, 400);
    const before = job(wanted.name);
    if (!before) return c.json({ why: 'unknown' } satisfies RunRefused, 404);
    if (isDraining()) return c.json({ why: 'ending' } satisfies RunRefused, 503);
    if (followers >= followersMax) return c.json({ why: 'too-many' } satisfies RunRefused, 429);
    followers += 1;
    return stream(
      c,
      async (out) => {
        try {
          for await (const message of follow(wanted, before)) {
            if (out.aborted) return;
            await out.writeln(JSON.stringify(message));
          }
        } finally {
          followers -= 1;
        }
      },
      // Left out, it would go to standard error, which the log does not use.
      async ({ message: reason }, out) => {
        await out.writeln(JSON.stringify({ type: 'crashed', reason } satisfies RunMessage));
      },
    );
  });

  app.post('/v1/console-links', async (c) => {
    const wanted = consoleLinkWanted.safeParse(await c.req.json().catch(() => undefined)).data;
    if (!wanted) return c.json({ why: 'invalid' } satisfies ConsoleLinkRefused, 400);
    const made = isDraining() ? 'ending' : consoleLink(wanted);
    if (typeof made === 'string') return c.json({ why: made } satisfies ConsoleLinkRefused, 409);
    return c.json(made);
  });

  async function* follow(
    { name, full, changes, even_if_paused: evenIfPaused }: RunWanted,
    before: JobStatus,
  ): AsyncIterable<RunMessage> {
    using reader = events.open(
      (event) => (event.sync === name || event.sync === '') && (changes || event.type !== 'change-done'),
    );
    const run = runNow(name) ?? null;
    const asked = ask(name, full, !evenIfPaused);
    if (!asked || asked.answer === 'ending') return yield { type: 'not-run' };
    const { answer, ended } = asked;
    const { phase, lastRun } = before;
    const isUnwell = phase === 'backing-off' || phase === 'stopped';
    yield { type: 'accepted', answer, phase, run, reason: isUnwell ? (lastRun?.reason ?? null) : null };
    void ended.then(() => reader.end());
    for await (const event of reader.events) yield event === 'alive' ? { type: 'alive' } : { type: 'event', event };
    yield endMessage(await ended);
  }

  return app;
}

function endMessage(run: AskedRun): RunMessage {
  switch (run.kind) {
    case 'ran':
      return { type: 'ended', run: runToAnswer(run.report) };
    case 'crashed':
      return { type: 'crashed', reason: run.reason };
    case 'not-run':
      return { type: 'not-run' };
    case 'paused':
      return { type: 'paused' };
  }
}
