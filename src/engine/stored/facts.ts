// Types and schemas of the single values of a state and of recorded decisions.
import * as z from 'zod';
import { type DecisionRequest, type Through, throughs } from '../decision.ts';
import type { Json, JsonObject } from '../../state/port.ts';
import type { ColumnKey, TableMemory } from '../../sheets/port.ts';
import { type BlankPolicy, blankPolicies, type Direction } from '../../sync/record/mapping.ts';
import type { Side, Value } from '../../sync/value/value.ts';
import type { Identities, LetThrough, PlanCounts } from '../../sync/input.ts';
import type { RunCounts, RunReport, RunStatus } from '../report.ts';
import { planCounts, problems, runCounts, runStatus, stopped, type StoredProblem } from './run.ts';
import { count, instantMs, isoInstant, optional, recordOf, text, value } from './shape.ts';

/** Single values by name. Each is left out until it is known. */
export interface Facts {
  readonly identities?: Identities;
  /** Field names in the order of the stored values (M9). */
  readonly fields?: readonly string[];
  /** How each of these fields was synced, by name (M9). Older states leave it out: no link is opened then. */
  readonly directions?: Readonly<Record<string, Direction>>;
  /** What a blank of each of these fields meant, by name (M9, M3). Older states leave it out: no link is opened then. */
  readonly blanks?: Readonly<Record<string, BlankPolicy>>;
  /** The instant from which changed contacts are asked for, ISO. */
  readonly watermark?: string;
  /**
   * Contacts in scope without a row, because a person has to decide first. They are asked for besides those that changed.
   */
  readonly unplaced?: readonly string[];
  readonly list?: { readonly named: string; readonly uuid: string };
  /** The filter of contacts, as JSON. Older states leave it out: it passes for the one of the configuration. */
  readonly filter?: string;
  /** Spreadsheet and tab in the words of the configuration. The memory of the table belongs to them (G1). */
  readonly tab?: string;
  readonly table?: TableMemory;
  /** The columns that the tab had once (W11). Older states leave it out: `rememberedColumns` reads them. */
  readonly columns?: ColumnsFact;
  /** Contacts that were deleted here and that the service may still return: uuid -> epoch milliseconds on its clock. */
  readonly tombstones?: Readonly<Record<string, number>>;
  /** The last plan that was held, for `approve`. */
  readonly held?: HeldFact | null;
  /**
   * G1: by `suspectKey`, what was held because cells had moved, and no run has seen in order since. Left out, and null: nothing. Older
   * states leave it out.
   */
  readonly suspects?: Readonly<Record<string, Value>> | null;
  /** What a run began to do under an approval of a whole plan, until that approval is done with (G2). */
  readonly begun?: BegunApproval | null;
  /** The job is not run by its schedule, by hooks or by the console. An instant `until` that is over ends it. */
  readonly paused?: PauseFact | null;
  /** The last undo that was held, for `approve`. `undoes`: the run that it was to take back (S8). */
  readonly heldUndo?: HeldUndo | null;
  /** Modes of scans whose last one drifted (`incomplete.ts`). */
  readonly drifted?: readonly ('full' | 'incremental')[];
  /** Why no query of the last full scan returned every contact; null: it was whole. */
  readonly limited?: string | null;
  /**
   * The last run that wrote something, committed with its links. An idle run after it found the same (W9). Reports of runs
   * are kept elsewhere (`runs.ts`).
   */
  readonly lastRun?: StoredLastRun;
  /** E6: a person approved the wishes that a new state found. */
  readonly isLedgerTrusted?: boolean;
  /** What the last run found, if it had nothing to do and nothing is open (W18). Every other commit deletes it. */
  readonly quiet?: StoredQuiet;
  /** Added to the epoch of a lease in the sheet: it was written under later leases than this state has counted (H4). */
  readonly epochsBefore?: number;
}

/** Keys of columns, sorted, without those that left the mapping. */
export interface ColumnsFact {
  /** Every column that a run found in the tab, or made there. */
  readonly known: readonly ColumnKey[];
  /** Those of them that the last run did not find. */
  readonly lost: readonly ColumnKey[];
}

/** The name of the fact that says what a run without anything to do found. */
export const quietFact = 'quiet' satisfies keyof Facts;

export interface StoredQuiet {
  /** A digest of the program, the account, the configuration of the job and the last run: with others nothing is known. */
  readonly of: string;
  /** `Snapshot.fingerprint` and `Snapshot.recall` of the tab. */
  readonly fingerprint: string;
  readonly tab: string;
  /** The count of the run. */
  readonly linked: number;
}

export interface HeldFact {
  readonly run: string;
  readonly planned: PlanCounts;
  readonly reasons?: readonly string[];
  /** The records that the plan changes, if they can be approved one by one (G6). */
  readonly records?: readonly HeldRecord[];
  /** What approvals of single records let through since the hold began. It counts for the limits (G6). */
  readonly letThrough?: LetThrough;
  /** A person said no (G7). */
  readonly refused?: Signature;
}

/** `request`: the id of the approval. `changes`: what the limits count, as `countedKeys` says it. */
export interface BegunApproval {
  readonly request: string;
  readonly changes: readonly string[];
}

export interface HeldRecord {
  /** A uuid, or `row:17` for a row without a contact. */
  readonly id: string;
  readonly row: number | null;
  readonly ops: readonly string[];
  /** Of all changes of the record. */
  readonly digest: string;
  /** For people. Left out: an earlier version held the plan, or the values of all records are too many to be stored. */
  readonly changes?: readonly HeldChange[];
}

/** One field that a held plan changes; `field` null: the record as a whole. */
export interface HeldChange {
  readonly side: Side;
  readonly op: string;
  readonly field: string | null;
  /** Null also means not known. */
  readonly before: Value;
  readonly after: Value;
  readonly rule: string;
  readonly reason: string;
}

/** Who decided, when and through what. */
export interface Signature {
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
  readonly through: Through;
}

export interface PauseFact extends Signature {
  /** ISO instant. */
  readonly until?: string;
  readonly reason?: string;
}

export interface HeldUndo extends Pick<HeldFact, 'run' | 'planned' | 'reasons'> {
  readonly undoes: string;
}

export interface StoredLastRun {
  readonly run: string;
  readonly status: RunStatus;
  /** ISO instant. */
  readonly endedAt: string;
  readonly counts: RunCounts;
  /** For a run that was stopped before its whole plan was begun (W8). */
  readonly stopped?: NonNullable<RunReport['stopped']>;
  /** Without values; at most a thousand. */
  readonly problems: readonly StoredProblem[];
}

const signature = { by: text, at: isoInstant, through: z.enum(throughs) };

const heldChange = recordOf<HeldChange>()({
  side: z.enum(['crm', 'sheet']),
  op: text,
  field: text.nullable(),
  before: value,
  after: value,
  rule: text,
  reason: text,
});

const factSchemas: Readonly<Record<keyof Facts, z.ZodType>> = {
  identities: recordOf<Identities>()({ crm: text, sheet: text }),
  fields: z.array(text),
  directions: z.record(text, z.enum(['both', 'to_sheet', 'to_crm'])),
  blanks: z.record(text, z.enum(blankPolicies)),
  watermark: isoInstant,
  unplaced: z.array(text),
  list: recordOf<NonNullable<Facts['list']>>()({ named: text, uuid: text }),
  filter: text,
  tab: text,
  table: recordOf<TableMemory>()({
    columnIndexByKey: z.record(text, count),
  }),
  columns: recordOf<ColumnsFact>()({ known: z.array(text), lost: z.array(text) }),
  tombstones: z.record(text, instantMs),
  held: recordOf<HeldFact>()({
    run: text,
    planned: planCounts,
    reasons: optional(z.array(text)),
    records: optional(
      z.array(
        recordOf<HeldRecord>()({
          id: text,
          row: count.nullable(),
          ops: z.array(text),
          digest: text,
          changes: optional(z.array(heldChange)),
        }),
      ),
    ),
    letThrough: optional(recordOf<LetThrough>()({ counts: planCounts, links: count })),
    refused: optional(recordOf<Signature>()(signature)),
  }).nullable(),
  suspects: z.record(text, value).nullable(),
  begun: recordOf<BegunApproval>()({ request: text, changes: z.array(text) }).nullable(),
  paused: recordOf<PauseFact>()({ ...signature, until: optional(isoInstant), reason: optional(text) }).nullable(),
  heldUndo: recordOf<HeldUndo>()({
    run: text,
    planned: planCounts,
    reasons: optional(z.array(text)),
    undoes: text,
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
  quiet: recordOf<StoredQuiet>()({ of: text, fingerprint: text, tab: text, linked: count }),
  epochsBefore: count,
};

/** Why a fact is not of its type; undefined: it is, or its name is not known. */
export function whyNotFact(name: string, stored: Json): string | undefined {
  return name in factSchemas ? whyNot(factSchemas[name as keyof Facts], stored) : undefined;
}

const seenValues = { seen: optional(z.object({ crm: value, sheet: value })) };
const resolution = z.union([
  z.object({ use: z.enum(['crm', 'sheet']), ...seenValues }),
  z.object({ value, ...seenValues }),
]);

const signed = z.looseObject({ ...signature, text, seen: z.looseObject({}) });
/** A decision that an earlier version recorded has none. */
const origin = optional(signed);

const request = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('resolve'), id: text, resolution, origin }),
  z.looseObject({
    kind: z.literal('retry'),
    id: text,
    isSure: optional(z.literal(true)),
    said: optional(text),
    contents: optional(text),
    origin,
  }),
  z.looseObject({ kind: z.literal('cancel'), id: text, origin: signed }),
  z.looseObject({ kind: z.literal('approve'), run: text, counts: planCounts, undoes: optional(text), origin }),
  z.looseObject({
    kind: z.literal('approve-records'),
    run: text,
    ids: z.array(text),
    digests: z.array(text),
    origin: signed,
  }),
  z.looseObject({ kind: z.literal('refuse'), run: text, origin: signed }),
  z.looseObject({
    kind: z.literal('pause'),
    until: optional(isoInstant),
    reason: optional(text),
    origin: signed,
  }),
  z.looseObject({ kind: z.literal('resume'), origin: signed }),
  z.looseObject({ kind: z.literal('run'), origin: signed }),
]);

export function isRequest(stored: JsonObject): stored is DecisionRequest & JsonObject {
  return whyNotRequest(stored) === undefined;
}

export function whyNotRequest(stored: JsonObject): string | undefined {
  return whyNot(request, stored);
}

/** The first fault, by its place. Never a value, which may be a contact detail. */
export function whyNot(schema: z.ZodType, stored: Json): string | undefined {
  // A fact is read once a run: compiling its schema would take longer.
  const { error } = schema.safeParse(stored, { jitless: true });
  const [issue] = error?.issues ?? [];
  return issue && `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`;
}
