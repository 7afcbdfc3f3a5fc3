// Whether a search shows a contact as it was before a lookup showed it (I8). A search lags, and a lookup does not.
import { lastSeen, type Link } from './base.ts';
import { isSame } from '../value/kinds.ts';
import { isReadFromCrm, type Mapping } from './mapping.ts';
import { type ContactRecord, type Packed, unpack } from './record.ts';

/**
 * For how long after an edit a search may still show the contact as it was before. Searches were seen to lag by half a
 * minute. It stays below the ten minutes by which scans for changes overlap, so that a reading that was left out is read
 * again. After it any reading counts: a service may set its dates back.
 */
const lagMaxMs = 5 * 60_000;

/** Dates of one second do not tell two readings apart. After four times the lag that was seen, the search has caught up. */
const sameSecondMs = 2 * 60_000;

/** Whether a search may still lag behind an edit of that instant. */
function isRecent(at: number, now: number): boolean {
  return Math.abs(now - at) < lagMaxMs;
}

/** Whether the service dates the reading earlier than what a lookup showed. Without a date it counts. */
export function isBeforeShown(
  { shownAt }: Pick<Link, 'shownAt'>,
  { updatedAt }: { readonly updatedAt?: number | undefined },
  now: number,
): boolean {
  return shownAt !== undefined && updatedAt !== undefined && updatedAt < shownAt && isRecent(shownAt, now);
}

/** Whether the reading has the same second as what a lookup showed, and other values: either may be the later one. */
export function isOfSameSecond({ fields }: Mapping, link: Link, contact: ContactRecord, now: number): boolean {
  const { shownAt } = link;
  if (shownAt === undefined || shownAt !== contact.updatedAt || Math.abs(now - shownAt) >= sameSecondMs) return false;
  return differs(fields, lastSeen(link, 'crm'), contact.values);
}

function differs(fields: Mapping['fields'], before: Packed, now: Packed): boolean {
  if (before === now) return false;
  const [known, read] = [unpack(before), unpack(now)];
  return fields.some((field, index) => {
    const [a, b] = [known[index], read[index]];
    return isReadFromCrm(field) && a !== undefined && b !== undefined && !isSame(field.kind, a, b);
  });
}

/**
 * The link of a contact that a lookup showed. If the link holds other values than the lookup showed, readings of the same
 * second count: they may be what the lookup showed. So they do if the link held these values `before` the run: what differs
 * from them is later.
 */
export function withShown(link: Link, before: Link | undefined, shown: ContactRecord, now: number): Link {
  const { updatedAt, values } = shown;
  if (updatedAt === undefined || !isRecent(updatedAt, now)) return link;
  const isNews = lastSeen(link, 'crm') === values && (!before || lastSeen(before, 'crm') !== values);
  const shownAt = isNews ? updatedAt : updatedAt - 1;
  // With our own write at this instant or later, `writtenAt` says as much.
  const isTold = updatedAt <= (link.writtenAt ?? -Infinity) || shownAt <= (link.shownAt ?? -Infinity);
  return isTold ? link : { ...link, shownAt };
}
