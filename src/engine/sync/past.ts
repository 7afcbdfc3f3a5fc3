// Reads what a run did from its history lines, for an undo (S4, S7).
import type { HistoryLine, Json } from '../../state/port.ts';
import type { PastCreate, PastEnrolment, PastRun, PastWrite } from '../../sync/undo/past.ts';
import type { Reading } from '../../sync/value/value.ts';

/**
 * A write of unknown outcome counts: it is taken back if both sides hold what was written. `nameOf`: the name of an
 * automation, for people.
 */
export function pastOf(lines: readonly HistoryLine[], nameOf: (automation: string) => string): PastRun {
  const writes: PastWrite[] = [];
  const enrolments: PastEnrolment[] = [];
  const created = new Map<string, { create: PastCreate; held: Map<string, Reading> }>();
  const appended = new Map<string, Map<string, Reading>>();
  const [removed, deleted, linked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const line of lines) {
    const { op, contact: uuid, outcome } = line;
    if (outcome !== 'done' && outcome !== 'unknown') continue;
    const isDone = outcome === 'done';
    if (op === 'create' && isDone) noteCreate(line);
    else if (uuid === null) continue;
    else if (op === 'append' && isDone) appended.set(uuid, noted(appended.get(uuid), line));
    else if (op === 'update' || op === 'set') noteWrite(line, uuid);
    else if (op === 'remove' && isDone) removed.add(uuid);
    else if (op === 'delete' && isDone) deleted.add(uuid);
    else if (op === 'enrol' || op === 'cancel') noteEnrolment(enrolmentOf(line, uuid, op));
  }
  return {
    writes,
    enrolments,
    created: [...created.values()].map(({ create, held }) => ({ ...create, held })),
    appended: [...appended].map(([uuid, held]) => ({ uuid, held })),
    removed: [...removed],
    deleted: [...deleted],
    linked: [...linked].filter((uuid) => !created.has(uuid)),
  };

  function noteCreate(line: HistoryLine): void {
    const { contact: uuid, row, is } = line;
    const key = uuid ?? `row ${JSON.stringify(row)}`;
    const kind = is === 'new' || is === 'moved' || is === 'known' ? is : 'unknown';
    const create = {
      uuid,
      row: typeof row === 'number' ? row : null,
      held: new Map<string, Reading>(),
      is: kind,
    } as const;
    created.set(key, { create, held: noted(created.get(key)?.held, line) });
    const enrolled = line['enrolled'];
    if (typeof enrolled === 'string' && uuid !== null)
      noteEnrolment({ uuid, op: 'enrol', automation: nameOf(enrolled) });
  }

  /** L12: each line of a contact that one call made and enrolled says so, and so does a line of its own. */
  function noteEnrolment(made: PastEnrolment): void {
    const { uuid, op, automation } = made;
    const isKnown = enrolments.some((each) => each.uuid === uuid && each.op === op && each.automation === automation);
    if (!isKnown) enrolments.push(made);
  }

  function noteWrite(line: HistoryLine, uuid: string): void {
    const { field, side, after } = line;
    if (typeof field !== 'string') {
      if (line['op'] === 'set') linked.add(uuid);
      return;
    }
    const made = created.get(uuid)?.held ?? appended.get(uuid);
    if (made) noted(made, line);
    const [agreedBefore, written] = [agreedIn(line), readingIn(after)];
    writes.push({ uuid, field, side: side === 'crm' ? 'crm' : 'sheet', agreedBefore, after: written });
  }

  function enrolmentOf({ automation }: HistoryLine, uuid: string, op: PastEnrolment['op']): PastEnrolment {
    return { uuid, op, automation: typeof automation === 'string' ? nameOf(automation) : 'all automations' };
  }
}

function noted(held: Map<string, Reading> | undefined, { field, after }: HistoryLine): Map<string, Reading> {
  const map = held ?? new Map<string, Reading>();
  return typeof field === 'string' ? map.set(field, readingIn(after)) : map;
}

/** `agreed`: an earlier version wrote null also where both sides had never agreed. */
function agreedIn({ base, agreed }: HistoryLine): Reading {
  return base === null && agreed !== true ? undefined : readingIn(base);
}

function readingIn(value: Json | undefined): Reading {
  return typeof value === 'object' && value !== null ? undefined : value;
}
