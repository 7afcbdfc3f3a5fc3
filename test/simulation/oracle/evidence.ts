// What is known of a simulation when it is judged. Laws read this, and nothing else.
import type { Problem } from '../../../src/sync/change.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { HistoryLine } from '../../../src/state/port.ts';
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Log } from '../people/log.ts';
import type { FieldName, Setting } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';

export type Side = 'crm' | 'sheet';

/** leadsheet put a value somewhere. */
export interface Write {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  /** Whose record it went into; undefined where nobody can tell. */
  readonly person: string | undefined;
  readonly field: FieldName;
  readonly before: string;
  readonly after: string;
  /** What was there had been typed there by a person, and is still the last that was. */
  readonly isTyped: boolean;
  /** Both sides had held it at once. */
  readonly wasAgreed: boolean;
  /**
   * The record was looked at again in this very run, and what was there was typed after that look, or was not shown yet: no
   * answer that showed it had reached this process.
   */
  readonly isUnseen: boolean;
  /** The other side of this person had held `after`, to the letter. */
  readonly isOfOtherSide: boolean;
  /** This side of this person had held it. */
  readonly isOfThisSide: boolean;
  readonly wasFormula: boolean;
  /** When, in epoch milliseconds of true time, as all instants here. */
  readonly at: number;
  /** When what was there was typed. */
  readonly typedAt: number | undefined;
  /** When what was there was first shown to leadsheet, in any answer of that side. */
  readonly shownAt: number | undefined;
  /** When the contact was last changed by anybody, before this write. */
  readonly contactChangedAt: number | undefined;
  /** Two rows had the contact's ID when the run began; one of them said what the contact says, and nobody typed since. */
  readonly isOfCopy: boolean;
  /** It was blank, and a person had emptied it. */
  readonly isCleared: boolean;
  /** The other side still says what both said when a run last ended well: it was not edited, and there is no conflict. */
  readonly isOtherUnchanged: boolean;
}

/** leadsheet made a contact or a row. */
export interface Addition {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  readonly person: string | undefined;
  /** Others of the same person, or of the same ID, that leadsheet could know of. */
  readonly twins: readonly string[];
}

/** leadsheet took a contact or a row away. */
export interface Removal {
  readonly seq: number;
  readonly pid: number;
  readonly side: Side;
  readonly uuid: string;
  readonly person: string | undefined;
  /** Somebody had taken the same person off the other side. */
  readonly isWanted: boolean;
  /** The same person was on the other side when the run began, and still is, whatever ID or key says so. */
  readonly isOtherThere: boolean;
  /** The other side had the very ID when the run began, and still has: a contact in whatever list, or a row. */
  readonly isIdThere: boolean;
  /** What went with it that both sides had agreed upon: `field text`. */
  readonly agreed: ReadonlySet<string>;
  /** What went with it that a person had typed there, both sides had never agreed upon, and leadsheet had been shown. */
  readonly edited: readonly { readonly field: FieldName; readonly text: string }[];
}

/** leadsheet wrote an ID into a row. */
export interface Naming {
  readonly seq: number;
  readonly uuid: string;
  readonly owner: string | undefined;
  /** Another row had it when the run began, and still has. */
  readonly isTaken: boolean;
  readonly person: string | undefined;
}

export interface Enrolment {
  readonly seq: number;
  readonly uuid: string;
  readonly automation: string;
  readonly person: string | undefined;
  readonly at: number;
  /** It was vetoed when the run began, and the service had shown it for long by then. */
  readonly wasVetoed: boolean;
}

/** A run as it looked from outside when it began. */
export interface RunView {
  readonly seq: number;
  readonly pid: number;
  readonly rows: number;
  readonly contactsHere: number;
  /** Contacts that had a row when the last run ended well. */
  readonly linked: number;
  /** IDs that any row ever had, or was to get: no state can know of more people. */
  readonly everLinked: number;
  /** Somebody had let something through before. */
  readonly isApproved: boolean;
}

/** Both sides, and what leadsheet makes of them, while nothing happens. */
export interface Quiet {
  readonly contacts: readonly ContactRecord[];
  readonly rows: readonly RowView[];
  readonly listUuid: string | undefined;
  /** Of the last run before. */
  readonly report: RunReport;
  readonly problems: readonly Problem[];
  /** A guard holds everything, for good: nothing is to be expected but that it says so. */
  readonly isHeld: boolean;
  /** Of the three runs that followed: what they wrote, in words. */
  readonly idleWrites: readonly string[];
  readonly idleReports: readonly RunReport[];
  /** uuid -> field -> value, as the state has it. */
  readonly agreed: ReadonlyMap<string, ReadonlyMap<FieldName, string | null | undefined>>;
  readonly standingByUuid: ReadonlyMap<string, string>;
  readonly openNotes: readonly string[];
  /** Marks in the sheet that are not anchors of columns. */
  readonly leftovers: readonly string[];
  /** The plan over the same readings, made twice from pages of different sizes. */
  readonly plans: readonly [readonly unknown[], readonly unknown[]] | undefined;
}

export interface Evidence {
  readonly setting: Setting;
  /** Fields that are mapped at the moment. */
  readonly mapped: ReadonlySet<FieldName>;
  readonly log: Log;
  readonly ownerOf: (uuid: string) => string | undefined;
  /** Whose a row is, also one that lost its ID: by its note, else by what it showed when it had one, or by its key. */
  readonly personOf: (row: RowView) => string | undefined;
  readonly writes: readonly Write[];
  readonly additions: readonly Addition[];
  readonly removals: readonly Removal[];
  readonly namings: readonly Naming[];
  readonly enrolments: readonly Enrolment[];
  readonly runs: readonly RunView[];
  /** Cells and tabs that are none of leadsheet's business, and were changed by it. */
  readonly foreign: readonly string[];
  readonly reports: readonly RunReport[];
  readonly history: readonly HistoryLine[];
  /** Everything that either side ever held: side, person, field -> texts. */
  readonly held: (side: Side, person: string, field: FieldName) => ReadonlySet<string>;
  /** The state was replaced by an older one, lost or damaged: what was noted in it is not to be asked for. */
  readonly isStateTampered: boolean;
  readonly wasKilled: boolean;
  readonly quiet: Quiet;
}

/** What is wrong, told as the story of the record concerned. */
export interface Violation {
  readonly law: string;
  readonly text: string;
}

export type Law = (evidence: Evidence) => readonly Violation[];
