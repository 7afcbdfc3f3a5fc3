// CellFormat, SheetProperties and other places with colours: the form in which Google stores them.
import { type Json, type JsonObject, isJsonObject } from './json.ts';

/** A colour as the API answers it: channels of 8 bits as 32-bit numbers, those that are 0 left out (recorded). */
function normaliseColor(color: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(color).flatMap(([channel, value]) => {
      const number = typeof value === 'number' ? float32(Math.floor(value * 255 + 1e-6) / 255) : 0;
      return number === 0 ? [] : [[channel, number]];
    }),
  );
}

/** The shortest decimal that is the same 32-bit number. */
function float32(value: number): number {
  const wanted = Math.fround(value);
  for (let digits = 1; digits <= 9; digits += 1) {
    const short = Number(wanted.toPrecision(digits));
    if (Math.fround(short) === wanted) return short;
  }
  return wanted;
}

/** Fields that hold a colour, in addition to those that end in `Style` and wrap one. */
const colorFields: ReadonlySet<string> = new Set(['backgroundColor', 'foregroundColor', 'tabColor', 'color']);

/** A message with each colour in both its spellings (`backgroundColor` and `backgroundColorStyle`), normalised. */
export function normaliseColors(sent: JsonObject): JsonObject {
  const stored: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(sent)) {
    const field = key.endsWith('Style') ? key.slice(0, -'Style'.length) : key;
    if (!isJsonObject(value)) stored[key] = value;
    else if (!colorFields.has(field)) stored[key] = normaliseColors(value);
    else Object.assign(stored, bothSpellings(field, key, value));
  }
  return stored;
}

function bothSpellings(field: string, key: string, value: JsonObject): JsonObject {
  const color = key === field ? value : value['rgbColor'];
  if (!isJsonObject(color)) return Object.keys(value).length > 0 ? { [key]: value } : {};
  const normalised = normaliseColor(color);
  return { [field]: normalised, [`${field}Style`]: { rgbColor: normalised } };
}
