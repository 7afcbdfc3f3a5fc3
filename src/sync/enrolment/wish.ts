// Reads the text of an automation cell (E1).
import { normalText } from '../value/same.ts';
import type { Automation } from '../input.ts';

export interface ReadWish {
  readonly automations: readonly Automation[];
  readonly unknown: readonly UnknownWish[];
}

export interface UnknownWish {
  readonly text: string;
  readonly reason: string;
  /** It has names of automations, with something else than commas between them. */
  readonly isList?: true;
}

/** Reads each text once: a hundred thousand rows name a few automations. */
export function readerOf(automations: readonly Automation[]): (text: string) => ReadWish {
  const known = new Map<string, ReadWish>();
  return (text) => {
    const read = known.get(text) ?? readWish(text, automations);
    known.set(text, read);
    return read;
  };
}

/**
 * Reads names or uuids, separated by commas. A name that contains commas is found too. Two automations with the same name
 * can be named by uuid only. `former`: automations by the names that a contact knows them by, which come first.
 */
export function readWish(
  text: string,
  automations: readonly Automation[],
  former: readonly Automation[] = [],
): ReadWish {
  const found: Automation[] = [];
  const unknown: UnknownWish[] = [];
  const parts = text.split(',');
  for (let start = 0; start < parts.length;) {
    // The longest name first: what follows a comma may belong to it.
    let end = parts.length;
    while (end > start + 1 && hitsOf(parts.slice(start, end).join(','), automations, former).length === 0) end -= 1;
    const part = normalText(parts.slice(start, end).join(','));
    start = end;
    if (part === '') continue;
    const hits = hitsOf(part, automations, former);
    if (hits.length === 1) {
      if (!found.some(({ uuid }) => uuid === hits[0]!.uuid)) found.push(hits[0]!);
    } else {
      const reason = hits.length > 1 ? 'several automations have this name, write the uuid' : 'no such automation';
      const isList = hits.length === 0 && isOtherList(part, automations, former);
      unknown.push({ text: part, reason, ...(isList && { isList: true as const }) });
    }
  }
  return { automations: found, unknown };
}

/** Several names, separated as people also do. They are not taken for names: an automation may have such a character in its own. */
function isOtherList(text: string, automations: readonly Automation[], former: readonly Automation[]): boolean {
  const parts = text.split(/[;\n]/).filter((part) => normalText(part) !== '');
  return parts.length > 1 && parts.every((part) => hitsOf(part, automations, former).length > 0);
}

function hitsOf(
  text: string,
  automations: readonly Automation[],
  former: readonly Automation[],
): readonly Automation[] {
  const wanted = normalText(text).toLowerCase();
  const isNamed = ({ name }: Automation) => normalText(name).toLowerCase() === wanted;
  const hits = [automations.filter(({ uuid }) => uuid === wanted), former.filter(isNamed), automations.filter(isNamed)];
  return hits.find(({ length }) => length > 0) ?? former.filter(({ uuid }) => uuid === wanted);
}
