// Plays the outbox of a story: its runs, what people decide about messages, and what must hold once all is quiet.
import type { EngineEvent } from '../../src/engine/events.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { HeldFact } from '../../src/engine/stored/facts.ts';
import { cancel } from '../../src/operator/cancel.ts';
import { readMessagesPage } from '../../src/operator/messages.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { retry } from '../../src/operator/retry.ts';
import { messagesSent, outboxAtRest } from './laws/outboxes.ts';
import type { Violation } from './oracle/evidence.ts';
import { createMessageObserver, type MessageObserver, plain } from './oracle/messages.ts';
import { type MessageLog, type MessageRow, messageRows, saysYes } from './people/outbox-acts.ts';
import type { Step } from './scenario/scenario.ts';
import type { ContactRecord } from '../../src/standin/service/stored.ts';
import type { SimulatedProcess } from './world/process.ts';
import { outboxName, senderNames, type Setting } from './world/setting.ts';
import { contactValue } from './world/view.ts';
import type { World } from './world/world.ts';

interface MessagingDep {
  readonly world: World;
  readonly setting: Setting;
  readonly log: MessageLog;
  readonly tell: (text: string) => void;
  readonly counted: (area: 'decision' | 'law' | 'outbox', name: string) => void;
}

export interface Messaging {
  readonly observer: MessageObserver;
  run(process: SimulatedProcess): Promise<RunReport | 'killed'>;
  onEvent(event: EngineEvent, process: SimulatedProcess): void;
  /** What a person says about one message; through the operator layer. */
  decide(step: Extract<Step, { do: 'message' }>, process: SimulatedProcess): Promise<void>;
  /** Runs until no row waits any more. */
  settle(process: SimulatedProcess): Promise<void>;
  judge(process: SimulatedProcess): Promise<readonly Violation[]>;
}

/** Enough for the cap to let everything through, and for what is refused to be asked about again. */
const quietRuns = 16;
const hourMs = 3_600_000;

/** The beginning of what a row says that is not sent yet, and does not wait for a person. */
const waits = /^(?:waiting: (?!it is sent once)|failed)/;

const person = { by: 'a person', through: 'console' } as const;

export function createMessaging({ world, setting, log, tell, counted }: MessagingDep): Messaging {
  const { clock, sides } = world;
  const { model } = sides.service;
  const observer = createMessageObserver({
    log,
    cap: setting.outbox?.cap ?? 0,
    now: clock.now,
    content: () => sides.file.content,
  });
  const rows = () => messageRows(sides.file.content);
  /** Undefined, too: somebody pasted the ID into other rows, so that nobody knows by it which message is meant. */
  const tagOfRow = (id: string) => {
    const [row, ...others] = rows().filter((each) => each.id === id);
    return others.length === 0 ? row?.tag : undefined;
  };

  async function approve(process: SimulatedProcess): Promise<void> {
    // A new state holds what may have been sent: a person who lost it would have to look in the service first (P6).
    if (observer.isStateLost) return;
    const state = process.app!.store.sync(outboxName);
    const { facts } = await state.load();
    const held = facts.get('held') as HeldFact | null | undefined;
    if (!held) return;
    await state.addRequest({ kind: 'approve', run: held.run, counts: { ...held.planned } });
    tell(`a person approves ${held.planned.messages} messages`);
    counted('decision', 'approve messages');
  }

  return {
    observer,
    run: (process) => world.runBeside(process, outboxName),
    onEvent(event, process) {
      if (event.type === 'run-started') observer.onRun(process.pid, 'begun');
      if (event.type === 'change-done' && event.change.op === 'send') {
        const { change, outcome } = event;
        tell(`  outbox sends row ${change.row}: ${outcome.kind}${'message' in outcome ? ` ${outcome.message}` : ''}`);
        counted('outbox', `send ${outcome.kind}`);
      }
      if (event.type !== 'run-ended') return;
      observer.onRun(process.pid, 'ended');
      const { status, error, counts, problems } = event.report;
      const told = Object.entries(counts).filter(([, count]) => count > 0);
      tell(`outbox: ${status} ${error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`);
      for (const { rule, reason, row } of problems) {
        tell(`    outbox (${rule}) row ${row}: ${reason}`);
        counted('outbox', rule);
      }
      counted('outbox', status);
    },
    async decide({ what, a }, process) {
      if (what === 'approve') return approve(process);
      const { store, config } = process.app!;
      const operator: Operator = { config, store, now: clock.wall };
      const { messages } = await readMessagesPage(operator, { outbox: outboxName }, { limit: 100 });
      const open = messages.filter(({ state }) =>
        what === 'cancel' ? state === 'waiting' || state === 'refused' : state !== 'waiting',
      );
      const { id } = open[a % Math.max(1, open.length)] ?? {};
      const tag = id === undefined ? undefined : tagOfRow(id);
      if (id === undefined || tag === undefined) return;
      if (what === 'retry') {
        // It counts from before it is recorded: a process that is killed then has recorded it or not.
        observer.retried(tag);
        await retry(operator, person, { ids: [id], sync: outboxName, isSure: true });
        tell(`a person has ${tag} sent again`);
      } else {
        const { cancels } = await cancel(operator, person, { ids: [id], sync: outboxName });
        if (cancels.every(({ outcome }) => outcome === 'cancelled')) observer.cancelled(tag);
        tell(`a person cancels ${tag}: ${cancels.map(({ said }) => said).join('; ')}`);
      }
      counted('decision', `${what} a message`);
    },
    async settle(process) {
      for (let runs = 0; runs < quietRuns; runs += 1) {
        await clock.until(approve(process));
        await clock.until(this.run(process));
        await clock.pass(hourMs);
        const isOver = rows().every(
          (row) => !waits.test(row.sync) && !isUntold(row) && (observer.isStateLost || !row.sync.startsWith('held')),
        );
        if (runs >= 1 && isOver) break;
      }
    },
    async judge(process) {
      await this.settle(process);
      // W5: of cells that merged ones cover, or covered, a pause may be over by now.
      if (log.hasMerged) await clock.until(this.run(process));
      const { counters } = sides.sheets.log;
      const before = counters.writes;
      await clock.until(this.run(process));
      counted('law', 'P1 to P7');
      const all = [...model.contacts.all()].map(({ record }) => record);
      const seen = {
        evidence: observer,
        rows: rows(),
        taken: new Set([...model.inbox.messages.all(), ...model.inbox.emails.all()].map(({ uuid }) => uuid)),
        // I8: a placeholder address names no contact.
        named: (to: string) =>
          plain(to) === '' || plain(to).endsWith('@example.com')
            ? 0
            : all.filter((record) => namesOf(record).includes(plain(to))).length,
        isSender: (from: string) => senderNames.some((name) => plain(name) === plain(from)),
        idleWrites: counters.writes - before,
      };
      return [...messagesSent(observer), ...outboxAtRest(seen)];
    },
  };
}

/** W5: the spreadsheet refused a cell of it, and the pause of that is not over, although nobody covers it any more. */
function isUntold(row: MessageRow): boolean {
  return !row.isCovered && saysYes(row) && row.sync === '';
}

/** By these a row names the contact. */
function namesOf(record: ContactRecord): readonly string[] {
  return [record.uuid, contactValue(record, 'email'), record.personal_email ?? ''].map(plain);
}
