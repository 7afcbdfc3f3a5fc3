// The life line of a record: changes, decisions, enrolments, messages and open conflicts, the latest first.
import { html } from 'hono/html';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import type { LifeEvent, LifeLine } from '../../../operator/life-line.ts';
import { whyVoid } from '../../../operator/words.ts';
import type { Viewer } from '../access/viewer.ts';
import { empty, type Html, instant, rule, runLink, state, value } from '../html.ts';
import { opWords } from './held.ts';
import { askForUndo } from './undo.ts';
import { scrollTable } from '../tables/scroll.ts';

export interface LifeShown {
  readonly viewer: Viewer;
  readonly now: number;
  /** The address of what was before. */
  readonly earlier: string | undefined;
  /** The jobs whose lines are here, of the uuid. Left out: there is no other job. */
  readonly only?: { readonly jobs: readonly string[]; readonly contact: string };
}

export function lifeView({ events }: LifeLine, { viewer, now, earlier, only }: LifeShown): Html {
  return html`<h2>Life line</h2>
    ${
      only === undefined
        ? ''
        : html`<p>
            Of ${only.jobs.join(', ')}.
            <a href="/log?contact=${encodeURIComponent(only.contact)}&amp;since=90d"
              >What other jobs did is in the log.</a
            >
          </p>`
    }
    ${
      events.length === 0
        ? empty(
            'The history has nothing of this record.',
            'It was linked as it is, or what happened is older than the history.',
          )
        : scrollTable(
            'Life line',
            ['When', 'Job', 'What', 'Field', 'Before', 'After', 'Why', 'Decide'],
            events.map((event) => lifeRow(event, viewer, now)),
          )
    }
    ${earlier === undefined ? '' : html`<p><a href="${earlier}" rel="next">What was before</a></p>`}`;
}

function lifeRow(event: LifeEvent, viewer: Viewer, now: number): Html {
  if (event.kind === 'line') {
    return 'decision' in event.line ? decisionRow(event.line, viewer, now) : changeRow(event.line, viewer, now);
  }
  const { sync, field, crm, sheet, since } = event.conflict;
  return html`<tr>
    <td>${instant(since, now)}</td>
    <td>${sync}</td>
    <td>${state('open')} conflict</td>
    <td>${field}</td>
    <td colspan="3">service ${value(crm, viewer.areDetailsShown)} sheet ${value(sheet, viewer.areDetailsShown)}</td>
    <td><a href="/conflicts?job=${encodeURIComponent(sync)}&amp;field=${encodeURIComponent(field)}">Decide it</a></td>
  </tr>`;
}

function decisionRow(line: DecisionLine, { areDetailsShown }: Viewer, now: number): Html {
  const { time, sync, field, text, decision, by, run, outcome } = line;
  return html`<tr class="decision">
    <td>${instant(time, now)}</td>
    <td>${sync}</td>
    <td>decision${by === null ? '' : ` by ${by}`}</td>
    <td>${field ?? ''}</td>
    <td colspan="2">${areDetailsShown ? (text ?? decision) : decision}</td>
    <td>
      ${outcome === 'void' ? `nothing came of it: ${whyVoid(decision)}` : 'carried out'}${run === '' ? '' : html` by run ${runLink(run)}`}
    </td>
    <td></td>
  </tr>`;
}

/** One value is put back alone. Records that were made or deleted are taken back on the page of their run. */
const undone = new Set(['update', 'set']);

function changeRow(line: ChangeLine, viewer: Viewer, now: number): Html {
  const { time, sync, run, field, before, after, outcome, reason, message, contact, op, state: ledger } = line;
  const { automation_name: automation } = line;
  const what = automation === undefined ? '' : ` ${automation}${ledger === undefined ? '' : ` (${ledger})`}`;
  const canUndo = outcome === 'done' && contact !== null && undone.has(op);
  const meant = { run, ...(contact !== null && { contact }), ...(field !== null && { field }) };
  return html`<tr>
    <td>${instant(time, now)}<br /><small>${runLink(run)}</small></td>
    <td>${sync}</td>
    <td>${opWords(line)}${what}${outcome === 'done' ? '' : html` ${state(outcome)}`}</td>
    <td>${field ?? ''}</td>
    <td>${field === null ? '' : value(before, viewer.areDetailsShown)}</td>
    <td>${field === null ? '' : value(after, viewer.areDetailsShown)}</td>
    <td>${reason}${message === undefined ? '' : `: ${message}`} ${rule(line.rule_words, line.rule)}</td>
    <td>${canUndo && field !== null ? askForUndo(viewer, meant, 'Plan to take it back') : ''}</td>
  </tr>`;
}
