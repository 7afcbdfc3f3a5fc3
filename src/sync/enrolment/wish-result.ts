// The result column: what a row is told about its wishes, and what it proves of an earlier life of the state (E6).
import type { ProblemKind } from '../change.ts';
import type { LedgerEntry } from '../record/ledger.ts';
import type { Automation } from '../input.ts';

/** A sentence of the result column, about one automation; null: about what names none. */
export interface WishResult {
  readonly automation: string | null;
  readonly text: string;
}

/** What the row is told of a wish whose call was not begun: the run was stopped, or a person was quicker. */
export const notBegun = 'waiting: is tried in the next run';

/** The sentence for what has become of a wish. */
export function resultText({ state, at, message }: LedgerEntry, automation: string): string {
  switch (state) {
    case 'enrolled':
      return `enrolled ${new Date(at).toISOString().slice(0, 10)} in ${automation}`;
    case 'skipped':
      return `skipped: already in ${automation}`;
    case 'cancelling':
      return 'cancelling';
    case 'refused':
      return `refused: ${message ?? 'by the service'}`;
    case 'intended':
    case 'unknown':
      return `unknown: look in the service whether ${automation} has it`;
    case 'waiting':
      return message === undefined ? notBegun : `waiting: ${message}`;
  }
}

/** Said of wishes of which nothing came. */
const passing = /^(?:waiting|refused|vetoed|held|skipped: already a contact)\b/;

/** What was done, without what was said of wishes that are no more; undefined where nothing of that kind was said. */
export function lastingTexts(result: string): readonly string[] | undefined {
  const texts = result.split('; ');
  const lasting = texts.filter((text) => !passing.test(text));
  return lasting.length < texts.length ? lasting : undefined;
}

/** Of a sentence of the result column: its first word may be the kind of the problem already. */
export function problemText(kind: ProblemKind, text: string): string {
  return text.startsWith(`${kind}: `) ? `enrolment: ${text.slice(kind.length + 2)}` : `enrolment ${text}`;
}

/** E6: the result column of an earlier life of the state. */
export function proofIn(result: string | undefined, { name }: Automation): LedgerEntry | undefined {
  for (const sentence of (result ?? '').split('; ')) {
    const [, day, where] = /^enrolled (\d{4}-\d{2}-\d{2}) in (.*)$/s.exec(sentence) ?? [];
    const at = Date.parse(`${day}T00:00:00Z`);
    if (where === name && !Number.isNaN(at)) return { state: 'enrolled', at, run: '', name };
  }
  return undefined;
}
