// Finds a secret in a text, also if its special characters were escaped on the way.

/** Characters that no common encoding changes: a secret of these alone has one form. */
const plain = /^[A-Za-z0-9_.~-]+$/;

const named: Readonly<Record<string, string>> = { '"': 'quot', '&': 'amp', '<': 'lt', '>': 'gt', "'": 'apos' };
const short: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

/**
 * The argument of `replaceAll` that finds a secret: the text itself, or an expression. The expression matches each
 * special character plain, in JSON (`\"`, `\u0022`, `\/`, up to three times nested), with percent signs (up to three
 * times), with the space of a form, and in HTML. Every repetition in it is bounded, so that it is linear in the text it
 * searches.
 */
export function secretPattern(secret: string): string | RegExp {
  if (plain.test(secret)) return secret;
  // A run of backslashes is one part: two adjacent parts could divide a longer run in many ways.
  const parts = secret.match(/\\+|[^\\]/gsu) ?? [];
  return new RegExp(parts.map(partPattern).join(''), 'gu');
}

function partPattern(part: string): string {
  if (part.startsWith('\\')) return `(?:${anyOf('\\')}){${part.length},${part.length * 8}}`;
  return plain.test(part) ? literal(part) : `(?:${anyOf(part)})`;
}

function anyOf(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => hex(sign.charCodeAt(at), 4));
  const bytes = [...Buffer.from(sign)].map((byte) => `%(?:25){0,2}${hex(byte, 2)}`);
  const point = sign.codePointAt(0)!;
  const entity = [
    `#0{0,4}${point}`,
    `#[xX]0{0,4}${hex(point, 1)}`,
    ...(named[sign] === undefined ? [] : [named[sign]]),
  ];
  return [
    // A backslash is repeated in its place.
    `${sign === '\\' ? '' : '\\\\{0,7}'}${literal(sign)}`,
    units.map((unit) => `\\\\{1,7}u${unit}`).join(''),
    ...(short[sign] === undefined ? [] : [`\\\\{1,7}${short[sign]}`]),
    bytes.join(''),
    `&(?:amp;)?(?:${entity.join('|')});`,
    ...(sign === ' ' ? ['\\+'] : []),
  ].join('|');
}

/** Upper or lower case. */
function hex(code: number, digits: number): string {
  return code
    .toString(16)
    .padStart(digits, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(sign: string): string {
  return sign.replaceAll(/[/\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
