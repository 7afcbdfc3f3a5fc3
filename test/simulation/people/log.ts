// What people did: the one thing the oracle takes for granted.
import type { FieldName } from '../world/setting.ts';

/** A value that somebody put on a side. */
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
  /** Somebody put something else in its place on the same side. */
  isRetyped: boolean;
}

export interface PersonLog {
  readonly name: string;
  /** People took this person off a side, all rows or contacts there were. */
  readonly deletedIn: Set<'crm' | 'sheet'>;
  /** What people did that leaves it open who is who: a copied row, a duplicate, an ID or a key that was changed. */
  readonly tangles: Set<string>;
  /** Automations ever wished for, and how often. */
  readonly wishes: Map<string, number>;
}

export interface Log {
  readonly people: Map<string, PersonLog>;
  readonly typed: Typed[];
  readonly story: string[];
  /** Header now -> header of the configuration. */
  readonly renamed: Map<string, string>;
  /** A run has ended that knew the columns: who renames a header before, or in that very moment, makes another column of it. */
  areColumnsKnown: boolean;
  /** Whom somebody is about to enter as a contact. */
  entering: string | undefined;
  /** How often somebody let through what was held. */
  approvals: number;
  /** Moves with everything that happens. */
  seq: number;
}

export function createLog(): Log {
  return {
    people: new Map(),
    typed: [],
    story: [],
    renamed: new Map(),
    areColumnsKnown: false,
    entering: undefined,
    approvals: 0,
    seq: 0,
  };
}

export function personLog(log: Log, name: string): PersonLog {
  const known = log.people.get(name);
  if (known) return known;
  const fresh: PersonLog = { name, deletedIn: new Set(), tangles: new Set(), wishes: new Map() };
  log.people.set(name, fresh);
  return fresh;
}
