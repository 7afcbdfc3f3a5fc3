// Decisions of people, of all jobs: who decided what, when, through what, and what they saw.
import { readRequests } from '../engine/standing.ts';
import type { DecisionsPageAnswer } from './answers/audit.ts';
import type { DecisionLine } from './answers/history.ts';
import { decisionToAnswer } from './decide.ts';
import { tellsOf } from './decided.ts';
import { lineToAnswer } from './history.ts';
import type { Operator } from './operator.ts';
import { cursorOf, type PageQuery, placeIn } from './paging.ts';
import { jobsOf } from './select.ts';

export interface DecisionFilter {
  /** The person, as recorded, in any case. */
  readonly by?: string | undefined;
}

/** Readings for one page of a person who decided little. More would take long; the cursor goes on from there. */
const readingsMax = 20;

/**
 * One page, the latest first. A page of one person may have fewer lines than wanted, also none, and still a next one. Throws
 * OperatorError if the cursor is not one of this list, and StateError.
 */
export async function readDecisionsPage(
  operator: Operator,
  { by }: DecisionFilter,
  { limit, after }: PageQuery,
): Promise<DecisionsPageAnswer> {
  const isMeant = (decision: { readonly by: string | null }) =>
    by === undefined || decision.by?.toLowerCase() === by.toLowerCase();
  // A run that takes a decision up writes its line first, and then takes it from those that wait: read in the other order, a decision
  // that is taken up meanwhile would be in neither list.
  const waiting = after === undefined ? (await readWaiting(operator)).filter(isMeant) : [];
  const isWaiting = (line: DecisionLine) => waiting.some((each) => each.sync === line.sync && tellsOf(line, each));
  const decisions: DecisionLine[] = [];
  const [first] = placeIn('decisions', after) ?? [];
  let place = typeof first === 'string' ? first : undefined;
  for (let readings = 0; readings < readingsMax; readings += 1) {
    const { lines, next } = await operator.store.historyPage({
      outcome: ['taken', 'void'],
      newestFirst: true,
      limit: limit - decisions.length,
      ...(place !== undefined && { after: place }),
    });
    for (const line of lines.map(lineToAnswer)) {
      if ('decision' in line && isMeant(line) && !isWaiting(line)) decisions.push(line);
    }
    place = next;
    if (place === undefined || decisions.length >= limit) break;
  }
  return { waiting, decisions, next: place === undefined ? null : cursorOf('decisions', [place]) };
}

async function readWaiting({ config, store }: Operator): Promise<DecisionsPageAnswer['waiting']> {
  const waiting: DecisionsPageAnswer['waiting'] = [];
  const names = jobsOf(config).map(({ name }) => name);
  for (const [sync, requests] of await readRequests(store, names)) {
    waiting.push(...requests.map((request) => ({ sync, ...decisionToAnswer(request) })));
  }
  return waiting.toSorted((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
}
