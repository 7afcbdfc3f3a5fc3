// V2: when two texts say the same. Normal forms compare; they are never what is written.

export function isSameText(a: string, b: string): boolean {
  return normalText(a) === normalText(b);
}

export function isSameEmail(a: string, b: string): boolean {
  return normalEmail(a) === normalEmail(b);
}

export function isSameHandle(a: string, b: string): boolean {
  return normalHandle(a) === normalHandle(b);
}

/** Unicode form, outer white space and the kind of line break do not count. */
export function normalText(text: string): string {
  return text.normalize('NFC').replaceAll('\r\n', '\n').trim();
}

export function normalEmail(text: string): string {
  return normalText(text).toLowerCase();
}

/**
 * A profile is named by its handle, by a URL that has it, or by an opaque member id. Host, path before the handle, what
 * follows it (a language, a tab of the profile), query, percent-encoding and case do not count; of an opaque id case does,
 * since two people may differ in nothing else.
 */
export function normalHandle(text: string): string {
  const [path = ''] = normalText(text).split(/[?#]/, 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const handle = decoded(handleIn(segments)).replace(/^@/, '');
  // Addresses of sales tools have more behind the id: `ACoAAB…,NAME_SEARCH,x1`.
  const [id = ''] = handle.split(',', 1);
  return isOpaqueMemberId(id) ? id : handle.normalize('NFC').toLowerCase();
}

/** A number, or an opaque id: it names a profile, and is not what the service shows as its handle. */
export function isMemberId(text: string): boolean {
  const handle = normalHandle(text);
  return /^\d+$/.test(handle) || isOpaqueMemberId(handle);
}

/** What stands right before the handle in addresses of profiles. */
const profileFolders: ReadonlySet<string> = new Set(['in', 'people', 'lead', 'profile']);

function handleIn(segments: readonly string[]): string {
  const folder = segments.findIndex((segment) => profileFolders.has(segment.toLowerCase()));
  const named = folder === -1 ? undefined : segments[folder + 1];
  if (named !== undefined) return named;
  const [before, last = ''] = [segments.at(-2), segments.at(-1)];
  const isHost = before === undefined || before.includes('.') || before.endsWith(':');
  return isLanguage(last) && !isHost ? before : last;
}

/** Public profiles have an address for each language: `/in/ann-lee/de`. No handle is as short. */
function isLanguage(segment: string): boolean {
  return /^[a-z]{2}(?:[-_][a-z]{2,4})?$/i.test(segment);
}

/**
 * The network writes them as `ACoAAB…`: base64url, whose first bytes are the same for all. Nobody chooses such a handle; a
 * long one is known by its first letters alone.
 */
function isOpaqueMemberId(handle: string): boolean {
  return /^AC(?:[a-z]A[A-Za-z0-9_-]+|[A-Za-z][A-Za-z0-9_-]{20,})$/.test(handle);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
