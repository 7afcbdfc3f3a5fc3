import type { FeedRowView } from '../people/feed-acts.ts';
import type { Violation } from '../oracle/evidence.ts';

export interface FeedSeen {
  /** The records of the collection, by uuid. */
  readonly nameById: ReadonlyMap<string, string>;
  readonly rows: readonly FeedRowView[];
  /** Write calls of a run over an unchanged feed. */
  readonly idleWrites: number;
}

/** F1, F5. Once all is quiet each record has one row that shows it, and a further run writes nothing. */
export function feeds({ nameById, rows, idleWrites }: FeedSeen): readonly Violation[] {
  const wrong = [...nameById].flatMap(([uuid, name]) => {
    const own = rows.filter(({ id }) => id === uuid);
    if (own.length === 1 && own[0]!.name === name) return [];
    const found = own.map((row) => `row ${row.number} "${row.name}"`).join(', ') || 'no row';
    return [{ law: 'F1', text: `the list "${name}" (${uuid}) has ${found}` }];
  });
  if (idleWrites === 0) return wrong;
  return [...wrong, { law: 'F5', text: `a run over an unchanged feed made ${idleWrites} write calls` }];
}
