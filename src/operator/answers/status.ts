// How each job stands.
import * as z from 'zod';
import { phases } from '../../engine/standing.ts';
import { steps } from '../../engine/events.ts';
import { signature } from './held.ts';
import { paused } from './pause.ts';
import { leftOut } from './reload.ts';
import { count, counts, decision, problem, stopped } from './shared.ts';

const used = z.strictObject({ used: count.describe('in the last minute'), per_minute: count });

const running = z.strictObject({
  run: z.string(),
  started_at: z.string().describe('ISO instant'),
  is_full: z.boolean().describe('it reads every contact'),
  step: z.enum(steps).nullable().describe('what it does now; null: it begins'),
  done: count.nullable().describe('of this step'),
  total: count.nullable().describe('the size of this step; null: not known'),
  per_second: z.number().nullable().describe('since this step began; null: not known'),
  left_secs: z.number().nullable().describe('until this step is done, at that rate; null: not known'),
});
const health = z.enum(['well', 'needs_somebody', 'failed']);

const standing = z.strictObject({
  name: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  account: z.string().describe('`default`: that of `crm` and `google` at the top of the file'),
  health: health.describe('what --exit-code counts; a paused job is well'),
  phase: z.enum(phases).nullable().describe('what the daemon does about it; null without a daemon'),
  running: running.nullable().describe('the run under way; null: none, or not known'),
  last_run: z
    .strictObject({
      run: z.string(),
      status: z.string(),
      ended_at: z.string().describe('ISO instant'),
      reason: z.string().nullable().describe('why it failed or was held'),
      refused: z
        .enum(['crm', 'sheet'])
        .nullable()
        .describe(
          'the side that refused the credentials of the account, so that each job of the account fails; null: none',
        ),
      stopped: stopped.describe('a signal ended it before all of its plan was begun'),
    })
    .nullable()
    .describe('the last one that wrote, was held, failed or found something new, or the last of the daemon'),
  next_run: z.string().nullable().describe('ISO instant; null without a daemon'),
  lag_secs: count.nullable().describe('since a run of the daemon ended well; null without a daemon'),
  counts,
  held_run: z.string().nullable().describe('waits for `approve`'),
  held_reasons: z.array(z.string()).describe('why it is held'),
  held_what: z
    .enum(['writes', 'enrolments', 'messages'])
    .nullable()
    .describe('what is not done until `approve`: everything, enrolments alone, or messages alone'),
  held_refused: signature.nullable().describe('who refused what is held; it is told no more until it changes'),
  paused: paused.nullable().describe('it is not run by itself; null: it is not paused'),
  requests: count.describe('decisions of people that the next run carries out'),
  decisions: z.array(decision).describe('these decisions, oldest first'),
  problems: z.array(problem),
  problems_of: z
    .string()
    .nullable()
    .describe(
      'the run that told them, before the last one was held or failed: some may be over; null: they are of now',
    ),
  notices: z.array(z.string()).describe('what there is to tell of the state itself'),
});

export const statusAnswer = z.strictObject({
  daemon: z
    .strictObject({
      state: z.enum(['running', 'draining']),
      pid: count.describe('its process'),
      told: z.enum(['now', 'heartbeat']).describe('now: it answered; heartbeat: it told this up to a minute before'),
      written_at: z.string().describe('ISO instant at which it told this'),
      budget: z.strictObject({
        crm: used,
        sheet_reads: used,
        sheet_writes: used,
        drive: used.exactOptional().describe('only with google.hints: calls that ask whether spreadsheets changed'),
      }),
    })
    .nullable()
    .describe('null: none is known to run'),
  last_daemon: z
    .strictObject({
      pid: count,
      end: z.enum(['ended', 'killed']).describe('ended as asked, or killed'),
      at: z.string().describe('ISO instant at which it ended; of a killed one, at which it told something last'),
    })
    .nullable()
    .describe('the one that ran last, while none runs'),
  daemon_notice: z.string().nullable().describe('why the daemon could not be asked'),
  health: health.describe('the worst of all; failed also after a daemon that was killed'),
  left_out: z.array(leftOut).describe('what of the configuration does not run, since it has faults'),
  refused_configuration: z
    .strictObject({ at: z.string().describe('ISO instant'), problems: z.array(z.string()) })
    .nullable()
    .describe('the changed file that the daemon did not take up; null: it has none'),
  syncs: z.array(standing),
});

export type StandingAnswer = z.infer<typeof standing>;

export type StatusAnswer = z.infer<typeof statusAnswer>;

export type Health = z.infer<typeof health>;
