// `/_standin/...`: the routes by which a test or a person reads and changes a running stand-in.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type FaultInjector, faultSchema } from './faults.ts';
import type { StandinEnv } from './answer.ts';
import type { SheetsModel, SpreadsheetFile } from './model.ts';
import type { RequestLog } from './request-log.ts';

const newSpreadsheet = z.strictObject({
  title: z.string().min(1).exactOptional(),
  id: z
    .string()
    .regex(/^[\w-]{10,100}$/)
    .exactOptional(),
  ownerEmail: z.email().exactOptional(),
  writers: z.array(z.email()).exactOptional(),
  readers: z.array(z.email()).exactOptional(),
  tabs: z
    .array(
      z.strictObject({
        title: z.string().min(1),
        sheetId: z.int().min(0).exactOptional(),
        rowCount: z.int().min(1).exactOptional(),
        columnCount: z.int().min(1).exactOptional(),
        values: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))).exactOptional(),
        typed: z.boolean().exactOptional(),
      }),
    )
    .min(1)
    .exactOptional(),
});

export interface ControlDeps {
  readonly model: SheetsModel;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
}

const driveChange = z.strictObject({
  lag_ms: z.int().min(0).exactOptional(),
  deaf: z.boolean().exactOptional(),
  touch: z.string().exactOptional(),
  expire_tokens: z.literal(true).exactOptional(),
});

/** GET and DELETE `log`, GET `counters`, GET, POST and DELETE `faults`, GET and POST `spreadsheets`, GET and POST `drive`. */
export function createControl({ model, faults, log }: ControlDeps): Hono<StandinEnv> {
  const app = new Hono<StandinEnv>();
  app.get('/log', (c) => c.json(log.entries));
  app.get('/counters', (c) => c.json(log.counters));
  app.delete('/log', (c) => {
    log.clear();
    return c.body(null, 204);
  });
  app.get('/faults', (c) => c.json(faults.list()));
  app.post('/faults', async (c) =>
    withBody(c, faultSchema, (fault) => {
      faults.add(fault);
      return c.json(faults.list(), 201);
    }),
  );
  app.delete('/faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });
  const driveNow = () => ({ lag_ms: model.drive.lagMs, deaf: model.drive.isDeaf });
  app.get('/drive', (c) => c.json(driveNow()));
  app.post('/drive', async (c) =>
    withBody(c, driveChange, ({ lag_ms: lagMs, deaf, touch, expire_tokens: isExpiring }) => {
      const { drive } = model;
      if (lagMs !== undefined) drive.lagMs = lagMs;
      if (deaf !== undefined) drive.isDeaf = deaf;
      if (touch !== undefined) drive.touch(touch);
      if (isExpiring) drive.expireTokens();
      return c.json(driveNow());
    }),
  );
  app.get('/spreadsheets', (c) => c.json(model.list().map((file) => summary(model, file))));
  app.post('/spreadsheets', async (c) =>
    withBody(c, newSpreadsheet, (wanted) => c.json(summary(model, model.create(wanted)), 201)),
  );
  app.get('/spreadsheets/:id', (c) => {
    const file = model.get(c.req.param('id'));
    return file ? c.json(summary(model, file)) : c.json({ error: 'no such spreadsheet' }, 404);
  });
  return app;
}

function summary({ drive }: SheetsModel, file: SpreadsheetFile) {
  return {
    id: file.id,
    title: file.content.title,
    version: drive.versionOf(file.id),
    modifiedTime: new Date(file.modifiedTime).toISOString(),
    tabs: file.content.sheets.map(({ id, title, rowCount, columnCount }) => ({
      sheetId: id,
      title,
      rowCount,
      columnCount,
    })),
  };
}

/** Only JSON sent as such: a form of another web page cannot send it. */
async function withBody<S extends z.ZodType>(
  c: Context<StandinEnv>,
  schema: S,
  answer: (body: z.output<S>) => Response,
): Promise<Response> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    return c.json({ error: 'the body must be application/json' }, 415);
  }
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
  return parsed.success ? answer(parsed.data) : c.json({ error: z.prettifyError(parsed.error) }, 400);
}
