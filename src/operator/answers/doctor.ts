// What `doctor` tells of an installation, for a report of a bug: nothing of a contact, and no secret.
import * as z from 'zod';
import { configurationPage } from './configuration.ts';
import { phases } from '../../engine/standing.ts';
import { count } from './shared.ts';

const instant = z.string().describe('ISO instant');

const job = z.strictObject({
  name: z.string(),
  kind: z
    .enum(['sync', 'feed', 'outbox'])
    .nullable()
    .describe('null: there is a state of it, and it is not configured'),
  schema: count.nullable().describe('version of its files; null: none, or all jobs share one'),
  bytes: count.nullable().describe('null: not known by job'),
  folded_at: instant
    .nullable()
    .describe('ISO instant at which its document was written anew; null: never, or it has none'),
  holder: z.string().nullable().describe('the process that has its lease; null: none'),
  is_holder_running: z.boolean().nullable().describe('null: no holder, or it cannot be told from here'),
  records: count.nullable().describe('null: it cannot be read'),
  requests: count.nullable().describe('decisions that wait for a run; null: it cannot be read'),
  problems: z
    .array(z.strictObject({ kind: z.string(), rule: z.string(), count }))
    .describe('open after the last run, counted'),
  notices: z.array(z.string()).describe('damage that was found, and what was used instead'),
  fault: z.string().nullable().describe('why it cannot be read'),
  phase: z.enum(phases).nullable().describe('what the daemon does about it; null without a daemon'),
  lag_secs: count.nullable().describe('since a run of the daemon ended well; null without a daemon'),
});

const finding = z.strictObject({
  verdict: z.enum(['warning', 'failed']),
  about: z.string().describe('configuration, state, daemon, or a job'),
  detail: z.string().describe('with what to do'),
});

export const doctorAnswer = z.strictObject({
  versions: z.strictObject({
    leadsheet: z.string(),
    node: z.string(),
    system: z.string().describe('operating system, its release, and the processor'),
    state_driver: z.enum(['files', 'postgres']),
    postgres: z.string().nullable().describe('version of the server; null: none is used, or it does not answer'),
  }),
  environment: z.array(z.string()).describe('names of the variables that are set, of those that leadsheet reads'),
  configuration: z.strictObject({
    path: z.string().describe('of the file'),
    faults: z.array(z.string()).describe('what is wrong with it; quoted texts are hidden'),
    sections: configurationPage.shape.sections.describe('the options that the file has, with masks for secrets'),
  }),
  state: z.strictObject({
    place: z.string(),
    is_default: z.boolean().describe('the configuration cannot be read, so that this is the place without one'),
    is_there: z.boolean().describe('something was written there'),
    schema: count.nullable().describe('version of the tables that all jobs share; null: files have a version each'),
    schema_known: count.nullable().describe('the version that this program writes; null: it cannot be looked at'),
    bytes: count,
    index: z
      .strictObject({ bytes: count, written_at: instant })
      .nullable()
      .describe('the index for pages, which may be deleted; null: there is none'),
    fault: z.string().nullable().describe('why it cannot be looked at'),
    jobs: z.array(job),
  }),
  daemon: z.strictObject({
    state: z
      .enum(['running', 'draining', 'silent', 'ended', 'killed', 'unknown'])
      .describe('silent: it holds its socket and does not answer; unknown: none is known to have run'),
    pid: count.nullable(),
    version: z.string().nullable().describe('null: it did not answer'),
    told_at: z.string().nullable().describe('ISO instant at which it told something last'),
    notice: z.string().nullable().describe('why it could not be asked'),
    workers: z
      .array(z.strictObject({ id: z.string(), state: z.string(), version: z.string(), seen_at: instant, runs: count }))
      .nullable()
      .describe('processes that share the database; null: the state is on files'),
  }),
  errors: z
    .array(
      z.strictObject({
        job: z.string(),
        run: z.string(),
        ended_at: instant,
        status: z.string(),
        text: z.string().describe('quoted texts and e-mail addresses are hidden'),
      }),
    )
    .describe('of the last runs that failed or were held, newest first'),
  findings: z.array(finding).describe('what is wrong, with what to do'),
});

export type DoctorAnswer = z.infer<typeof doctorAnswer>;
