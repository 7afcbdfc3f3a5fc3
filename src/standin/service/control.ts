// The control routes of the stand-in under `/_standin`.
import { Hono } from 'hono';
import * as z from 'zod';
import type { Auth } from './auth.ts';
import type { Env } from './env.ts';
import { faultSchema } from './faults.ts';
import type { Faults } from './faults.ts';
import type { Model } from './model.ts';
import type { ReceivedLog } from './received.ts';
import { issuesToFieldTexts, invalid, Refusal } from './refusal.ts';
import { envelope } from './replies.ts';
import { defaultSwitches, switchesSchema } from './switches.ts';
import type { Switches } from './switches.ts';

export interface ControlParts {
  readonly switches: Switches;
  readonly faults: Faults;
  readonly received: ReceivedLog;
  readonly model: Model;
  readonly auth: Auth;
  /** Called when the model may have changed. */
  readonly changed: () => void;
}

/**
 * `/_standin`: turns switches, injects faults and shows the data of the stand-in. Needs no token; the stand-in listens
 * on the loopback interface alone.
 */
export function createControl({ switches, faults, received, model, auth, changed }: ControlParts): Hono<Env> {
  const app = new Hono<Env>();
  const changes = z.strictObject(
    Object.fromEntries(
      Object.entries(switchesSchema.shape).map(([name, schema]) => [name, schema.unwrap().optional()]),
    ),
  );

  app.get('/', (c) => c.json(controls));
  app.get('/switches', (c) => c.json(switches));
  app.put('/switches', async (c) => c.json(Object.assign(switches, parse(changes, await c.req.json()))));
  app.delete('/switches', (c) => c.json(Object.assign(switches, defaultSwitches())));
  app.get('/switches/help', (c) =>
    c.json(
      Object.fromEntries(Object.entries(switchesSchema.shape).map(([name, { description }]) => [name, description])),
    ),
  );

  app.get('/faults', (c) => c.json(faults.waiting));
  app.post('/faults', async (c) => {
    faults.inject(parse(faultSchema, await c.req.json()));
    return c.json(faults.waiting, 201);
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });

  app.get('/requests', (c) => {
    const operation = c.req.query('operation');
    return c.json(received.entries.filter((entry) => operation === undefined || entry.operation === operation));
  });
  app.delete('/requests', (c) => {
    received.clear();
    return c.body(null, 204);
  });

  app.get('/token', async (c) => c.json({ token: await auth.sign() }));

  app.get('/state', (c) => {
    model.settle();
    return c.json({
      contacts: model.contacts.size,
      lists: model.lists.table.size,
      automations: model.automations.table.size,
      sender_profiles: model.senderProfiles.table.size,
      messages: model.inbox.messages.size,
      emails: model.inbox.emails.size,
      enrolments: [...model.automations.enrolments()],
      jobs: { pending: model.jobs.pending, finished: model.jobs.finished },
      mass_actions: model.massActions,
    });
  });
  app.get('/state/contacts/:uuid', (c) => {
    model.settle();
    const uuid = c.req.param('uuid');
    const { record, customFields, domain } = model.contacts.get(uuid);
    const enrolments = model.automations
      .enrolments()
      .filter(({ lead_uuid }) => lead_uuid === uuid)
      .toArray();
    return c.json({ contact: record, custom_fields: customFields, domain, enrolments });
  });
  app.post('/jobs/run', (c) => {
    model.settle(Number.MAX_SAFE_INTEGER);
    changed();
    return c.json({ finished: model.jobs.finished });
  });

  app.all('*', (c) => c.json(envelope(404, 'not_found', 'The stand-in has no such control.'), 404));
  app.onError((error, c) => {
    if (error instanceof Refusal)
      return Response.json(envelope(error.status, error.reason, error.message, error.data), { status: error.status });
    const status = error instanceof SyntaxError ? 400 : 500;
    return c.json(envelope(status, status === 400 ? 'bad_request' : 'server_error', error.message), status);
  });
  return app;
}

/** Lists the paths, for a browser or curl. */
const controls = {
  'GET /_standin/switches': 'how the switches stand',
  'GET /_standin/switches/help': 'what each switch does',
  'PUT /_standin/switches': 'turns the switches named in the body: {"pageRowsMax": 20}',
  'DELETE /_standin/switches': 'turns all of them back',
  'GET /_standin/faults': 'faults that still wait for their requests',
  'POST /_standin/faults': 'injects one: {"kind": "status", "status": 503, "operation": "contacts.search", "times": 3}',
  'DELETE /_standin/faults': 'takes all of them back',
  'GET /_standin/requests': 'the latest requests received; ?operation=NAME for those of one operation',
  'DELETE /_standin/requests': 'forgets them',
  'GET /_standin/token': 'a token that is accepted',
  'GET /_standin/state': 'counts, enrolments, jobs, deletions',
  'GET /_standin/state/contacts/{uuid}': 'a contact with its custom fields and enrolments',
  'POST /_standin/jobs/run': 'lets all pending jobs take effect now',
};

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw invalid(issuesToFieldTexts(error.issues));
  return data;
}
