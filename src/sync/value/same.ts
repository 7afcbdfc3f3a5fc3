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

/**
 * M5: whether `stored` is `sent` as a service may have reformatted it: other case, white space, line breaks, invisible
 * characters, quotes, dashes or Unicode form; escaped for HTML; a web address without its scheme; or cut at a length.
 * Letters, digits, marks and symbols stay: "C" is no form of "C++", nor "Jose" of "José".
 */
export function isStoredFormOfText(stored: string, sent: string): boolean {
  const [kept, given] = [plainText(stored), plainText(sent)];
  if (kept === '' || given === '') return false;
  return (
    kept === given ||
    plainText(withoutEntities(stored)) === given ||
    plainAddress(kept) === plainAddress(given) ||
    (kept.length >= cutLengthMin && given.startsWith(kept))
  );
}

/**
 * Text columns of databases begin at about this many characters. A shorter beginning of the text is more likely a value of
 * its own: "Ann" for "Annabel".
 */
const cutLengthMin = 50;

function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201C\u201D]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .toLowerCase();
}

/** Of a text without white space: a service may keep a web address without scheme, `www.` and the last slash. */
function plainAddress(text: string): string {
  return text.includes(' ')
    ? text
    : text
        .replace(/^https?:\/\//, '')
        .replace(/^www\./, '')
        .replace(/\/$/, '');
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

/** What `htmlspecialchars` and its likes write, named or by number. */
function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name.toLowerCase()) ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
