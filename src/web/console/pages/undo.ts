// The undo of a run: how to have it planned, the plan, the button that carries out exactly this plan, and what came of it.
import { html } from 'hono/html';
import { type Addresses, readAddresses } from '../../../operator/addresses.ts';
import type { UndoPlanAnswer } from '../../../operator/answers/undo.ts';
import { namesOf, type NameOf, personsOf } from '../../../operator/persons.ts';
import { OperatorError } from '../../../operator/errors.ts';
import type { DeskUndo } from '../../../operator/undo-desk.ts';
import { readUndoable } from '../../../operator/undoable.ts';
import { actionForm } from '../actions/form.ts';
import { opWords } from '../forms/held.ts';
import { firstIn, partOf } from '../forms/held-parts.ts';
import { hiddenHint, mayDecideOnValues } from '../forms/parts.ts';
import { askForUndo, deletedBy, goneWords, requestHidden } from '../forms/undo.ts';
import { count, empty, type Html, recordLink, rule, runLink, state, value } from '../html.ts';
import { rowLink } from '../links.ts';
import type { Page, PageContext } from '../page.ts';
import { scrollTable } from '../tables/scroll.ts';

export async function undoPage(context: PageContext): Promise<Page> {
  const run = context.param('run');
  const id = context.query('plan');
  const planned = id === undefined ? undefined : await context.undos?.settled(id, waitMs, context.signal);
  const title = `Take back run ${run}`;
  if (planned?.request.run === run) return undoShown(context, planned, title);
  const undoable = await readUndoable(context.operator, { run }, context.signal).catch(whyNothing);
  if (typeof undoable === 'string') return { title, body: empty(undoable) };
  const { name, lines, notes } = undoable;
  const [contact, field] = [context.query('contact'), context.query('field')];
  const meant = {
    run,
    ...(contact !== undefined && { contact }),
    ...(field !== undefined && { field }),
    deletesCreated: context.query('deletes-created') === 'yes',
  };
  const body = html`${id === undefined ? '' : goneNote(context, id, name)}
    <p>
      Run ${runLink(run)} of <a href="/jobs/${encodeURIComponent(name)}">${name}</a>: ${count(lines.length, 'line')} of
      the history can be looked at. The daemon reads both sides between two runs, and makes a plan. Nothing is taken
      back before you have seen the plan.
    </p>
    ${notes.map((note) => html`<p class="note">${note}</p>`)} ${hiddenHint(context.viewer)}
    ${askForUndo(context.viewer, meant)}
    <p class="quiet">As a command: <code>leadsheet undo ${run}</code></p>`;
  return { title, body };
}

function goneNote({ undos }: PageContext, id: string, job: string): Html {
  if (!undos) return html``;
  return html`<p class="needs-somebody">
    ${goneWords[undos.whyGone(id)]} If it was being carried out,
    <a href="/runs?job=${encodeURIComponent(job)}">the runs of ${job}</a> have it. Otherwise nothing was taken back:
    have it made again, and look at it again.
  </p>`;
}

/** A run that changed nothing is known all the same. */
function whyNothing(error: unknown): string {
  if (error instanceof OperatorError && error.code === 'nothing') return error.message;
  throw error;
}

/** A page waits so long for the end of a step, so that nobody has to reload it again and again. */
const waitMs = 8_000;

async function undoShown(context: PageContext, undo: DeskUndo, title: string): Promise<Page> {
  const { stage, request, job } = undo;
  const jobLink = html`<a href="/jobs/${encodeURIComponent(job)}">${job}</a>`;
  switch (stage.kind) {
    case 'planning':
    case 'working': {
      const what =
        stage.kind === 'planning'
          ? 'Both sides are being read'
          : `The plan is being carried out, as ${stage.by} decided`;
      const body = html`<p>${state('running')} ${what}, between two runs of ${jobLink}.</p>
        <p><a href="?plan=${undo.id}">Look again</a></p>`;
      return { title, body };
    }
    case 'failed':
      return {
        title,
        body: html`<p class="needs-somebody">Nothing more was done: ${stage.why}</p>
          ${askForUndo(context.viewer, request)}`,
      };
    case 'done': {
      const isHeld = stage.status === 'held';
      const body = html`<p>${state(stage.status)} Run ${runLink(stage.run)} of ${jobLink}, as ${stage.by} decided.</p>
        <p>
          ${
            isHeld
              ? html`It is held: nothing was taken back.
                  <a href="/jobs/${encodeURIComponent(job)}/held?run=${encodeURIComponent(stage.run)}"
                    >Look at what is held</a
                  >, approve it, and have it taken back again.`
              : html`Its page shows what was put back and what was not. It can be taken back in turn.`
          }
        </p>
        ${isHeld ? askForUndo(context.viewer, request) : ''}`;
      return { title, body };
    }
    case 'planned':
      return { title, body: await planView(context, undo, stage.plan, stage.isAnother) };
  }
}

/** Lines of one page. All of the plan are carried out, and the button says their number. */
const linesShown = 300;

async function planView(
  context: PageContext,
  undo: DeskUndo,
  answer: UndoPlanAnswer,
  isAnother: boolean,
): Promise<Html> {
  const { areDetailsShown } = context;
  const { request, job } = undo;
  const { plan, notes } = answer;
  const [from, fromLeft] = [firstIn(context.query('from')), firstIn(context.query('left'))];
  const address = (first: number, firstLeft: number) =>
    `?plan=${encodeURIComponent(undo.id)}&from=${first}&left=${firstLeft}`;
  const { shown, links } = partOf(plan.changes, {
    from,
    size: linesShown,
    address: (first) => address(first, fromLeft),
    words: 'Changes',
  });
  const persons = await personsOf(
    context.operator,
    job,
    shown.map(({ contact }) => contact ?? ''),
  );
  const { shown: left, links: linksOfLeft } = partOf(plan.problems, {
    from: fromLeft,
    size: linesShown,
    address: (first) => address(from, first),
  });
  const nameOf = areDetailsShown
    ? await namesOf(
        context.operator,
        left.map(({ contact }) => ({ job, contact })),
      )
    : undefined;
  const addresses = await readAddresses(context.operator, [job]);
  const meant = [request.contact, ...(request.contacts ?? []), request.field].filter((each) => each !== undefined);
  return html`${
      isAnother
        ? html`<p class="needs-somebody">Nothing was taken back: it is another plan by now. Look at it again.</p>`
        : undo.seen === undefined
          ? ''
          : html`<p class="note">It is the same plan as the one that you saw. Nothing was taken back yet.</p>`
    }
    ${meant.length === 0 ? '' : html`<p>Only ${areDetailsShown ? meant.join(', ') : 'a part of the run'}.</p>`}
    ${notes.map((note) => html`<p class="note">${note}</p>`)}
    ${
      plan.holds.length === 0
        ? ''
        : html`<section class="needs-somebody">
            <h2>It would be held</h2>
            <ul>
              ${plan.holds.map((reason) => html`<li>${reason}</li>`)}
            </ul>
          </section>`
    }
    <h2>Put back</h2>
    ${
      plan.changes.length === 0
        ? empty('Nothing of this run can be put back.')
        : html`${scrollTable(
            'Put back',
            ['Record', 'Change', 'Field', 'Now', 'Afterwards', 'Why'],
            shown.map(
              (change, index) =>
                html`<tr>
                  <th scope="row">
                    ${change.contact === null ? '' : recordLink(change.contact, areDetailsShown ? persons[index] : undefined)}<br /><small
                      >${rowLink(addresses, job, change.row)}</small
                    >
                  </th>
                  <td>${opWords(change)}</td>
                  <td>${change.field ?? ''}</td>
                  <td>${change.field === null ? '' : value(change.before, areDetailsShown)}</td>
                  <td>${change.field === null ? '' : value(change.after, areDetailsShown)}</td>
                  <td>${whyText(change.reason, request.run)} ${rule(change.rule_words, change.rule)}</td>
                </tr>`,
            ),
          )}
          ${plan.changes.length > linesShown ? links : ''}`
    }
    <h2>Not put back</h2>
    ${plan.problems.length === 0 ? empty('Everything of the run is put back.') : leftTable(left, job, { run: request.run, nameOf, addresses })}
    ${plan.problems.length > linesShown ? linksOfLeft : ''}
    ${plan.changes.length === 0 ? '' : carryOutForm(context, undo, answer)}`;
}

/** The title of the page says which run it is, and the heading whether it is taken back. */
function whyText(reason: string, run: string): string {
  return reason.replace(`undo of ${run}`, '').replace(/^: (?:not taken back: )?/, '');
}

interface LeftShown {
  readonly run: string;
  readonly nameOf: NameOf | undefined;
  readonly addresses: Addresses;
}

/** There is nothing to do about them: what was edited or sent since stays as it is. */
function leftTable(
  left: readonly UndoPlanAnswer['plan']['problems'][number][],
  job: string,
  { run, nameOf, addresses }: LeftShown,
): Html {
  return scrollTable(
    'Not put back',
    ['Record', 'Field', 'Why'],
    left.map(({ id, contact, row, field, reason, rule: ruleId, rule_words: words }) => {
      const name = nameOf?.({ job, contact });
      const record = contact === null ? (row === null ? id : '') : recordLink(contact, name);
      return html`<tr>
        <th scope="row">${record}<br /><small>${rowLink(addresses, job, row)}</small></th>
        <td>${field ?? ''}</td>
        <td>${whyText(reason, run)} ${rule(words, ruleId)}</td>
      </tr>`;
    }),
  );
}

function carryOutForm({ viewer }: PageContext, { id, request }: DeskUndo, { digest, plan }: UndoPlanAnswer): Html {
  if (!mayDecideOnValues(viewer)) return hiddenHint(viewer);
  const deleted = deletedBy(plan);
  const again = deleted.length === 0 ? '' : `, and delete ${count(deleted.length, 'contact')}`;
  return html`<h2>Decide</h2>
    ${actionForm(viewer, {
      action: 'undo',
      hidden: { ...requestHidden(request), plan: id, digest },
      body: html`<button type="submit" class="${deleted.length === 0 ? '' : 'danger'}">
        Take back ${count(plan.changes.length, 'change')}${again}
      </button>`,
    })}
    <p class="quiet">
      Exactly this is done, or nothing: if a side holds something else by then, you see the new plan.
    </p>`;
}
