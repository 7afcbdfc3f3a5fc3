// The meaning of each colour. Every text is styled here; the printer drops the styles where colour is off (colour.ts).
import { styleText } from 'node:util';
import type { RunStatus } from '../../engine/report.ts';

type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** `log/printable.ts` lets the sequences of these styles through, and no other. */
const paint = (style: Style) => (text: string) =>
  text === '' ? '' : styleText(style, text, { validateStream: false });

/** A failure, or a change that takes something away for good. */
export const bad = paint('red');
/** A person has to look or decide. */
export const urgent = paint('yellow');
/** A state that needs no action. */
export const good = paint('green');
/** A command to copy, or advice. */
export const hint = paint('cyan');
/** What supports a statement: a reason, a rule, an instant. */
export const quiet = paint('dim');
/** The name at the head of a paragraph. */
export const strong = paint('bold');

const byStatus: Readonly<Record<string, (text: string) => string>> = {
  succeeded: good,
  partial: urgent,
  held: urgent,
  failed: bad,
} satisfies Readonly<Record<RunStatus, (text: string) => string>>;

/** The state of a run. A word that is none of a run stays plain. */
export function statusWord(status: string): string {
  return byStatus[status]?.(status) ?? status;
}

/** A value as it was and as it becomes. */
export function changeOf(before: string, after: string): string {
  return `${quiet(before)} -> ${good(after)}`;
}
