// One story as plain data: drawn from a seed, shrunk, or read from a case file.
import type { Trouble } from '../world/member.ts';
import type { Setting } from '../world/setting.ts';

/** An act of a person. `a`, `b` and `c` choose whom and what: thousandths of the available choices. */
export interface Act {
  readonly side: 'crm' | 'sheet';
  readonly what:
    | CrmAct
    | ThemedCrmAct
    | SheetAct
    | ThemedSheetAct
    | HandsAct
    | FeedAct
    | FeedHandsAct
    | OutboxAct
    | OutboxHandsAct;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export const crmActs = [
  'enter',
  'edit',
  'clear',
  'delete',
  'recreate',
  'move out',
  'move back',
  'edit key',
  'swap keys',
  'duplicate',
  'status',
  'long text',
  'old value',
  'turn back',
] as const;
export type CrmAct = (typeof crmActs)[number];

/**
 * Only stories with a theme have them. `enter known`: enters the contact of a row without an ID. `swap profiles`: as
 * `swap keys` with the other key. `type number`: as `edit`, with a text that a spreadsheet takes for a number. `enter away`: as
 * `enter`, in another list. `free key`: a contact of another list gets another address, or is deleted.
 */
export type ThemedCrmAct = 'enter known' | 'swap profiles' | 'type number' | 'enter away' | 'free key';

export const sheetActs = [
  'enter',
  'enter known',
  'edit',
  'clear',
  'delete row',
  'put back',
  'sort',
  'insert row',
  'drag row',
  'copy row',
  'clear ID',
  'clear ID column',
  'break ID',
  'edit key',
  'swap keys',
  'rename header',
  'move column',
  'formula',
  'error value',
  'type over status',
  'old value',
  'turn back',
  'delete all rows',
  'wish',
  'wish cleared',
] as const;
export type SheetAct = (typeof sheetActs)[number];

/** Only stories with a feed have these: in the service, and in the tab of the feed. */
export const feedActs = ['add list', 'rename list', 'type over feed', 'delete feed row', 'sort feed'] as const;
export type FeedAct = (typeof feedActs)[number];

/** Only stories with an outbox have these, in its tab. */
export const outboxActs = [
  'write message',
  'say send',
  'unsay send',
  'edit message',
  'change recipient',
  'sort messages',
  'insert message row',
  'copy message',
  'clear message ID',
  'clear message uuid',
  'delete message',
] as const;
export type OutboxAct = (typeof outboxActs)[number];

/**
 * Only stories about people's hands in the tab of the outbox have these. `sort message cells` and `copy cells over`: what people
 * fill alone, without the ID and what leadsheet wrote. `copy message over`, `cut message`: whole rows, onto another row or below
 * all. `empty message` leaves the ID and what leadsheet wrote; `refill message` types another message into such cells.
 * `paste message state` takes a cell of leadsheet from another row, `type message state` types over one.
 */
export const outboxHandsActs = [
  'sort all messages',
  'sort message cells',
  'cut message',
  'copy message over',
  'copy cells over',
  'empty message',
  'clear message row',
  'refill message',
  'paste message state',
  'type message state',
  'merge messages',
  'unmerge messages',
] as const;
export type OutboxHandsAct = (typeof outboxHandsActs)[number];

/** The same in the tab of the feed. `note beside feed`: in a column that is not mapped. `delete list`: in the service. */
export const feedHandsActs = [
  'note beside feed',
  'sort feed cells',
  'type over feed ID',
  'clear feed ID',
  'type over feed status',
  'clear feed cells',
  'copy feed row',
  'copy feed row over',
  'cut feed row',
  'insert feed row',
  'merge feed',
  'unmerge feed',
  'delete list',
] as const;
export type FeedHandsAct = (typeof feedHandsActs)[number];

/** Acts on one of the rows that have the same ID. */
export const copiedActs = {
  'edit copied': 'edit',
  'edit key copied': 'edit key',
  'delete copied': 'delete row',
  'clear ID copied': 'clear ID',
  'empty copied': 'empty row',
} as const;
export type CopiedAct = keyof typeof copiedActs;

/**
 * Only stories with a theme have these. `swap rows`: each row is cut and pasted to the place of the other, cell by cell.
 * `paste over`: a row is inserted beside another, the other is copied there, and a new person is typed over it. `cut row`:
 * a row is cut and pasted below all others. `empty row`: all its cells but the ID are emptied. `take key`: the address of a contact
 * of another list, or of this one, is typed over that of a row. `enter away`: a row for a contact of another list.
 */
export type ThemedSheetAct =
  | 'swap profiles'
  | 'swap rows'
  | 'paste over'
  | 'cut row'
  | 'empty row'
  | 'take key'
  | 'enter away'
  | CopiedAct;

/**
 * Only stories about people's hands in the sheet have these. The ID and the note stay where they are: `sort cells` sorts the
 * other columns, `shift cells` deletes those cells of a row, and those below move up, `insert cells` inserts blank ones, and those
 * below move down, `cut cells` pastes them below all rows, and `fill cells` drags them down over one to three others. `put cells right`: takes that back, or does what the program advises.
 */
export const movedCellsActs = [
  'sort cells',
  'shift cells',
  'insert cells',
  'cut cells',
  'fill cells',
  'put cells right',
] as const;
export type MovedCellsAct = (typeof movedCellsActs)[number];

/**
 * The same. `type number`: a number, a date, a time or a yes, as the spreadsheet takes what is typed. `type shown`: what the
 * service has, over the cell. `format cell`: another format, and the same number.
 */
export const numberActs = ['type number', 'type shown', 'format cell'] as const;
export type NumberAct = (typeof numberActs)[number];

/** The same. With the cell below or beside it, or with the wish below; `edit merged` types into such cells. */
export const mergeActs = ['merge down', 'merge beside', 'merge wishes', 'edit merged', 'unmerge'] as const;
export type MergeAct = (typeof mergeActs)[number];

/**
 * Only stories about single columns have these: one of the columns of people, or that of the wishes, is sorted or emptied alone, or
 * one cell of it is deleted, so that those below move up. `put column right`: somebody takes that back. `paste list`: other names and
 * addresses are pasted over two to five rows.
 */
export const columnActs = ['sort column', 'shift column', 'empty column', 'paste list', 'put column right'] as const;
export type ColumnAct = (typeof columnActs)[number];

/** Only stories about people's hands in the sheet have these: rows above the headers come and go, until they are where they were. */
export const titleActs = ['insert title', 'delete title', 'put header right'] as const;
export type TitleAct = (typeof titleActs)[number];

export type HandsAct = MovedCellsAct | NumberAct | MergeAct | ColumnAct | TitleAct | 'restore version';

export interface ServiceFault {
  readonly on: 'crm';
  readonly operation?: string;
  readonly kind:
    | 'status'
    | 'blank'
    | 'html'
    | 'lost'
    | 'hang'
    | 'truncated'
    | 'rate_limited'
    | 'error_in_200'
    | 'bad_rows';
  readonly status?: number;
  readonly when: 'before' | 'after';
  readonly times: number;
  /** How many calls pass first. */
  readonly skip: number;
  /** For an error in a 200: with an empty list in place of the rows. */
  readonly beside?: 'no_rows';
  /** Whether a 429 says for how long. */
  readonly isTimed?: boolean;
}

export interface SheetsFault {
  readonly on: 'sheet';
  /** `drive`: the call that asks for hints. */
  readonly target: 'read' | 'write' | 'token' | 'drive';
  readonly effect: 'lost' | 'hang' | 'empty' | 'bare' | 'cut' | 'html' | 'delay' | 429 | 500 | 503 | 401;
  readonly when: 'before' | 'after';
  readonly times: number;
  readonly skip: number;
}

export type Fault = ServiceFault | SheetsFault;

/** A call that fails each time until it heals. `heals`: in the middle of the step; else at its end. */
export type Breakage =
  | {
      readonly on: 'crm';
      readonly operation: string;
      readonly status: number;
      readonly when: 'before' | 'after';
      /** Only calls about one contact, a thousandth of those that are there. */
      readonly of?: number;
      readonly heals: boolean;
    }
  | {
      readonly on: 'sheet';
      readonly target: 'read' | 'write';
      readonly status: number;
      readonly heals: boolean;
    };

export const readNames = [
  'status',
  'jobs',
  'problems',
  'conflicts',
  'runs',
  'last run',
  'log',
  'held',
  'explain',
  'records',
  'enrolments',
  'decisions',
  'life line',
] as const;
export type ReadName = (typeof readNames)[number];

/** Events while leadsheet runs, by the number of the instant: requests, answers and operations of the disk. */
export interface Chaos {
  readonly acts: readonly { readonly at: number; readonly act: Act }[];
  readonly faults: readonly Fault[];
  /** People read, through the operator layer, in a process of their own. `a`: about which contact. */
  readonly reads?: readonly { readonly at: number; readonly what: ReadName; readonly a: number }[];
  /** `stop`: SIGTERM. */
  readonly end?: {
    readonly at: number;
    readonly how: 'kill' | 'power' | 'stop';
    /** `at` counts these alone: calls that send a message, with their answers. */
    readonly of?: 'send';
  };
  /**
   * That operation of the disk, or that read. `refused`: it fails. `done`: it is done, and fails. `dropped`: it fails, and what a
   * sync was to write is lost although later syncs succeed. `read`: one bit is wrong. `unsynced`: syncs do nothing from then on.
   * `astray`: a write goes into another place.
   */
  readonly disk?: {
    readonly at: number;
    readonly how: 'refused' | 'done' | 'dropped' | 'read' | 'unsynced' | 'astray';
  };
  /** From that operation of the disk on it is full. */
  readonly diskFullAt?: number;
}

/**
 * A column leaves the mapping or comes back into it; with `what`, its direction changes, or the match keys do, or a policy of the
 * sync. `turn`: which of the other directions or keys, or which policy.
 */
export interface Remap {
  readonly column: number;
  readonly what?: 'direction' | 'keys' | 'policy';
  readonly turn?: number;
}

/** So long after the one before, a person pauses the sync, resumes it, or asks for a run. */
export interface PauseAct {
  readonly afterMs: number;
  readonly what: 'pause' | 'resume' | 'run now';
  /** `3m`. Left out: until somebody resumes it. */
  readonly lasts?: string;
}

export type Step =
  | { readonly do: 'act'; readonly act: Act }
  | { readonly do: 'pass'; readonly ms: number }
  /** One run; `restart`: in a new process. `both`: two runs at once. `of`: the outbox or the feed alone, not beside the sync. */
  | {
      readonly do: 'run';
      readonly of?: 'outbox' | 'feed';
      /** So many milliseconds after this run the other syncs of the list begin theirs; -1, left out: they do not run. */
      readonly mirrors?: readonly number[];
      readonly isFull: boolean;
      readonly isAsked: boolean;
      readonly restart: boolean;
      readonly both: boolean;
      readonly chaos: Chaos;
    }
  /**
   * The daemon for so long; `both`: two of them. Afterwards it is asked to end. `reload`: in the middle of that time the
   * mapping changes, and it takes the file up.
   */
  | {
      readonly do: 'daemon';
      readonly ms: number;
      readonly both: boolean;
      readonly reload?: Remap;
      readonly chaos: Chaos;
    }
  /** The daemon, with people who pause the sync; it goes on for `afterMs` after the last of them. `both`: two daemons. */
  | {
      readonly do: 'pauses';
      readonly acts: readonly PauseAct[];
      readonly afterMs: number;
      readonly both: boolean;
      readonly chaos: Chaos;
    }
  /** Several workers run the job, one begins `gapMs` after the other; each with what happens to it. Only in a fleet. */
  | {
      readonly do: 'workers';
      readonly workers: readonly (readonly Trouble[])[];
      readonly gapMs: number;
      readonly isFull: boolean;
      readonly chaos: Chaos;
    }
  /**
   * What Drive shows from now on: edits after `lagMs`, edits never (`deaf`), edits again (`hears`). `touch`: the version moves
   * without an edit. `expire`: page tokens are refused.
   */
  | { readonly do: 'drive'; readonly how: 'lag' | 'deaf' | 'hears' | 'touch' | 'expire'; readonly lagMs: number }
  | { readonly do: 'set clock'; readonly byMs: number }
  | { readonly do: 'back up' }
  | { readonly do: 'restore' }
  | { readonly do: 'lose state' }
  /** Damages one byte of a file of the state. */
  | { readonly do: 'damage'; readonly a: number; readonly b: number }
  /** The mapping changes between two runs. */
  | ({ readonly do: 'map' } & Remap)
  /**
   * A person undoes a run that wrote something: the last one if `which` is below 700, else any. `part`: of one contact, or
   * of one field, which `a` chooses.
   */
  | {
      readonly do: 'undo';
      readonly which: number;
      readonly part: 'all' | 'contact' | 'field';
      readonly a: number;
      readonly deletesCreated: boolean;
      readonly chaos: Chaos;
    }
  /** A person decides: about a conflict, a held plan, or a record that was given up. */
  | { readonly do: 'decide'; readonly what: 'resolve' | 'approve' | 'refuse' | 'retry'; readonly a: number }
  /**
   * Through the operator layer. `look`: a person looks at the open conflicts. `resolve seen`: decides one of those that were
   * looked at last, by its values. `cancel`: takes back a wish that waits.
   */
  | { readonly do: 'decide'; readonly what: 'look' | 'resolve seen' | 'cancel'; readonly a: number }
  /**
   * Through the operator layer, about a message: a person has one sent again that was sent or may have been, takes one back
   * that waits, or approves those that a new state holds.
   */
  | { readonly do: 'message'; readonly what: 'retry' | 'cancel' | 'approve'; readonly a: number }
  /**
   * Calls fail for good while people act, two runs pass, and some calls heal. Four runs later, what does not need the
   * others has gone on (L14). `restart`: these four are of a new process.
   */
  | {
      readonly do: 'heal';
      /** Half of them before the first run, half before the second. */
      readonly acts: readonly Act[];
      readonly broken: readonly Breakage[];
      readonly restart: boolean;
    }
  /**
   * Everything is quiet for a while, and the laws must hold. `isFull: false`: without a full scan, while no record is gone.
   * `isApart`: each run is of a new process. `goesOn`: the process that is there goes on; left out, a new one begins.
   */
  | { readonly do: 'quiet'; readonly isFull?: false; readonly isApart?: true; readonly goesOn?: true };

export interface Scenario {
  readonly seed: number;
  readonly setting: Setting;
  readonly steps: readonly Step[];
}
