// How each job stands.
import * as z from 'zod';
import { phases } from '../../engine/standing.ts';
import { signature } from './held.ts';
import { paused } from './pause.ts';
import { count, counts, decision, problem, stopped } from './shared.ts';

const used = z.strictObject({ used: count.describe('in the last minute'), per_minute: count });

const health = z.enum(['well', 'needs_somebody', 'failed']);

const standing = z.strictObject({
  name: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  health: health.describe('what --exit-code counts; a paused job is well'),
  phase: z.enum(phases).nullable().describe('what the daemon does about it; null without a daemon'),
  last_run: z
    .strictObject({
      run: z.string(),
      status: z.string(),
      ended_at: z.string().describe('ISO instant'),
      reason: z.string().nullable().describe('why it failed or was held, if a daemon ran it'),
      stopped: stopped.describe('a signal ended it before all of its plan was begun'),
    })
    .nullable()
    .describe('the last one that had something to write, or the last of the daemon'),
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
  notices: z.array(z.string()).describe('what there is to tell of the state itself'),
});

export const statusAnswer = z.strictObject({
  daemon: z
    .strictObject({
      state: z.enum(['running', 'draining']),
      written_at: z.string().describe('ISO instant at which it told this'),
      budget: z.strictObject({ crm: used, sheet_reads: used, sheet_writes: used }),
    })
    .nullable()
    .describe('null: none is known to run'),
  daemon_lost: z.boolean().describe('the last daemon neither runs nor ended when asked to'),
  health: health.describe('the worst of all; failed also without a daemon that should run'),
  syncs: z.array(standing),
});

export type StandingAnswer = z.infer<typeof standing>;

export type StatusAnswer = z.infer<typeof statusAnswer>;

export type Health = z.infer<typeof health>;
