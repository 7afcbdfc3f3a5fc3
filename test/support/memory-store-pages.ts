// Answers the pages of the store in memory (memory-store.ts): history and reports, in the order of the port.
import type {
  HistoryFilter,
  HistoryLine,
  HistoryPage,
  HistoryPageQuery,
  RunPlace,
  RunRecord,
  RunsPage,
  RunsPageQuery,
} from '../../src/state/port.ts';

/** A line with its place: the order of writing over all jobs. */
export interface PlacedLine {
  readonly line: HistoryLine;
  readonly number: number;
}

export function matches(line: HistoryLine, filter: HistoryFilter): boolean {
  const isAny = (wanted: string | readonly string[] | undefined, value: unknown) =>
    wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.includes(String(value)));
  const at = Date.parse(line.time);
  return (
    isAny(filter.sync, line.sync) &&
    isAny(filter.run, line.run) &&
    isAny(filter.contact, line.contact) &&
    isAny(filter.field, line['field']) &&
    isAny(filter.outcome, line['outcome']) &&
    at >= (filter.since ?? -Infinity) &&
    at <= (filter.until ?? Infinity)
  );
}

export function historyPageOf(all: readonly PlacedLine[], query: HistoryPageQuery): HistoryPage {
  const direction = query.newestFirst ? -1 : 1;
  const compare = (a: PlacedLine, b: PlacedLine) =>
    direction *
    (Date.parse(a.line.time) - Date.parse(b.line.time) ||
      compareTexts(a.line.sync, b.line.sync) ||
      a.number - b.number);
  const ordered = all.filter(({ line }) => matches(line, query)).toSorted(compare);
  const after = all.find(({ number }) => String(number) === query.after);
  const found = after ? ordered.filter((each) => compare(each, after) > 0) : ordered;
  const shown = found.slice(0, query.limit);
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    lines: shown.map(({ line }) => line),
    ...(first && { first: String(first.number) }),
    ...(last && found.length > shown.length && { next: String(last.number) }),
  };
}

interface PlacedRun {
  readonly place: RunPlace;
  readonly record: RunRecord;
}

export function placeRuns(job: string, runs: readonly RunRecord[]): readonly PlacedRun[] {
  return runs.map((record, order) => ({ place: { endedAt: record.endedAt, job, order }, record }));
}

function compareRuns({ place: a }: { place: RunPlace }, { place: b }: { place: RunPlace }): number {
  return compareTexts(b.endedAt, a.endedAt) || compareTexts(a.job, b.job) || b.order - a.order;
}

export function runsPageOf(all: readonly PlacedRun[], query: RunsPageQuery): RunsPage {
  const { limit, status, run, after, before } = query;
  const wanted = all
    .filter(({ record }) => (status === undefined || record.status === status) && (run ?? record.run) === record.run)
    .filter((each) => !after || compareRuns(each, { place: after }) > 0)
    .filter((each) => !before || compareRuns(each, { place: before }) < 0)
    .toSorted(compareRuns);
  const shown = before ? wanted.slice(-limit) : wanted.slice(0, limit);
  return { runs: shown, hasMore: wanted.length > limit };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
