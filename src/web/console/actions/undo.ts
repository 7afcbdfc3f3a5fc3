// Actions that take a run back: have the undo planned, and have exactly the plan that was seen carried out.
import { html } from 'hono/html';
import { OperatorError } from '../../../operator/errors.ts';
import { personsOf } from '../../../operator/persons.ts';
import type { UndoRequest } from '../../../operator/undo.ts';
import { deletedBy, goneWords, requestHidden } from '../forms/undo.ts';
import { count } from '../html.ts';
import type { Action, ActionContext } from './action.ts';
import { backLink } from './conflicts.ts';
import { actionForm } from './form.ts';
import { assertMayDecideOnValues } from './tickets.ts';

export const planUndo: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { decider, signal } = context;
  const request = requestOf(context);
  const id = await deskOf(context).plan(request, decider, signal);
  return { kind: 'done', to: planPath(request, id), said: 'Nothing is taken back yet.' };
};

export const carryOutUndo: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { field, decider, operator, viewer, signal } = context;
  const [id, digest] = [field('plan') ?? '', field('digest') ?? ''];
  const desk = deskOf(context);
  const undo = desk.read(id);
  if (!undo) {
    const request = requestOf(context);
    const again = await desk.plan(request, decider, signal, digest);
    const said = `${goneWords[desk.whyGone(id)]} The plan is made again. Nothing is taken back yet.`;
    return { kind: 'done', to: planPath(request, again), said };
  }
  const { request } = undo;
  const back = planPath(request, id);
  if (undo.stage.kind === 'planned' && undo.stage.plan.digest === digest && field('sure') !== 'yes') {
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
          hidden: { ...requestHidden(request), plan: id, digest, sure: 'yes' },
          body: html`<button type="submit" class="danger">
            Take it back, and delete ${count(deleted.length, 'contact')}
          </button>`,
        })}
        ${backLink(back)}`;
      return { kind: 'ask', page: { title: `Delete ${count(deleted.length, 'contact')}?`, body } };
    }
  }
  desk.carryOut(id, digest, decider);
  return { kind: 'done', to: back, said: `Run ${request.run} is being taken back.` };
};

function requestOf({ field }: ActionContext): UndoRequest {
  const [run, contact, name] = [field('run'), field('contact'), field('field')];
  if (run === undefined) throw new OperatorError('invalid', 'no run is named');
  return {
    run,
    deletesCreated: field('deletes-created') === 'yes',
    ...(contact !== undefined && { contact }),
    ...(name !== undefined && { field: name }),
  };
}

function deskOf({ undos }: ActionContext) {
  if (!undos) throw new OperatorError('invalid', 'this server runs no jobs: use leadsheet undo');
  return undos;
}

/** The address has what is to be taken back, too: the plan may be forgotten when it is asked for again. */
function planPath(request: UndoRequest, id: string): string {
  const { run, ...meant } = requestHidden(request);
  return `/runs/${encodeURIComponent(run)}/undo?${new URLSearchParams({ plan: id, ...meant }).toString()}`;
}
