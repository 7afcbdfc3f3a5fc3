// The single values of a state, by name, and the decisions that people recorded: their types and schemas.
import * as z from 'zod';
import { type DecisionRequest, throughs } from '../decision.ts';
import type { Json, JsonObject } from '../../state/port.ts';
import type { TableMemory } from '../../sheets/port.ts';
import type { Identities, PlanCounts } from '../../sync/input.ts';
import type { RunCounts, RunReport, RunStatus } from '../report.ts';
import { planCounts, problems, runCounts, runStatus, stopped, type StoredProblem } from './run.ts';
import { count, instantMs, isoInstant, optional, recordOf, text, value } from './shape.ts';

/** Single values by name. Each is left out until it is known. */
export interface Facts {
  readonly identities?: Identities;
  /** Field names in the order of the stored values (M9). */
  readonly fields?: readonly string[];
  /** From when on changed contacts have to be asked for, ISO instant. */
  readonly watermark?: string;
  /** Contacts in scope that have no row yet, because somebody has to decide first: asked for beside those that changed. */
  readonly unplaced?: readonly string[];
  readonly list?: { readonly named: string; readonly uuid: string };
  /** Spreadsheet and tab as the configuration names them: the memory of the table is of these (G1). */
  readonly tab?: string;
  readonly table?: TableMemory;
  /** Deleted by us and perhaps still answered: uuid -> epoch milliseconds. */
  readonly tombstones?: Readonly<Record<string, number>>;
  /** The last plan that was held, for `approve`. */
  readonly held?: { readonly run: string; readonly planned: PlanCounts; readonly reasons?: readonly string[] } | null;
  /** Kinds of scans whose last one drifted (`incomplete.ts`). */
  readonly drifted?: readonly ('full' | 'incremental')[];
  /** Why the last full scan could not have every contact, however it asked; null: it had. */
  readonly limited?: string | null;
  /**
   * The last run that had something to write, committed with the links that it left: what is open beside them. An idle one
   * after it found things as this one left them (W9). Reports of runs are kept elsewhere (`runs.ts`).
   */
  readonly lastRun?: StoredLastRun;
  /** E6: somebody saw the wishes that a new state found. */
  readonly isLedgerTrusted?: boolean;
}

export interface StoredLastRun {
  readonly run: string;
  readonly status: RunStatus;
  /** ISO instant. */
  readonly endedAt: string;
  readonly counts: RunCounts;
  /** Of a run that was stopped before all of its plan was begun (W8). */
  readonly stopped?: NonNullable<RunReport['stopped']>;
  /** Without values; at most a thousand. */
  readonly problems: readonly StoredProblem[];
}

const factSchemas: Readonly<Record<keyof Facts, z.ZodType>> = {
  identities: recordOf<Identities>()({ crm: text, sheet: text }),
  fields: z.array(text),
  watermark: isoInstant,
  unplaced: z.array(text),
  list: recordOf<NonNullable<Facts['list']>>()({ named: text, uuid: text }),
  tab: text,
  table: recordOf<TableMemory>()({
    columnIndexByKey: z.record(text, count),
  }),
  tombstones: z.record(text, instantMs),
  held: recordOf<NonNullable<Facts['held']>>()({
    run: text,
    planned: planCounts,
    reasons: optional(z.array(text)),
  }).nullable(),
  drifted: z.array(z.enum(['full', 'incremental'])),
  limited: text.nullable(),
  lastRun: recordOf<StoredLastRun>()({
    run: text,
    status: runStatus,
    endedAt: isoInstant,
    counts: runCounts,
    stopped: optional(stopped),
    problems,
  }),
  isLedgerTrusted: z.boolean(),
};

/** Why a fact is not what its name says; undefined: it is, or nobody here knows the name. */
export function whyNotFact(name: string, stored: Json): string | undefined {
  return name in factSchemas ? whyNot(factSchemas[name as keyof Facts], stored) : undefined;
}

const resolution = z.union([z.object({ use: z.enum(['crm', 'sheet']) }), z.object({ value })]);

/** Of decisions that an earlier version recorded there is none. */
const origin = optional(
  z.looseObject({ by: text, at: isoInstant, through: z.enum(throughs), text, seen: z.looseObject({}) }),
);

const request = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('resolve'), id: text, resolution, origin }),
  z.looseObject({ kind: z.literal('retry'), id: text, isSure: optional(z.literal(true)), origin }),
  z.looseObject({ kind: z.literal('approve'), run: text, counts: planCounts, origin }),
]);

export function isRequest(stored: JsonObject): stored is DecisionRequest & JsonObject {
  return whyNotRequest(stored) === undefined;
}

export function whyNotRequest(stored: JsonObject): string | undefined {
  return whyNot(request, stored);
}

/** The first of what is wrong, by place: never a value, which may be a contact detail. */
export function whyNot(schema: z.ZodType, stored: Json): string | undefined {
  const { error } = schema.safeParse(stored);
  const [issue] = error?.issues ?? [];
  return issue && `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`;
}
