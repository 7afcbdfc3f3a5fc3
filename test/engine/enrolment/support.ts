import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { RunReport } from '../../../src/engine/report.ts';
import type { DecisionRequest } from '../../../src/engine/decision.ts';
import type { JsonObject } from '../../../src/state/port.ts';
import { createSyncTrial, type TrialOptions } from '../../support/app.ts';

export const today = '2026-11-21';
export const hourMs = 3_600_000;
export const unknown = 'unknown: look in the service whether Welcome has it';

type Cells = Readonly<Record<string, string>>;

const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Status: 'status',
};

/** The columns of a sync that enrols, in their order in the tab. */
const headers = [...Object.keys(columns), 'Automation', 'Enrolment'];

export function rowOf(email: string, wish: string, more: Cells = {}): string[] {
  const [first = ''] = email.split('@');
  const cells: Cells = { 'First name': first, 'Last name': 'Wisher', Email: email, Automation: wish, ...more };
  return headers.map((header) => cells[header] ?? '');
}

export interface EnrolmentOptions extends Pick<TrialOptions, 'switches' | 'behaviour' | 'around' | 'store'> {
  readonly rows?: readonly (readonly string[])[];
  readonly automation?: Readonly<Record<string, unknown>>;
  readonly sync?: Readonly<Record<string, unknown>>;
}

/** A sync that enrols, between both stand-ins, with the automations Welcome and Nurture. */
export function createEnrolmentTrial({ rows = [], automation = {}, sync = {}, ...options }: EnrolmentOptions = {}) {
  const trial = createSyncTrial({
    ...options,
    columns,
    values: [headers, ...rows],
    sync: { ...sync, automation: { column: 'Automation', ...automation } },
  });
  const { model } = trial.service;
  const welcome = model.automations.add({ name: 'Welcome', status: 'on' });
  const nurture = model.automations.add({ name: 'Nurture', status: 'on' });

  return {
    ...trial,
    welcome,
    nurture,
    enrolled,
    resultOf,
    statusOf: (email: string) => cellOf(email, 'Sync'),
    callsOf,
    type,
    request,
    ledger,
    stateOnDisk,
    bodiesOf,
    linked,
    approveWishes,
    loseState,
    backup,
    restore,
  };

  /** `email automation state`, by the service. */
  function enrolled(): string[] {
    // Cancellations are jobs: this waits for all of them.
    model.settle(Date.now() + 86_400_000);
    return [...model.automations.enrolments()]
      .map(({ flow_uuid, lead_uuid, state }) => {
        const contact = model.contacts.find(lead_uuid)?.record;
        return `${contact?.work_email ?? lead_uuid} ${model.automations.table.get(flow_uuid).name} ${state}`;
      })
      .toSorted();
  }

  function cellOf(email: string, header: string): string {
    const row = trial.grid().find((each) => each['Email'] === email);
    const text = row?.[header];
    return typeof text === 'string' ? text : '';
  }

  function resultOf(email: string): string {
    return cellOf(email, 'Enrolment');
  }

  function callsOf(operation: string): number {
    return trial.service.received.entries.filter((entry) => entry.operation === operation).length;
  }

  /** A person types into the row of this contact. */
  function type(email: string, header: string, text: string): void {
    const grid = trial.person.read(`'Prospects'`);
    const [names = []] = grid;
    const place = grid.findIndex((row) => row[names.indexOf('Email')] === email);
    trial.person.type(`'Prospects'!${columnLetter(names.indexOf(header))}${place + 1}`, text);
  }

  function bodiesOf(operation: string): unknown[] {
    return trial.service.received.entries.filter((entry) => entry.operation === operation).map(({ body }) => body);
  }

  async function approveWishes({ approvable, planned: counts }: RunReport): Promise<void> {
    await request({ kind: 'approve', run: approvable ?? '', counts });
  }

  async function loseState(): Promise<void> {
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
  }

  /** A copy of the state between two runs. */
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

  async function request(decision: DecisionRequest): Promise<void> {
    const { store } = await trial.start();
    await store.sync('prospects').addRequest(decision as unknown as JsonObject);
  }

  /** Everything on disk, read in one go: the jumping clock would jump in a pause. */
  function stateOnDisk(): string {
    const folder = join(trial.folder, 'state', 'prospects');
    return readFileSync(join(folder, 'outbox.log'), 'utf8');
  }

  /** `email automation` -> state, as on disk; the process begins anew. */
  async function ledger(): Promise<Record<string, unknown>> {
    const { store } = await trial.start();
    const { ledger: entries } = await store.sync('prospects').load();
    return Object.fromEntries(
      [...entries].map(([key, { state }]) => {
        const [lead = '', flow = ''] = key.split(' ');
        const email = model.contacts.find(lead)?.record.work_email ?? lead;
        return [`${email} ${model.automations.table.get(flow).name}`, state];
      }),
    );
  }

  /** Linked contacts without wishes: later text in their rows is a new wish. */
  async function linked(...emails: string[]): Promise<string[]> {
    const uuids = emails.map((email) => trial.addContact({ first_name: email.split('@')[0]!, email }).uuid);
    await trial.run();
    return uuids;
  }
}

function columnLetter(index: number): string {
  return String.fromCodePoint('A'.codePointAt(0)! + index);
}

export function isCallOf(operation: string, { method, url }: Request): boolean {
  const isNew = url.endsWith('/add-new-lead');
  return (
    method === 'POST' &&
    (operation === 'automations.add-new-lead' ? isNew : /\/flows\/[^/]+\/leads\/[^/]+$/.test(url) && !isNew)
  );
}

export function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The configuration has no `automation`, and a new process. Returns what puts it back, with one more process. */
export async function startWithoutAutomation(
  trial: Pick<ReturnType<typeof createEnrolmentTrial>, 'configFile' | 'start'>,
): Promise<() => Promise<void>> {
  const { configFile } = trial;
  const text = readFileSync(configFile, 'utf8');
  const config = parse(text) as { syncs: { prospects: { automation?: object } } };
  const { automation: _off, ...prospects } = config.syncs.prospects;
  writeFileSync(configFile, stringify({ ...config, syncs: { prospects } }));
  await trial.start();
  return async () => {
    writeFileSync(configFile, text);
    await trial.start();
  };
}
