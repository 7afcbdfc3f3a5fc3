/** One recorded request and its answer. */
export interface Interaction {
  readonly cassette: string;
  readonly seq: number;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly requestBody: unknown;
  readonly status: number;
  readonly date: string;
  readonly responseBody: unknown;
}

export interface ReplayedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Ids of Google, with the corresponding ids of the stand-in. */
export type IdPairs = Map<string | number, string | number>;

/** Fields that hold an id chosen by the service. */
export const idKeys: ReadonlySet<string> = new Set([
  'id',
  'spreadsheetId',
  'sheetId',
  'namedRangeId',
  'protectedRangeId',
]);
const timeKeys: ReadonlySet<string> = new Set([
  'createdTime',
  'modifiedTime',
  'createdDate',
  'modifiedDate',
  'modifiedByMeDate',
  'lastViewedByMeDate',
]);
/** Links and tags made of ids; compared as present. `version` counts changes the service makes by itself. */
const opaqueKeys: ReadonlySet<string> = new Set(['etag', 'thumbnailLink', 'embedLink', 'version']);

/** The difference between the recorded answer and ours; undefined: none. */
export function compareAnswers(recorded: Interaction, ours: ReplayedAnswer, pairs: IdPairs): string | undefined {
  if (recorded.status !== ours.status) {
    return `status ${ours.status} instead of ${recorded.status}: ${JSON.stringify(ours.body)}`;
  }
  return compare('', '', recorded.responseBody, ours.body, pairs);
}

function compare(path: string, key: string, theirs: unknown, ours: unknown, pairs: IdPairs): string | undefined {
  if (idKeys.has(key) && isId(theirs) && isId(ours)) return compareIds(path, theirs, ours, pairs);
  if (timeKeys.has(key) && isTime(theirs) && isTime(ours)) return undefined;
  if (opaqueKeys.has(key) && typeof theirs === 'string' && typeof ours === 'string') return undefined;
  if (typeof theirs === 'string' && typeof ours === 'string') {
    return withOurIds(theirs, pairs) === ours ? undefined : difference(path, theirs, ours);
  }
  if (typeof theirs !== 'object' || typeof ours !== 'object' || theirs === null || ours === null) {
    return theirs === ours ? undefined : difference(path, theirs, ours);
  }
  if (Array.isArray(theirs) !== Array.isArray(ours)) return difference(path, theirs, ours);
  const before = theirs as Readonly<Record<string, unknown>>;
  const after = ours as Readonly<Record<string, unknown>>;
  // Ids first: links beside them contain them.
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  for (const name of names.toSorted((a, b) => Number(idKeys.has(b)) - Number(idKeys.has(a)))) {
    const found = compare(`${path}/${name}`, Array.isArray(theirs) ? key : name, before[name], after[name], pairs);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
const isTime = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);

/** The first occurrence of an id sets its counterpart; from then on they have to occur together. */
function compareIds(path: string, theirs: string | number, ours: string | number, pairs: IdPairs): string | undefined {
  const known = pairs.get(theirs);
  if (known === undefined && typeof theirs === typeof ours && ![...pairs.values()].includes(ours)) {
    pairs.set(theirs, ours);
    return undefined;
  }
  return known === ours ? undefined : difference(path, theirs, ours);
}

/** Links contain file ids. */
function withOurIds(text: string, pairs: IdPairs): string {
  let replaced = text;
  for (const [theirs, ours] of pairs) {
    if (typeof theirs === 'string' && theirs.length > 15) replaced = replaced.replaceAll(theirs, String(ours));
  }
  return replaced;
}

function difference(path: string, theirs: unknown, ours: unknown): string {
  return `${path}: ${JSON.stringify(ours) ?? 'absent'} instead of ${JSON.stringify(theirs) ?? 'absent'}`;
}
