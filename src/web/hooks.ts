// Somebody says that something changed: a webhook of the service, a script of the sheet, a person with curl.
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Secret } from '../lib/secret.ts';
import type { HookAnswer, TriggerAnswer } from '../daemon/scheduler.ts';
import { createWindow, type SlidingWindow } from '../limits/window.ts';
import { isSame } from './same.ts';

export interface HookOptions {
  readonly secret: Secret;
  /** Runs a sync or feed now, or as soon as it may run; undefined: there is none of that name. */
  readonly trigger: (name: string) => TriggerAnswer | undefined;
  /** Epoch milliseconds; undefined when there will be none. */
  readonly nextRun: (name: string) => number | undefined;
  /** `sync` is undefined where the name was none of ours, or whoever asked had no right to know. */
  readonly observe: (answer: HookAnswer, sync?: string) => void;
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
}

/** For each sync. Whoever asks more often runs nothing more by it: runs that are asked for are five seconds apart. */
const hooksPerMinute = 60;
/** A webhook carries the record it is about, and that has seldom more. What it says is never read: it may be anybody's. */
const bodyBytesMax = 256 * 1024;

/**
 * `POST /hooks/NAME`. What it starts is a run like any other, so that nobody can write anything by it. Repeating a hook does
 * no harm. Answers, as JSON:
 *
 * - 202: `started`, `queued` (a run follows the one under way, or the gap between two), or `backing-off` (the last run
 *   failed; `next_run` says when it is tried again, and that run sees the change).
 * - 401, to any method, path and name below /hooks: without the secret nobody learns what there is.
 * - 404: no such name; 405: another method; 413: a body of more than 256 KB.
 * - 429 with Retry-After: more than 60 a minute for one name.
 * - 503: the sync has stopped, or leadsheet ends. No run will come of it.
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
      // The rest of the body is not read, so that nothing more can come over this connection.
      onError: (c) => c.text('Payload Too Large', 413, { connection: 'close' }),
    }),
  );

  app.post('/:name', (c) => {
    const name = c.req.param('name');
    // Only names that there are get a window, so that nobody can fill the memory with others.
    const waitMs = windows.get(name)?.waitMs() ?? 0;
    if (waitMs > 0) {
      observe('too-many', name);
      return c.json({ sync: name, answer: 'too-many' }, 429, { 'retry-after': String(Math.ceil(waitMs / 1_000)) });
    }
    const answer = trigger(name);
    if (answer === undefined) {
      observe('unknown');
      return c.json({ sync: name, answer: 'unknown', why: 'no sync or feed has this name' }, 404);
    }
    windowOf(name).start();
    observe(answer, name);
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

/** In a header; in the address for those who can set none, such as webhooks that take an address and nothing else. */
function givenSecret(c: Context): string | undefined {
  return /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? c.req.query('secret');
}
