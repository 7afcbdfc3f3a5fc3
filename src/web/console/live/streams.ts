// `/events`: one stream of server-sent events for each page that is open and visible.
import { type Context, Hono } from 'hono';
import type { Access, Viewer } from '../access/viewer.ts';
import type { FeedMessage, PageFeed } from './feed.ts';

export interface StreamOptions {
  readonly feed: PageFeed;
  readonly access: Access;
  /** The part of a message that is for a viewer; undefined: none. */
  readonly part: (viewer: Viewer, message: FeedMessage) => FeedMessage | undefined;
  /** How often each viewer is looked at again; also how often a stream says that it lives. */
  readonly checkEveryMs?: number;
}

/** 200 pages that are open all day, and some more. A stream holds about 20 KB. */
const streamsMax = 256;
/** A session that has ended ends its streams within this time. Proxies cut a silent connection after 60 s. */
const checkEveryMsDefault = 5_000;
/** Messages that wait for a slow reader. A reader that is further behind loads its page anew when it comes back. */
const waitingMax = 16;
/** The wait of a browser before it asks again, in milliseconds. */
const retryMs = 2_000;

interface Stream {
  /** Looks whether its viewer may still look, and tells the reader that the stream lives. */
  check(): Promise<void>;
}

/**
 * Messages are `FeedMessage` in JSON, with the position as id. `look`: the page is older than the stream and is to be
 * loaded anew. `over`: the viewer is another one by now, or none. 503: too many streams are open.
 */
export function createStreams({ feed, access, part, checkEveryMs = checkEveryMsDefault }: StreamOptions): Hono {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  const app = new Hono();

  app.get('/', async (c) => {
    const viewer = await access.viewerOf(c);
    if (viewer instanceof Response) return c.text('log in first\n', 401);
    if (streams.size >= streamsMax) {
      const text = `${streamsMax} pages follow what happens, and no more can; load the page again to see what is new\n`;
      return c.text(text, 503, { 'retry-after': '60' });
    }
    const since = c.req.header('last-event-id') ?? c.req.query('since') ?? '';
    return c.body(open(c, viewer, since), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx keeps an answer back until it has some kilobytes.
      'x-accel-buffering': 'no',
    });
  });

  function open(c: Context, viewer: Viewer, since: string): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let forget = () => {};
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const send = (text: string) => {
            controller.enqueue(encoder.encode(text));
            if ((controller.desiredSize ?? 0) <= 0) end();
          };
          const end = () => {
            forget();
            controller.close();
          };
          const unsubscribe = feed.subscribe((message, position) => {
            const own = part(viewer, message);
            if (own) send(`id: ${position}\ndata: ${JSON.stringify(own)}\n\n`);
          });
          const stream: Stream = {
            async check() {
              if (!streams.has(stream)) return;
              const now = await access.viewerNow(c).catch(() => undefined);
              if (!streams.has(stream)) return;
              if (now !== undefined && isSameViewer(viewer, now)) return send(': alive\n\n');
              send('event: over\ndata: {}\n\n');
              if (streams.has(stream)) end();
            },
          };
          forget = () => {
            unsubscribe();
            streams.delete(stream);
            if (streams.size > 0) return;
            clearInterval(timer);
            timer = undefined;
          };
          streams.add(stream);
          timer ??= setInterval(checkAll, checkEveryMs).unref();
          const position = feed.position();
          send(`retry: ${retryMs}\n${since === position ? '' : `event: look\n`}id: ${position}\ndata: {}\n\n`);
        },
        cancel: () => forget(),
      },
      { highWaterMark: waitingMax },
    );
  }

  function checkAll(): void {
    for (const stream of streams) void stream.check();
  }

  return app;
}

function isSameViewer(before: Viewer, now: Viewer | Response): boolean {
  if (now instanceof Response) return false;
  return (
    before.name === now.name &&
    before.mayDecide === now.mayDecide &&
    before.areDetailsShown === now.areDetailsShown &&
    JSON.stringify(before.accounts) === JSON.stringify(now.accounts) &&
    before.formToken === now.formToken
  );
}
