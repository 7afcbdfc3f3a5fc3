// Explains a record of a feed, and a row of an outbox, as far as the state has something to say of them.
import type { FeedConfig } from '../../config/config.ts';
import { readFeed, readOutbox } from '../../engine/stored/stored.ts';
import type { StoredProblem } from '../../engine/stored/run.ts';
import type { FeedLink } from '../../sync/feed/input.ts';
import { type DecisionRequest, idOf } from '../../engine/decision.ts';
import type { Standing } from '../../engine/standing.ts';
import type { Message } from '../../sync/outbox/message.ts';
import { decisionToAnswer } from '../decide.ts';
import { inSync, statusByRow } from '../../sync/status.ts';
import type { ExplainedMessage, ExplainedRecord } from '../answers/explain.ts';
import type { Operator } from '../operator.ts';
import { columnLetters } from './cells.ts';
import { commandText } from './commands.ts';
import type { Meant } from './find.ts';
import { readLife } from './life.ts';
import { originOf } from './origin.ts';
import { decisionsOf, explainProblem, lastRunOf, problemsOf } from './record.ts';
import { type HeldPlan, heldPlanOf, remediesOfMessage, remediesOfPlan, type RemedyContext } from './remedies.ts';

/** The parts that every record of these jobs has. */
function commonOf(meant: Meant, context: RemedyContext, open: readonly StoredProblem[]): ExplainedRecord {
  const { job, standing, id, row, name } = meant;
  const status = row === null ? undefined : statusByRow(standing.lastRun?.problems ?? []).get(row);
  return {
    job: job.name,
    kind: job.kind,
    id,
    name,
    row,
    standing: open[0]?.reason ?? 'known',
    status: status ?? null,
    last_run: lastRunOf(standing.lastRun),
    holds: [...(standing.held?.reasons ?? [])],
    hold_remedies: [...remediesOfPlan(context)],
    fields: [],
    next: null,
    problems: open.map((problem) => explainProblem(problem, undefined, context)),
    vetoes: [],
    enrolments: [],
    messages: [],
    decisions: decisionsOf(standing.requests, id, row),
    log: null,
  };
}

function contextOf({ job, standing, loaded, row }: Meant): RemedyContext {
  const letters = columnLetters(loaded);
  const cellOf = (field: string | null) => {
    const letter = field === null ? undefined : letters.get(field);
    return letter === undefined || row === null ? undefined : `${letter}${row}`;
  };
  return { job: job.name, kind: job.kind, held: heldPlanOf(standing), cellOf };
}

/** A feed keeps no values but that of the cell that people may set; the history has what it wrote. */
export async function explainFeedRecord(
  operator: Operator,
  meant: Meant,
  config: FeedConfig,
): Promise<ExplainedRecord> {
  const { standing, loaded, id } = meant;
  const context = contextOf(meant);
  const open = problemsOf(standing.lastRun?.problems ?? [], id, meant.row);
  const common = commonOf(meant, context, open);
  if (id === null) return common;
  const link = readFeed(loaded).links.get(id);
  const life = await readLife(operator, meant.job.name, id);
  const unknown = { value: null, is_known: false };
  const isShown = !open.some(hidesService);
  const absence = open.find(({ rule }) => rule === 'F3');
  const fields = config.columns.flatMap(({ key, header, kind }): ExplainedRecord['fields'] => {
    const written = life.lines.find((line) => line['field'] === key && line['outcome'] === 'done');
    const value = key === config.controlled ? link?.agreed : undefined;
    if (!written && value === undefined) return [];
    const after = value ?? written?.['after'];
    const reading = typeof after === 'object' || after === undefined ? null : after;
    const known = { value: reading, is_known: true };
    return [
      {
        field: key,
        header,
        cell: context.cellOf(key) ?? null,
        direction: key === config.controlled ? 'both' : 'to_sheet',
        agreed: known,
        // The value that was written last is the one of the service, unless a newer one waits to be written.
        crm: isShown ? known : unknown,
        sheet: unknown,
        live: null,
        is_open: open.some((problem) => problem.field === key),
        origin: originOf({ field: key, kind, agreed: reading }, life),
        lost: [],
        notes: link?.said !== undefined && key === config.controlled ? [link.said] : [],
      },
    ];
  });
  return {
    ...common,
    standing: feedStanding(link, isShown, absence?.reason),
    status: statusOf(common, link, open),
    fields,
    log: commandText('log', '--contact', id),
  };
}

function statusOf(
  { status, row }: ExplainedRecord,
  link: FeedLink | undefined,
  open: readonly StoredProblem[],
): string | null {
  if (row === null || !link) return status;
  const [first] = open;
  // F3: the row of a record that is gone has a sentence of its own, unless there is something else to say of it.
  if (link.isGone && first && open.every(({ rule }) => rule === 'F3')) return `gone: ${first.reason}`;
  if (link.isGone) return statusByRow(open.filter(({ rule }) => rule !== 'F3')).get(row) ?? status;
  return link.said ?? status ?? inSync;
}

/** E7 is about a wish of a person, and F3 about a record that is gone: the row shows what the service has. */
function hidesService({ rule }: StoredProblem): boolean {
  return rule !== 'E7' && rule !== 'F3';
}

/** `absence`: why the listing does not have it. The limit and the filter leave out what is in the service. */
function feedStanding(link: FeedLink | undefined, isShown: boolean, absence: string | undefined): string {
  if (!link) return 'not mirrored any more; the history knows it';
  if (link.isGone)
    return `no longer listed${absence === undefined ? '' : `: ${absence}`}; its row says so and is left alone`;
  if (link.isMissed) return 'the last listing did not have it: the next one tells whether it is gone';
  return isShown
    ? 'mirrored: the row shows what the service has'
    : 'mirrored, but for what is open: the row does not show all that the service has';
}

export function explainOutboxRow(meant: Meant): ExplainedRecord {
  const { job, standing, loaded, id } = meant;
  const open = problemsOf(standing.lastRun?.problems ?? [], id, meant.row);
  const common = commonOf(meant, contextOf(meant), open);
  const message = id === null ? undefined : readOutbox(loaded).messages.get(id);
  if (id === null || !message) return common;
  const explained = explainMessage(job.name, id, meant.row, message, openMessages(standing)(id));
  return {
    ...common,
    standing: explained.standing,
    messages: [explained],
    log: message.to === undefined ? null : commandText('log', '--contact', message.to),
  };
}

/** The open matters of a message. */
export interface OpenMessage {
  /** The problem of the last run. */
  readonly problem: StoredProblem | undefined;
  /** Waits for an approval. */
  readonly held: HeldPlan | undefined;
  /** A decision that no run has taken up yet. */
  readonly request: DecisionRequest | undefined;
}

/** The message of the row with this ID. */
export function openMessages({
  lastRun,
  held,
  requests,
}: Pick<Standing, 'lastRun' | 'held' | 'requests'>): (id: string) => OpenMessage {
  const problemById = new Map(lastRun?.problems.map((problem) => [problem.id, problem]));
  const requestById = new Map(requests.map((request) => [idOf(request), request]));
  const plan = heldPlanOf({ held, requests });
  return (id) => ({ problem: problemById.get(id), held: plan, request: requestById.get(id) });
}

export function explainMessage(
  outbox: string,
  id: string,
  row: number | null,
  message: Message,
  { problem, held, request }: OpenMessage,
): ExplainedMessage {
  return {
    outbox,
    id,
    row,
    state: message.state,
    standing: messageStanding(message, problem?.reason),
    time: new Date(message.at).toISOString(),
    run: message.run === '' ? null : message.run,
    to: message.name ?? message.to ?? message.recipient ?? null,
    delivery: message.delivery ?? null,
    message: message.message ?? null,
    // Nothing is to be done about one that the next run takes back.
    remedies: request?.kind === 'cancel' ? [] : [...remediesOfMessage(outbox, id, message, { problem, held })],
    decision: request ? decisionToAnswer(request) : null,
  };
}

/** P1: of a message that is withdrawn. */
export const noYes = 'its Send cell does not say yes, or its row is gone';

/** `reason`: of the problem that the last run had with it. */
function messageStanding({ state, delivery, message, isWithdrawn }: Message, reason: string | undefined): string {
  switch (state) {
    case 'waiting':
      if (isWithdrawn) return `not to be sent: ${noYes}`;
      return `not sent yet${reason === undefined ? '' : `: ${reason}`}`;
    case 'sent':
      return `sent${delivery === undefined ? '' : `, ${delivery}`}`;
    case 'refused':
      return `refused, and not sent: ${message ?? reason ?? 'by the service'}`;
    case 'cancelled':
      return 'cancelled by a person, and not sent';
    case 'intended':
    case 'unknown':
      return 'it is unknown whether it was sent; it is not sent again by itself';
  }
}
