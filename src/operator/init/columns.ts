// Proposes which column is which field of a contact, with a confidence and its reason.
import { distance } from 'fastest-levenshtein';
import type { ContactFieldSpec, CrmDescription, Direction } from '../../crm/port.ts';
import { type FoundColumn, isEmailLike } from './headers.ts';
import { normalValue } from './keys.ts';
import { fieldOfHeader, knownWords, normalHeader } from './synonyms.ts';

/** Values of contacts, by field, in one order: the texts that a cell would show. Blank ones are left out. */
export type ContactSamples = ReadonlyMap<string, readonly string[]>;

export type Confidence = 'sure' | 'likely' | 'unsure';

/** The use of a column. `left`: none, it is never read and never written. */
export type ColumnChoice =
  | { readonly kind: 'left' }
  | { readonly kind: 'field'; readonly field: string; readonly direction: Direction }
  | { readonly kind: 'custom'; readonly name: string };

export interface ColumnProposal {
  readonly column: FoundColumn;
  readonly choice: ColumnChoice;
  readonly confidence: Confidence;
  /** For people. */
  readonly reason: string;
  /** The field that it could be, although it is left alone. */
  readonly candidate?: string;
}

/** Three of each side, as a person would compare them. */
export const samplesShown = 3;

interface Guess {
  readonly field: ContactFieldSpec;
  readonly confidence: Confidence;
  readonly reason: string;
  /** The column with the higher weight gets a field that two columns could hold. */
  readonly weight: number;
}

/** Headers of columns of our own, which are no fields. */
const ownHeaders: ReadonlySet<string> = new Set(['contactid', 'sync', 'enrolment', 'automation']);

/** In the order of the tab. Each field, by `writtenAs`, goes to one column. */
export function proposeColumns(
  columns: readonly FoundColumn[],
  contacts: ContactSamples,
  { fields }: Pick<CrmDescription, 'fields'>,
): readonly ColumnProposal[] {
  const guesses = columns.flatMap((column, index) => {
    const guess = column.fault ? undefined : guessField(column, contacts, fields);
    return guess ? [{ index, guess }] : [];
  });
  const taken = new Map<string, number>();
  for (const { index, guess } of guesses.toSorted((a, b) => b.guess.weight - a.guess.weight || a.index - b.index)) {
    if (!taken.has(guess.field.writtenAs)) taken.set(guess.field.writtenAs, index);
  }
  const guessByIndex = new Map(guesses.map(({ index, guess }) => [index, guess]));
  return columns.map((column, index): ColumnProposal => {
    const guess = guessByIndex.get(index);
    if (!guess) return { column, choice: { kind: 'left' }, confidence: 'sure', reason: whyLeft(column) };
    const owner = taken.get(guess.field.writtenAs);
    if (owner !== index) {
      const reason = `column ${columns[owner!]!.letter} has ${guess.field.name} already`;
      return { column, choice: { kind: 'left' }, confidence: 'unsure', reason, candidate: guess.field.name };
    }
    return decide(column, guess, contacts);
  });
}

/** The choice for a column whose field is known, and what speaks against taking it without a person's word. */
function decide(column: FoundColumn, { field, confidence, reason }: Guess, contacts: ContactSamples): ColumnProposal {
  const left = (why: string): ColumnProposal => ({
    column,
    choice: { kind: 'left' },
    confidence: 'unsure',
    reason: why,
    candidate: field.name,
  });
  const direction = directionFor(column, field);
  if (direction === undefined) return left('its cells hold formulas, and the field cannot be sent to the service');
  if (direction === 'to_sheet' && column.texts.length > 0 && !isMostlyKnown(column, field, contacts)) {
    return left(`its values would be replaced by ${field.name} of the service, which cannot be written`);
  }
  if (confidence === 'unsure') return left(reason);
  const formulas = column.formulas > 0 ? '; its formulas are sent and never overwritten' : '';
  const choice = { kind: 'field', field: field.name, direction } as const;
  return { column, choice, confidence, reason: `${reason}${formulas}` };
}

/** A column with formulas goes one way: their cells are never written (V5). Undefined: the field cannot go that way. */
export function directionFor({ formulas }: FoundColumn, { directions }: ContactFieldSpec): Direction | undefined {
  if (formulas === 0) return directions[0];
  return directions.includes('to_crm') ? 'to_crm' : undefined;
}

function whyLeft({ header, fault }: FoundColumn): string {
  if (fault === 'doubled') return 'another column has this header too: rename one of them in the sheet to map it';
  if (fault === 'unfit') return 'a header that no file can name';
  return ownHeaders.has(normalHeader(header)) ? 'a column of leadsheet itself' : 'no field of this name is known';
}

function guessField(
  column: FoundColumn,
  contacts: ContactSamples,
  fields: CrmDescription['fields'],
): Guess | undefined {
  const named = new Set(fields.keys());
  if (ownHeaders.has(normalHeader(column.header))) return undefined;
  const byName = fieldOfHeader(column.header, named);
  if (byName !== undefined) return judgeNamed(column, fields.get(byName)!, contacts);
  const misspelt = nearestField(column.header, named);
  const field = misspelt === undefined ? undefined : fields.get(misspelt)!;
  // A word that is only near means little if the cells hold what no contact has.
  if (field && (column.texts.length === 0 || !contacts.has(field.name) || commonValues(column, field, contacts) > 0)) {
    return { field, confidence: 'likely', weight: 50, reason: `the header looks like a word for ${field.name}` };
  }
  return byContent(column, contacts, fields);
}

/** How sure a known header is, by the cells below it. */
function judgeNamed(column: FoundColumn, field: ContactFieldSpec, contacts: ContactSamples): Guess {
  const reason = `the header means ${field.name}`;
  if (field.kind === 'email' && column.texts.length > 0) {
    const share = column.texts.filter(isEmailLike).length / column.texts.length;
    if (share < 0.5) {
      const why = `the header means ${field.name}, but few cells hold an e-mail address`;
      return { field, confidence: 'unsure', weight: 10, reason: why };
    }
  }
  const common = commonValues(column, field, contacts);
  if (common > 0) {
    return { field, confidence: 'sure', weight: 100 + common, reason: `${reason}; both sides have equal values` };
  }
  return { field, confidence: 'sure', weight: 90, reason };
}

/** Two letters may be wrong or have changed places, one in a word of five, and none in a shorter one. */
function nearestField(header: string, fields: ReadonlySet<string>): string | undefined {
  const word = normalHeader(header);
  if (word.length < 5) return undefined;
  const allowed = word.length < 6 ? 1 : 2;
  const near = [...knownWords(fields)].filter(([known]) => known.length >= 5 && distance(word, known) <= allowed);
  const meant = new Set(near.map(([, field]) => field));
  return meant.size === 1 ? [...meant][0] : undefined;
}

/** A header that says nothing: the cells may. */
function byContent(column: FoundColumn, contacts: ContactSamples, fields: CrmDescription['fields']): Guess | undefined {
  const { texts } = column;
  if (texts.length === 0) return undefined;
  const email = [...fields.values()].find(({ kind, directions }) => kind === 'email' && directions[0] === 'both');
  if (email && texts.filter(isEmailLike).length / texts.length > 0.8) {
    return { field: email, confidence: 'likely', weight: 40, reason: 'its cells hold e-mail addresses' };
  }
  const best = [...fields.values()]
    .map((field) => ({ field, common: commonValues(column, field, contacts) }))
    .reduce((one, other) => (other.common > one.common ? other : one));
  // Fewer values are equal by chance.
  if (best.common < 3 || best.common < new Set(texts).size / 4) return undefined;
  const reason = `${best.common} of its values are ${best.field.name} of contacts`;
  return { field: best.field, confidence: 'likely', weight: 30, reason };
}

/** How many different values of the column some contact has in this field. */
function commonValues({ texts }: FoundColumn, { kind, name }: ContactFieldSpec, contacts: ContactSamples): number {
  const known = new Set((contacts.get(name) ?? []).map((value) => normalValue(kind, value)));
  return new Set(texts.map((text) => normalValue(kind, text)).filter((text) => known.has(text))).size;
}

function isMostlyKnown(column: FoundColumn, field: ContactFieldSpec, contacts: ContactSamples): boolean {
  return commonValues(column, field, contacts) >= new Set(column.texts).size * 0.9;
}

/** For a tab without headers: the columns that most people want. The first run writes the headers. */
export function usualColumns({ fields }: Pick<CrmDescription, 'fields'>): Readonly<Record<string, string>> {
  const usual = {
    'First name': 'first_name',
    'Last name': 'last_name',
    Company: 'company_name',
    Email: 'email',
    Position: 'position',
  };
  return Object.fromEntries(Object.entries(usual).filter(([, field]) => fields.has(field)));
}
