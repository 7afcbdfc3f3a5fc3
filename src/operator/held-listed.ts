// Lists what a plan is about that can only be approved whole: missing rows (G1), wishes (E6) and messages (P6, P8), as the held run left them.
import { jobsIn } from '../config/jobs.ts';
import type { Standing } from '../engine/standing.ts';
import { hasRow } from '../sync/guard/guard.ts';
import type { HeldAnswer } from './answers/held.ts';
import type { Operator } from './operator.ts';
import { rowsById } from './rows-by-id.ts';

type Listed = NonNullable<HeldAnswer['listed']>;
type ListedRecord = Listed['records'][number];

/** Null: the plan has records of its own, or the state does not know what it is about. Throws StateError. */
export async function listHeld(
  { config, store }: Pick<Operator, 'config' | 'store'>,
  name: string,
  { lastRun, feedLinks, links, messages, personText, held }: Standing,
): Promise<Listed | null> {
  if (!held || held.records) return null;
  const { enrolments, missing, messages: sends = 0 } = held.planned;
  if (sends > 0 || enrolments > 0) {
    const ids: readonly string[] = sends > 0 ? ['P6', 'P8'] : ['E6'];
    const problems = lastRun?.problems.filter(({ kind, rule }) => kind === 'held' && ids.includes(rule)) ?? [];
    const records = problems.map(({ id: problemId, uuid, row }): ListedRecord => {
      const person = uuid === null ? (messages.get(problemId)?.name ?? null) : personOf(uuid);
      return { id: uuid ?? problemId, row, person };
    });
    // Of wishes that moved to other rows the reason names the rows (G1).
    if (records.length === 0) return null;
    return { what: sends > 0 ? 'messages' : 'enrolments', total: sends > 0 ? sends : enrolments, records };
  }
  if (missing === 0) return null;
  const idByRow = await store.sync(name).readRows();
  if (!idByRow) return null;
  const seen = new Set(idByRow.values());
  const kind = jobsIn(config).find((job) => job.name === name)?.kind;
  // A feed that lists nothing any more has its rows still: they are what would say that their record is gone.
  if (kind === 'feed') {
    const rowById = rowsById(idByRow, lastRun?.problems);
    const known = [...feedLinks].flatMap(([id, { isGone }]) => (isGone || !seen.has(id) ? [] : [id]));
    const records = known.map((id): ListedRecord => ({ id, row: rowById.get(id) ?? null, person: null }));
    return { what: 'missing records', total: missing, records };
  }
  const gone = [...links].flatMap(([id, link]) => (hasRow(link) && !seen.has(id) ? [id] : []));
  // The contacts that a full scan did not find are not stored, only how many they are.
  if (gone.length === 0) return null;
  const records = gone.map((id): ListedRecord => ({ id, row: null, person: personOf(id) }));
  return { what: 'missing rows', total: missing, records };

  function personOf(uuid: string): string | null {
    return links.has(uuid) ? personText(uuid) : null;
  }
}
