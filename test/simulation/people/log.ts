// The log of people's acts, which the oracle takes as given.
import { createMessageLog, type MessageLog } from './outbox-acts.ts';
import { createFeedLog, type FeedLog } from './feed-log.ts';
import type { FieldName } from '../world/setting.ts';

/** A value that a person put on a side. */
export interface Typed {
  readonly seq: number;
  /** Epoch milliseconds, true time. */
  readonly at: number;
  readonly side: 'crm' | 'sheet';
  readonly person: string;
  readonly field: FieldName;
  /** '' for an emptied one. */
  readonly text: string;
  /** Undefined for a blank. */
  readonly token: string | undefined;
  /** Another value was put in its place on the same side. */
  isRetyped: boolean;
}

export interface PersonLog {
  readonly name: string;
  /** People removed this person from a side, with all rows or contacts. */
  readonly deletedIn: Set<'crm' | 'sheet'>;
  /** The instant at which people last entered this person again on a side from which they had removed it. */
  readonly enteredAgain: Map<'crm' | 'sheet', number>;
  /** Acts of people that leave the identity open: a copied row, a duplicate, a changed ID or key. */
  readonly tangles: Set<string>;
  /** Automations that were ever wished for, and how often. */
  readonly wishes: Map<string, number>;
}

export interface WishCell {
  readonly seq: number;
  readonly person: string;
  readonly before: string;
  readonly after: string;
}

export interface Log {
  readonly people: Map<string, PersonLog>;
  readonly typed: Typed[];
  readonly story: string[];
  /** New header -> header of the configuration. */
  readonly renamed: Map<string, string>;
  /**
   * A run has ended that knew the columns. A header that is renamed earlier, or in that very moment, becomes another
   * column.
   */
  areColumnsKnown: boolean;
  /** IDs of rows of which a copy was typed over since the last run. */
  readonly typedOver: Set<string>;
  /** The person who is about to be entered as a contact. */
  entering: string | undefined;
  /** How often a person approved a held plan whole. */
  approvals: number;
  /** Those of them that no run can have taken up yet. */
  pendingApprovals: number;
  /** Contacts whose changes in a held plan a person approved one by one (G6), with the kinds of change that they saw. */
  readonly ticked: Map<string, ReadonlySet<string>>;
  /** Each approval of single records: the instant, how many deletions the whole plan had, and whether all of them were ticked. */
  readonly ticks: { readonly seq: number; readonly deletes: number; readonly areAllTicked: boolean }[];
  /** Held plans that a person refused (G7): the run that `approve` names, the instant, and the counts. */
  readonly refusals: { readonly run: string; readonly seq: number; readonly planned: string }[];
  /** Conflicts that a person decided for the values that they saw (M1), by the id of the conflict. */
  readonly resolved: { readonly id: string; readonly crm: string; readonly sheet: string; readonly value: string }[];
  /** Conflicts that a person decided for whatever the sides hold. */
  readonly resolvedUnseen: Set<string>;
  /** Wishes that a person cancelled (E8), where the answer was that no call is made: `UUID/AUTOMATION`, and the instant. */
  readonly cancels: { readonly id: string; readonly seq: number }[];
  /** Instants at which a person moved a contact back into the list. */
  readonly movesBack: number[];
  /** Instants at which a person deleted a contact in the service. */
  readonly contactDeletions: number[];
  /** Instants at which a person changed a wish, or asked for something to be tried again. */
  readonly wishChanges: number[];
  /** Those of them at which a cell showed another wish, or none, at once. */
  readonly wishCells: WishCell[];
  /** The instant at which each run ended that has a report. */
  readonly runEnds: Map<string, number>;
  /** How often a person undid a run. */
  undos: number;
  /** By ID: what a row showed when the last run that went to its end had read it. */
  readonly seen: Map<string, string>;
  /** People whose cells a person moved to other rows, without the IDs, and has not put right yet (G1, I2). */
  readonly misplaced: Set<string>;
  /** When people restored an earlier version of the spreadsheet last; -1: never. */
  restoredAt: number;
  /** The last instant at which a run said of rows that they show others than their IDs say (G1, I2); -1: none did. */
  toldMisplaced: number;
  /** Of cells that a person moved to other rows, some rows were put right, and others not yet. */
  isPartlyRight: boolean;
  /** By ID: the wish that a person covered with merged cells, which dropped it, and when (V3, E5). */
  readonly coveredWishes: Map<string, { readonly wish: string; readonly seq: number }>;
  /** Processes that carry out an undo at the moment. */
  readonly undoing: Set<number>;
  readonly messages: MessageLog;
  readonly feed: FeedLog;
  /** Increases with every event. */
  seq: number;
}

export function createLog(): Log {
  return {
    people: new Map(),
    typed: [],
    story: [],
    renamed: new Map(),
    areColumnsKnown: false,
    typedOver: new Set(),
    entering: undefined,
    approvals: 0,
    pendingApprovals: 0,
    ticked: new Map(),
    ticks: [],
    refusals: [],
    resolved: [],
    resolvedUnseen: new Set(),
    cancels: [],
    movesBack: [],
    contactDeletions: [],
    wishChanges: [],
    wishCells: [],
    runEnds: new Map(),
    undos: 0,
    seen: new Map(),
    misplaced: new Set(),
    restoredAt: -1,
    toldMisplaced: -1,
    isPartlyRight: false,
    coveredWishes: new Map(),
    undoing: new Set(),
    messages: createMessageLog(),
    feed: createFeedLog(),
    seq: 0,
  };
}

export function noteEntered(log: Log, name: string, side: 'crm' | 'sheet'): void {
  const { deletedIn, enteredAgain } = personLog(log, name);
  if (deletedIn.delete(side)) enteredAgain.set(side, log.seq);
}

export function personLog(log: Log, name: string): PersonLog {
  const known = log.people.get(name);
  if (known) return known;
  const fresh: PersonLog = {
    name,
    deletedIn: new Set(),
    enteredAgain: new Map(),
    tangles: new Set(),
    wishes: new Map(),
  };
  log.people.set(name, fresh);
  return fresh;
}

/** What a person typed last into a field of a side. */
export function lastTyped(
  { typed }: Pick<Log, 'typed'>,
  side: Log['typed'][number]['side'],
  person: string | undefined,
  field: FieldName,
): Log['typed'][number] | undefined {
  return typed.findLast((each) => each.side === side && each.person === person && each.field === field);
}

/** The cell of wishes of this person shows another text. */
export function noteWish(log: Log, person: string, before: string, after: string): void {
  const { wishes } = personLog(log, person);
  if (after !== '') wishes.set(after, (wishes.get(after) ?? 0) + 1);
  log.wishChanges.push(log.seq);
  log.wishCells.push({ seq: log.seq, person, before, after });
}
