import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DecisionRequest } from '../../../src/engine/decision.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { JsonObject } from '../../../src/state/port.ts';
import { createSyncTrial, type RunOptions, tabTitle, type TrialOptions } from '../../support/app.ts';

export interface OutboxOptions extends Pick<TrialOptions, 'switches' | 'behaviour' | 'around' | 'store'> {
  /** To, From, Text, Send. */
  readonly rows?: readonly (readonly string[])[];
  readonly headers?: readonly string[];
  readonly outbox?: Readonly<Record<string, unknown>>;
}

const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
export const headers = ['To', 'From', 'Text', 'Send'];

/** An outbox of network messages between both stand-ins, with the contacts ann, bob and cy and the sender Max Muster. */
export function createOutboxTrial({
  rows = [],
  outbox = {},
  headers: given = headers,
  ...options
}: OutboxOptions = {}) {
  const trial = createSyncTrial({
    ...options,
    values: [given, ...rows],
    outbox: { messages: { resource: 'network_messages', columns, ...outbox } },
  });
  const { model } = trial.service;
  const people = ['ann', 'bob', 'cy'].map((name) => trial.addContact({ first_name: name, email: `${name}@firm.io` }));
  const sender = model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });

  return {
    ...trial,
    people,
    sender,
    run: (how: RunOptions = {}) => trial.run({ sync: 'messages', ...how }),
    attempt: (how: RunOptions = {}) => trial.attempt({ sync: 'messages', ...how }),
    sent,
    rows: rowsOf,
    rowWith,
    cellOf,
    put,
    ready,
    request,
    retry: (id: string, isSure = true) => request({ kind: 'retry', id, ...(isSure && { isSure: true as const }) }),
    approve,
    ledger,
    loseState,
    backup,
    restore,
    sends: () => trial.crmCalls(isEmail() ? 'emails.send' : 'network-messages.send').length,
  };

  function isEmail(): boolean {
    return outbox['resource'] === 'emails';
  }

  /** `name: text`, as the service has it, in the order of the calls. */
  function sent(): string[] {
    const records = isEmail() ? [...model.inbox.emails.all()] : [...model.inbox.messages.all()];
    return records
      .filter(({ type }) => type === 'outbox')
      .map((record) => {
        const contact = model.contacts.find(record.lead_uuid ?? '')?.record;
        const text = 'text' in record ? record.text : model.inbox.bodyByUuid.get(record.email_body_uuid ?? '')?.body;
        return `${contact?.first_name ?? record.lead_uuid}: ${text}`;
      });
  }

  function rowsOf(): Record<string, string>[] {
    return trial.grid().map((row) => row as Record<string, string>);
  }

  function rowWith(text: string): Record<string, string> {
    return rowsOf().find((row) => row['Text'] === text) ?? {};
  }

  /** `Outbox!C7` of the row of this text. */
  function cellOf(text: string, header: string): string {
    const grid = trial.person.read(`'${tabTitle}'`);
    const [names = []] = grid;
    const row = grid.findIndex((cells) => cells[names.indexOf('Text')] === text);
    return `'${tabTitle}'!${letterOf(names.indexOf(header))}${row + 1}`;
  }

  /** A person types into the row of this text, or empties the cell. */
  function put(text: string, header: string, value: string): void {
    const cell = cellOf(text, header);
    if (value === '') trial.person.clear(cell);
    else trial.person.paste(cell, [[value]]);
  }

  /** A state that has run once and holds nothing back: rows from now on are new. */
  async function ready(...more: readonly (readonly string[])[]): Promise<void> {
    await trial.run({ sync: 'messages' });
    const at = trial.person.read(`'${tabTitle}'`).length + 1;
    if (more.length > 0) trial.person.paste(`'${tabTitle}'!A${at}`, more);
  }

  async function request(decision: DecisionRequest): Promise<void> {
    const { store } = await trial.start();
    await store.sync('messages').addRequest(decision as unknown as JsonObject);
  }

  async function approve({ approvable, planned: counts }: RunReport): Promise<void> {
    await request({ kind: 'approve', run: approvable ?? '', counts });
  }

  /** State -> how many, as it is on disk; the process begins anew. */
  async function ledger(): Promise<Record<string, number>> {
    const { store } = await trial.start();
    const { ledger: messages } = await store.sync('messages').load();
    const byState = Map.groupBy(messages.values(), ({ state }) => state as string);
    return Object.fromEntries([...byState].map(([state, { length }]) => [state, length]));
  }

  async function loseState(): Promise<void> {
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
  }

  function backup(): string {
    const copy = join(trial.folder, 'backup');
    cpSync(join(trial.folder, 'state'), copy, { recursive: true });
    return copy;
  }

  async function restore(copy: string): Promise<void> {
    rmSync(join(trial.folder, 'state'), { recursive: true });
    cpSync(copy, join(trial.folder, 'state'), { recursive: true });
    await trial.start();
  }
}

function letterOf(index: number): string {
  return String.fromCodePoint('A'.codePointAt(0)! + index);
}
