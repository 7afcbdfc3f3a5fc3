// Actions that take a run back: have the undo planned, and have exactly the plan that was seen carried out.
import { html } from 'hono/html';
import { OperatorError } from '../../../operator/errors.ts';
import { personsOf } from '../../../operator/persons.ts';
import { deletedBy, undoHidden } from '../forms/undo.ts';
import { count } from '../html.ts';
import type { Action, ActionContext } from './action.ts';
import { backLink } from './conflicts.ts';
import { actionForm } from './form.ts';
import { assertMayDecideOnValues } from './tickets.ts';

export const planUndo: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { field, decider, signal } = context;
  const run = runOf(context);
  const [contact, name] = [field('contact'), field('field')];
  const request = {
    run,
    deletesCreated: field('deletes-created') === 'yes',
    ...(contact !== undefined && { contact }),
    ...(name !== undefined && { field: name }),
  };
  const id = await deskOf(context).plan(request, decider, signal);
  return { kind: 'done', to: planPath(run, id), said: 'Nothing is taken back yet.' };
};

export const carryOutUndo: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { field, decider, operator, viewer } = context;
  const [id, digest] = [field('plan') ?? '', field('digest') ?? ''];
  const run = runOf(context);
  const desk = deskOf(context);
  const undo = desk.read(id);
  const back = planPath(run, id);
  if (undo?.stage.kind === 'planned' && undo.stage.plan.digest === digest && field('sure') !== 'yes') {
    const deleted = deletedBy(undo.stage.plan.plan);
    if (deleted.length > 0) {
      const persons = await personsOf(operator, undo.job, deleted);
      const body = html`<p class="needs-somebody">
          This deletes ${count(deleted.length, 'contact')} in the service, and no run takes that back. Nothing has
          happened yet.
        </p>
        <ul>
          ${persons.map((person) => html`<li>${person}</li>`)}
        </ul>
        ${actionForm(viewer, {
          action: 'undo',
          hidden: { ...undoHidden(undo.request), plan: id, digest, sure: 'yes' },
          body: html`<button type="submit" class="danger">
            Take it back, and delete ${count(deleted.length, 'contact')}
          </button>`,
        })}
        ${backLink(back)}`;
      return { kind: 'ask', page: { title: `Delete ${count(deleted.length, 'contact')}?`, body } };
    }
  }
  desk.carryOut(id, digest, decider);
  return { kind: 'done', to: back, said: `Run ${run} is being taken back.` };
};

function runOf({ field }: ActionContext): string {
  const run = field('run');
  if (run === undefined) throw new OperatorError('invalid', 'no run is named');
  return run;
}

function deskOf({ undos }: ActionContext) {
  if (!undos) throw new OperatorError('invalid', 'this server runs no jobs: use leadsheet undo');
  return undos;
}

function planPath(run: string, id: string): string {
  return `/runs/${encodeURIComponent(run)}/undo?plan=${encodeURIComponent(id)}`;
}
