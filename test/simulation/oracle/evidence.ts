// The evidence that laws judge. They read nothing else.
import type { Problem } from '../../../src/sync/change.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { HistoryLine } from '../../../src/state/port.ts';
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Log } from '../people/log.ts';
import type { Direction, FieldName, Setting } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';

export type Side = 'crm' | 'sheet';

/** leadsheet wrote a value. */
export interface Write {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  /** The person of the record; undefined if it is unknown. */
  readonly person: string | undefined;
  readonly field: FieldName;
  readonly before: string;
  readonly after: string;
  /** A person had typed the overwritten value, and it was the last typed one. */
  readonly isTyped: boolean;
  /** Both sides had held the overwritten value at once. */
  readonly wasAgreed: boolean;
  /**
   * The record was read again in this run. The overwritten value was typed after that reading, or was not shown yet: no
   * answer with it had reached this process.
   */
  readonly isUnseen: boolean;
  /** The other side of this person had held `after`, to the letter. */
  readonly isOfOtherSide: boolean;
  /** This side of this person had held it. */
  readonly isOfThisSide: boolean;
  readonly wasFormula: boolean;
  /** Epoch milliseconds of true time, as all instants here. */
  readonly at: number;
  /** When the overwritten value was typed. */
  readonly typedAt: number | undefined;
  /** When any answer of that side first showed the overwritten value to leadsheet. */
  readonly shownAt: number | undefined;
  /** When the contact was last changed, before this write. */
  readonly contactChangedAt: number | undefined;
  /** Two rows had the contact's ID when the run began; one of them equalled the contact, and no person typed since. */
  readonly isOfCopy: boolean;
  /** The field was blank because a person had emptied it. */
  readonly isCleared: boolean;
  /** The other side still has the agreed value of the last good run: it was not edited, and there is no conflict. */
  readonly isOtherUnchanged: boolean;
  /** Of the column, at that moment. */
  readonly direction: Direction;
  /** The column was not in the mapping when the run began, nor when it wrote. */
  readonly isUnmapped: boolean;
  /** An undo wrote it. */
  readonly isUndo: boolean;
}

/** leadsheet created a contact or a row. */
export interface Addition {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  readonly person: string | undefined;
  /** Other records of the same person or ID that leadsheet could know of. */
  readonly twins: readonly string[];
  /** An undo made it anew. */
  readonly isUndo: boolean;
}

/** leadsheet removed a contact or a row. */
export interface Removal {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  readonly person: string | undefined;
  /** A person had removed the same person from the other side. */
  readonly isWanted: boolean;
  /** The same person was on the other side when the run began, and still is, by whatever ID or key. */
  readonly isOtherThere: boolean;
  /** The other side had this ID when the run began, and still has it: a contact in any list, or a row. */
  readonly isIdThere: boolean;
  /** An undo removed it. */
  readonly isUndo: boolean;
  /** Of a contact: when the service carried out the deletion that it had accepted at `seq`. Of a row the same as `seq`. */
  readonly goneSeq: number;
  /** Of a row: people restored an earlier version after the look right before it was removed, so that another row stood there. */
  readonly isUnderRestored: boolean;
  /** The values of the record that both sides had agreed on: `field text`. */
  readonly agreed: ReadonlySet<string>;
  /** The values of the record that a person typed after the look right before it was removed: `field text`. */
  readonly unseen: ReadonlySet<string>;
  /** The values that a person had typed into the record, that were never agreed on, and that leadsheet had been shown. */
  readonly edited: readonly { readonly field: FieldName; readonly text: string }[];
}

/** leadsheet wrote an ID into a row. */
export interface Naming {
  readonly seq: number;
  readonly uuid: string;
  readonly owner: string | undefined;
  /** Another row had it when the run began, and still has it. */
  readonly isTaken: boolean;
  readonly person: string | undefined;
}

export interface Enrolment {
  readonly seq: number;
  readonly uuid: string;
  /** Its uuid. */
  readonly automation: string;
  readonly name: string;
  readonly person: string | undefined;
  readonly at: number;
  /** The contact was vetoed when the run began, and the service had shown that for long. */
  readonly wasVetoed: boolean;
}

export interface Cancel {
  readonly seq: number;
  readonly pid: number;
  readonly uuid: string;
  /** Its name. */
  readonly automation: string;
}

/** A run as an observer saw it when it began. */
export interface RunView {
  readonly run: string;
  readonly seq: number;
  readonly pid: number;
  readonly rows: number;
  /** As a search shows them: not none while it lags behind those who left. */
  readonly contactsHere: number;
  /** Contacts that had a row when the last good run ended. */
  readonly linked: number;
  /** IDs that any row ever had or was to get: no state can know of more people. */
  readonly everLinked: number;
  /** A person had approved a plan before. */
  readonly isApproved: boolean;
}

/** Both sides, and leadsheet's view of them, while nothing happens. */
export interface Quiet {
  readonly contacts: readonly ContactRecord[];
  readonly rows: readonly RowView[];
  readonly isInScope: (contact: ContactRecord) => boolean;
  /** The report of the last run before. */
  readonly report: RunReport;
  readonly problems: readonly Problem[];
  /** A guard holds everything for good: only the hold itself is expected. */
  readonly isHeld: boolean;
  /** What the three following runs wrote, in words. */
  readonly idleWrites: readonly string[];
  readonly idleReports: readonly RunReport[];
  /** uuid -> field -> value, from the state. */
  readonly agreed: ReadonlyMap<string, ReadonlyMap<FieldName, string | null | undefined>>;
  readonly standingByUuid: ReadonlyMap<string, string>;
  readonly openNotes: readonly { readonly key: string; readonly isTold: boolean }[];
  /** Marks in the sheet that are not anchors of columns. */
  readonly leftovers: readonly string[];
  /** The plan over the same readings, made twice from pages of different sizes. */
  readonly plans: readonly [readonly unknown[], readonly unknown[]] | undefined;
}

export interface Evidence {
  /** As the configuration is at the end. */
  readonly setting: Setting;
  /** Each that was in force so far: policies change between runs. */
  readonly policies: readonly Setting[];
  /** Fields that are mapped at the moment. */
  readonly mapped: ReadonlySet<FieldName>;
  /** Every direction that the column had so far. */
  readonly directions: (field: FieldName) => ReadonlySet<Direction>;
  readonly log: Log;
  readonly ownerOf: (uuid: string) => string | undefined;
  /** The person of a row, also without an ID: by its note, else by what it showed when it had an ID, or by its key. */
  readonly personOf: (row: RowView) => string | undefined;
  readonly writes: readonly Write[];
  readonly additions: readonly Addition[];
  readonly removals: readonly Removal[];
  readonly namings: readonly Naming[];
  readonly enrolments: readonly Enrolment[];
  /** Calls that took somebody out of an automation whose wish stood in a cell that had been covered before the run. */
  readonly cancelledCovered: readonly { readonly person: string | undefined; readonly automation: string }[];
  /** Calls that took somebody out of an automation whose row was there, with its ID. */
  readonly cellCancels: readonly Cancel[];
  readonly runs: readonly RunView[];
  /** Cells and tabs that are not leadsheet's, and that leadsheet changed. */
  readonly foreign: readonly string[];
  readonly reports: readonly RunReport[];
  readonly history: readonly HistoryLine[];
  /** Every value that either side ever held: side, person, field -> texts. */
  readonly held: (side: Side, person: string, field: FieldName) => ReadonlySet<string>;
  /** The state was replaced by an older one, lost or damaged: its content is not expected. */
  readonly isStateTampered: boolean;
  readonly wasKilled: boolean;
  readonly quiet: Quiet;
}

/** A broken law, told as the story of the record. */
export interface Violation {
  readonly law: string;
  readonly text: string;
}

export type Law = (evidence: Evidence) => readonly Violation[];
