// Says what of the configuration does not run, and that a changed file was not taken up.
import { html } from 'hono/html';
import type { StatusAnswer } from '../../operator/answers/status.ts';
import { count, type Html, instant } from './html.ts';

/** More than a person reads; the command names all. */
const linesShown = 10;

type Told = Pick<StatusAnswer, 'left_out' | 'refused_configuration'>;

/** Nothing where the configuration is whole and in force. */
export function leftOutBox({ left_out: leftOut, refused_configuration: refused }: Told, now: number): Html {
  if (leftOut.length === 0 && refused === null) return html``;
  const lines = leftOut.map(({ kind, name, reason, jobs }) => {
    const affected =
      kind === 'job' || jobs.length === 0
        ? ''
        : ` ${count(jobs.length, 'of its jobs does', 'of its jobs do')} not run.`;
    return html`<li>${kind} <strong>${name}</strong> is left out: ${reason}.${affected}</li>`;
  });
  const problems = (refused?.problems ?? []).map((problem) => html`<li>${problem}</li>`);
  const why =
    refused &&
    html`<li>
      The changed file was not taken up ${instant(refused.at, now)}: the old configuration stays in force.
      <ul>
        ${some(problems)}
      </ul>
    </li>`;
  return html`<section class="needs-somebody" aria-label="Configuration">
    <h2>Configuration</h2>
    <ul>
      ${why ?? ''}${some(lines)}
    </ul>
    <p class="quiet">
      It runs again once its fault is corrected in the file and <code>leadsheet reload</code> took it up. All faults:
      <code>leadsheet check</code>.
    </p>
  </section>`;
}

function some(lines: readonly Html[]): readonly Html[] {
  const more = lines.length - linesShown;
  return more > 0 ? [...lines.slice(0, linesShown), html`<li>and ${more} more</li>`] : lines;
}
