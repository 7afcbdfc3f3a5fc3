// The result column: what it tells a row about its wishes, and what it proves after a lost state (E6).
import type { ProblemKind } from '../change.ts';
import type { LedgerEntry } from '../record/ledger.ts';
import type { Automation } from '../input.ts';

/** A sentence of the result column. `automation`: its uuid; null: the sentence names none. */
export interface WishResult {
  readonly automation: string | null;
  readonly text: string;
}

/** For a wish whose call was not begun: the run was stopped, or a person changed the row. */
export const notBegun = 'waiting: is tried in the next run';

/** The sentence for the state of a wish. */
export function resultText({ state, at, message }: LedgerEntry, automation: string): string {
  switch (state) {
    case 'enrolled':
      return `enrolled ${new Date(at).toISOString().slice(0, 10)} in ${automation}`;
    case 'skipped':
      return `skipped: already in ${automation}`;
    case 'cancelling':
      return 'cancelling';
    case 'cancelled':
      return `cancelled ${new Date(at).toISOString().slice(0, 10)}: not put into ${automation}`;
    case 'refused':
      return `refused: ${message ?? 'by the service'}`;
    case 'intended':
    case 'unknown':
      return `unknown: look in the service whether ${automation} has it`;
    case 'waiting':
      return message === undefined ? notBegun : `waiting: ${message}`;
  }
}

/**
 * The sentences of a cell. They stand one after the other with `; ` in between, which the name of an automation or the words of the
 * service may have too: a sentence ends only where another one begins.
 */
export function sentencesIn(result: string): readonly string[] {
  return result.split(between);
}

/** The first words of every sentence that a row is told. */
const between =
  /; (?=enrolled \d{4}-\d{2}-\d{2} in |(?:unknown|waiting|refused|vetoed|held|skipped|cancelling): |cancelling(?:;|$)|cancelled \d{4}-\d{2}-\d{2}: )/;

/** Whether leadsheet writes such a text into result cells. */
export function isWishResult(text: string): boolean {
  return between.test(`; ${text}`);
}

/** Sentences about wishes that were not carried out. */
const passing = /^(?:waiting|refused|vetoed|held|cancelled|skipped: already a contact)\b/;

/** The sentences about what was done. undefined: there is no other sentence to drop. */
export function lastingTexts(result: string): readonly string[] | undefined {
  const texts = sentencesIn(result);
  const lasting = texts.filter((text) => !passing.test(text));
  return lasting.length < texts.length ? lasting : undefined;
}

/** The sentences that an automation has the contact, or may have it, with its name. */
export function lastingSentences(result: string): readonly { readonly name: string; readonly text: string }[] {
  return sentencesIn(result).flatMap((text) => {
    const [, enrolled, unknown] = lasting.exec(text) ?? [];
    const name = enrolled ?? unknown;
    return name === undefined ? [] : [{ name, text }];
  });
}

const lasting = /^(?:enrolled \d{4}-\d{2}-\d{2} in (.*)|unknown: look in the service whether (.*) has it)$/s;

/** The text of the problem for a sentence of the result column, which may begin with the kind of the problem. */
export function problemText(kind: ProblemKind, text: string): string {
  return text.startsWith(`${kind}: `) ? `enrolment: ${text.slice(kind.length + 2)}` : `enrolment ${text}`;
}

/** E3: whether the row was told that nobody knows what came of its call. */
export function saysUnknown(result: string | undefined, { name }: Automation): boolean {
  return sentencesIn(result ?? '').includes(resultText({ state: 'unknown', at: 0, run: '' }, name));
}

/** E6: the enrolment that the result column proves although the ledger does not have it. */
export function proofIn(result: string | undefined, { name }: Automation): LedgerEntry | undefined {
  for (const sentence of sentencesIn(result ?? '')) {
    const [, day, where] = /^enrolled (\d{4}-\d{2}-\d{2}) in (.*)$/s.exec(sentence) ?? [];
    const at = Date.parse(`${day}T00:00:00Z`);
    if (where === name && !Number.isNaN(at)) return { state: 'enrolled', at, run: '', name };
  }
  return undefined;
}
