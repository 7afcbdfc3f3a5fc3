// Hooks: a webhook of the service, a script of the sheet or a person asks for a run by HTTP.
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Secret } from '../lib/secret.ts';
import type { HookAnswer, TriggerAnswer } from '../daemon/queue/port.ts';
import { createWindow, type SlidingWindow } from '../limits/window.ts';
import { isSame } from './same.ts';

export interface HookOptions {
  readonly secret: Secret;
  /** Runs a sync or feed now, or as soon as possible; undefined: none has this name. */
  readonly trigger: (name: string) => Promise<TriggerAnswer | undefined>;
  /** Epoch milliseconds; undefined if no run will come. */
  readonly nextRun: (name: string) => number | undefined;
  /** `sync` is undefined if the name is unknown, or the request did not have the secret. */
  readonly observe: (answer: HookAnswer, sync?: string) => void;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
}

/** For each sync. More requests start no more runs: triggered runs are five seconds apart. */
const hooksPerMinute = 60;
/** A webhook carries its record, which is seldom larger. The body is never read, because anybody may have sent it. */
const bodyBytesMax = 256 * 1024;

/**
 * `POST /hooks/NAME`. It starts a normal run, so that a request cannot write anything. Repeating a hook is harmless.
 * Answers, as JSON:
 *
 * - 202: `started`, `queued` (a run follows the current one, or the gap between two), or `backing-off` (the last run
 *   failed; `next_run` says when it is tried again, and that run sees the change).
 * - 401, for any method, path and name below /hooks: without the secret no name is revealed.
 * - 404: no such name; 405: another method; 413: a body of more than 256 KB.
 * - 429 with Retry-After: more than 60 a minute for one name.
 * - 409: a person paused the sync. No run follows before somebody resumes it.
 * - 503: the sync has stopped, or leadsheet ends. No run follows.
 */
export function createHooks({ secret, trigger, nextRun, observe, elapsed }: HookOptions): Hono {
  const app = new Hono();
  const windows = new Map<string, SlidingWindow>();

  app.use('*', async (c, next) => {
    if (isSame(givenSecret(c) ?? '', secret.reveal())) return next();
    observe('refused');
    return c.json({ answer: 'refused', why: 'the secret is missing or wrong' }, 401, { 'www-authenticate': 'Bearer' });
  });
  app.use(
    '*',
    bodyLimit({
      maxSize: bodyBytesMax,
      // The rest of the body is not read; the connection is closed.
      onError: (c) => c.text('Payload Too Large', 413, { connection: 'close' }),
    }),
  );

  app.post('/:name', async (c) => {
    const name = c.req.param('name');
    // Only existing names get a window, so that other names cannot fill the memory.
    const waitMs = windows.get(name)?.waitMs() ?? 0;
    if (waitMs > 0) {
      observe('too-many', name);
      return c.json({ sync: name, answer: 'too-many' }, 429, { 'retry-after': String(Math.ceil(waitMs / 1_000)) });
    }
    const answer = await trigger(name);
    if (answer === undefined) {
      observe('unknown');
      return c.json({ sync: name, answer: 'unknown', why: 'no sync or feed has this name' }, 404);
    }
    windowOf(name).start();
    observe(answer, name);
    if (answer === 'paused') {
      return c.json({ sync: name, answer, why: `a person paused it: leadsheet resume ${name}` }, 409);
    }
    if (answer === 'stopped') return c.json({ sync: name, answer, why: 'it runs no more; see the log' }, 503);
    return c.json({ sync: name, answer, ...nextRunOf(name, answer) }, 202);
  });
  app.all('/:name', (c) => c.json({ why: 'a hook is a POST' }, 405, { allow: 'POST' }));
  return app;

  function windowOf(name: string): SlidingWindow {
    const window = windows.get(name) ?? createWindow({ startsMax: hooksPerMinute, lengthMs: 60_000, elapsed });
    windows.set(name, window);
    return window;
  }

  function nextRunOf(name: string, answer: TriggerAnswer): { readonly next_run?: string } {
    const at = answer === 'backing-off' ? nextRun(name) : undefined;
    return at === undefined ? {} : { next_run: new Date(at).toISOString() };
  }
}

/** In a header; or in the address, for webhooks that can set no header. */
function givenSecret(c: Context): string | undefined {
  return /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? c.req.query('secret');
}
