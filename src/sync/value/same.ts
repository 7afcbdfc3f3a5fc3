// When two texts count as the same (V2). Normal forms are compared and never written.

export function isSameText(a: string, b: string): boolean {
  return normalText(a) === normalText(b);
}

export function isSameEmail(a: string, b: string): boolean {
  return normalEmail(a) === normalEmail(b);
}

export function isSameHandle(a: string, b: string): boolean {
  return normalHandle(a) === normalHandle(b);
}

/** The Unicode form, outer white space and the kind of line break do not count. */
export function normalText(text: string): string {
  // Such a text is in the Unicode form, and has no line break.
  if (printableAscii.test(text)) return text.trim();
  return text.normalize('NFC').replaceAll('\r\n', '\n').trim();
}

const printableAscii = /^[\x20-\x7e]*$/;

export function normalEmail(text: string): string {
  return normalText(text).toLowerCase();
}

/**
 * A profile is named by its handle, by a URL that contains it, or by an opaque member id. These do not count: host, path
 * before the handle, path after it (a language, a tab of the profile), query, percent-encoding and case. In an opaque id
 * case counts: two ids may differ in case alone.
 */
export function normalHandle(text: string): string {
  const [path = ''] = normalText(text).split(/[?#]/, 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const handle = decoded(handleIn(segments)).replace(/^@/, '');
  // Sales tools append more to the id: `ACoAAB…,NAME_SEARCH,x1`.
  const [id = ''] = handle.split(',', 1);
  return isOpaqueMemberId(id) ? id : handle.normalize('NFC').toLowerCase();
}

/** A number or an opaque id names a profile. The service does not show it as the handle. */
export function isMemberId(text: string): boolean {
  const handle = normalHandle(text);
  return /^\d+$/.test(handle) || isOpaqueMemberId(handle);
}

/** The path segments that stand before the handle in addresses of profiles. */
const profileFolders: ReadonlySet<string> = new Set(['in', 'people', 'lead', 'profile']);

function handleIn(segments: readonly string[]): string {
  const folder = segments.findIndex((segment) => profileFolders.has(segment.toLowerCase()));
  const named = folder === -1 ? undefined : segments[folder + 1];
  if (named !== undefined) return named;
  const [before, last = ''] = [segments.at(-2), segments.at(-1)];
  const isHost = before === undefined || before.includes('.') || before.endsWith(':');
  return isLanguage(last) && !isHost ? before : last;
}

/** Public profiles have an address for each language: `/in/ann-lee/de`. No handle is as short as a language code. */
function isLanguage(segment: string): boolean {
  return /^[a-z]{2}(?:[-_][a-z]{2,4})?$/i.test(segment);
}

/**
 * The network writes member ids as `ACoAAB…`: base64url whose first bytes are always the same. A person does not choose
 * such a handle. Of a long id the first two letters are enough.
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
 * M5: whether `stored` is `sent` in a form to which a service may change it: another case, white space, line breaks,
 * invisible characters, quotes, dashes or Unicode form; escaped for HTML; a web address without its scheme; or cut at a
 * length. Letters, digits, marks and symbols stay: "C" is no form of "C++", nor "Jose" of "José".
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
 * Text columns of databases have at least about this many characters. A shorter beginning of the text is more likely
 * another value: "Ann" for "Annabel".
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

/** For a text without white space: a service may store a web address without scheme, `www.` and the last slash. */
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

/** Undoes what `htmlspecialchars` and similar functions write, named or by number. */
function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name.toLowerCase()) ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
