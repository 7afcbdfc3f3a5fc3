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
 * A profile is named by its handle, by a URL that ends in it, or by an opaque member id. Host, path before the handle,
 * query, trailing slash, percent-encoding and case do not count; of an opaque id case does, since two people may differ
 * in nothing else.
 */
export function normalHandle(text: string): string {
  const [path = ''] = normalText(text).split(/[?#]/, 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const handle = decoded(segments.at(-1) ?? '').replace(/^@/, '');
  return isOpaqueMemberId(handle) ? handle : handle.normalize('NFC').toLowerCase();
}

/** The network writes them as `ACoAAB…`: base64url, fixed prefix. Nobody chooses such a handle. */
function isOpaqueMemberId(handle: string): boolean {
  return /^AC[A-Za-z][A-Za-z0-9_-]{20,}$/.test(handle);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
