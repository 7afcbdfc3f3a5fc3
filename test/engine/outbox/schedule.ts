// One random schedule: people write rows, edit, sort, copy and clear them, cancel messages and ask for them again, also while a
// run is under way; calls are lost; processes are killed, also between an intent and its outcome; two daemons run at once on one
// state; the state is lost, or a backup of it restored. Then everything is quiet, and the service's own model is the referee.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type DecisionRequest, toStored } from '../../../src/engine/decision.ts';
import { createRandom } from '../../../src/standin/service/random.ts';
import { createServiceStandin } from '../../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../../src/standin/sheets/standin.ts';
import type { JsonObject } from '../../../src/state/port.ts';
import { createMortals, type Mortal } from '../../support/mortal.ts';

const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
const serviceUrl = 'http://127.0.0.1:4010';
const token = 'the-token-of-the-tests';
const headers = ['To', 'From', 'Text', 'Send'];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const cap = 3;
/** Enough for the cap to let everything through, and for what is refused to be asked again. */
const quietRuns = 14;

/** Where syncing to disk costs nothing: what is killed here is the process, not the machine. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A message, as the service took it. */
interface Carried {
  readonly at: number;
  readonly lead: string;
  readonly text: string;
}

export interface Verdict {
  readonly broken: readonly string[];
  readonly story: readonly string[];
  readonly carried: number;
  readonly unknown: number;
  readonly killed: number;
}

const otherActs = [
  ...(['send', 'send', 'send', 'send', 'edit', 'edit', 'edit', 'unsend', 'to', 'from', 'sort', 'insert'] as const),
  ...(['copy', 'copy visible', 'clear ID', 'clear uuid', 'clear sent', 'clear both', 'clear IDs', 'delete'] as const),
  ...(['retry', 'retry', 'retry', 'retry waiting', 'cancel', 'cancel'] as const),
];

export async function runSchedule(seed: number): Promise<Verdict> {
  const random = createRandom(seed);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const story: string[] = [];
  const broken: string[] = [];
  const carried: Carried[] = [];
  const folder = mkdtempSync(join(memoryFolder, 'leadsheet-test-'));
  const service = createServiceStandin({
    now: () => Date.now(),
    seed,
    acceptedTokens: [token],
    switches: {
      rateLimits: [],
      messageDelayMs: random.pick([0, 5000, hourMs]),
      messageOutcome: random.pick(['done', 'done', 'failed']),
    },
  });
  const { model } = service;
  const list = model.lists.add({ name: 'Prospects' });
  const people = ['ann', 'bob', 'cy'].map((name) => {
    const fields = { list_uuid: list.uuid, first_name: name, name, work_email: `${name}@firm.io` };
    return model.contacts.add({ fields }).record;
  });
  const sender = model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const recipients = [
    ...people.flatMap(({ uuid, work_email }) => [uuid, work_email ?? '']),
    'nobody@firm.io',
    'Ann',
    '',
  ];
  const senders = ['Sales', 'max muster', sender.uuid, 'Sales', 'Salez', ''];
  const sheets = createSheetsStandin({
    now: () => Date.now(),
    random: () => random.integer(0, 999_999) / 1_000_000,
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
  });
  sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [{ title: 'Outbox', sheetId: 7, rowCount: 80, columnCount: 12, values: [headers] }],
  });
  const person = sheets.person(spreadsheetId);
  const configFile = writeConfig(folder);
  const isTheCall = (url: string, init: { readonly method?: string }) =>
    init.method === 'POST' && url.includes('professional-network-messages');
  const mortals = createMortals({ random, configFile, serviceUrl, service, sheets, isTheCall });
  let tags = 0;
  let killed = 0;
  let isQuiet = false;
  /** Nobody approves anything after that: what is not proven has to be held (P6). */
  let isStateLost = false;
  const versions = new Map<string, number>();
  /** Tags of which a person made another message: a copy, or a row that they freed of all that says it was sent. */
  const loosened = new Set<string>();
  const retried = new Map<string, number>();
  const asked = new Map<string, string>();
  /** What people say with the next run, or while it is under way, by ID. */
  const said: { readonly kind: 'cancel' | 'retry'; readonly id: string; readonly tag: string }[] = [];
  /** Tags of messages that were cancelled, before any run of now, and that nobody touched since. */
  const cancelled = new Set<string>();
  const backup = join(folder, 'backup');
  let isRestored = false;

  try {
    watchSends();
    const turns = random.integer(3, 6);
    await mortals.start();
    // Whatever is said from now on is new: there is nothing to approve.
    await runOnce(mortals.living()[0]!);
    for (let rowsLeft = random.integer(2, 5); rowsLeft > 0; rowsLeft -= 1) personWrites();
    for (let turn = 0; turn < turns; turn += 1) {
      for (let act = random.integer(2, 9); act > 0; act -= 1) personActs();
      await daemonsRun();
      await pass(random.pick([1000, 20_000, 5 * minuteMs, 40 * minuteMs, hourMs]));
      if (chance(4)) loseState();
      else if (chance(15)) restoreState();
      if (chance(40)) backUp();
    }
    isQuiet = true;
    service.faults.clear();
    story.push('quiet');
    for (let round = 0; round < quietRuns; round += 1) {
      if (mortals.living().length === 0) await mortals.start();
      const isDone = rows().every(({ Sync = '' }) => !/^(?:waiting: (?!it is sent once)|failed)/.test(Sync));
      if (isDone && round > 2) break;
      await approve();
      await runOnce(mortals.living()[0]!);
      await pass(hourMs);
    }
    judge();
  } finally {
    mortals[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  }
  const unknown = rows().filter(({ Sync = '' }) => Sync.includes('outcome unknown')).length;
  return { broken, story, carried: carried.length, unknown, killed };

  function pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  function rows(): Readonly<Record<string, string>>[] {
    const [names = [], ...others] = person.read(`'Outbox'`);
    return others.map((row) => Object.fromEntries(names.map((name, index) => [textOf(name), textOf(row[index])])));
  }

  function cell(header: string, rowIndex: number): string | undefined {
    const [names = []] = person.read(`'Outbox'`);
    const index = names.indexOf(header);
    return index < 0 ? undefined : `'Outbox'!${String.fromCodePoint(65 + index)}${rowIndex + 2}`;
  }

  function put(header: string, index: number, text: string): void {
    const at = cell(header, index);
    if (at === undefined) return;
    if (text === '') person.clear(at);
    else person.paste(at, [[text]]);
  }

  function clear(index: number, ...cleared: readonly string[]): void {
    for (const header of cleared) put(header, index, '');
    const row = rows()[index] ?? {};
    if (isRestored && !isProof(row)) allowOnceMore(tagOf(row['Text']));
    // With nothing left that says whose it is, what is typed next is another message.
    if ((row['Outbox ID'] ?? '') === '' && (row['Message'] ?? '') === '') loosened.add(tagOf(row['Text']));
  }

  function personWrites(): void {
    tags += 1;
    versions.set(`t${tags}`, 1);
    const text = chance(93) ? `t${tags} v1` : '';
    // Most of them can be sent, or there would be little to judge.
    const to = random.pick(chance(80) ? recipients.slice(0, 6) : recipients);
    const from = random.pick(chance(80) ? senders.slice(0, 3) : senders);
    const cells = [to, from, text, random.pick(['yes', 'YES ', 'yes', 'yes', ''])];
    person.paste(`'Outbox'!A${rows().length + 2}`, [cells]);
    story.push(`row ${JSON.stringify(cells)}`);
  }

  function personActs(): void {
    const here = rows();
    const index = here.length === 0 ? -1 : random.integer(0, here.length - 1);
    const row = here[index];
    const act = chance(here.length < 4 ? 60 : 25) ? 'row' : random.pick(otherActs);
    if (act === 'row') return personWrites();
    if (!row) return;
    const tag = tagOf(row['Text']);
    story.push(`${act}: row ${index + 2} ${tag}`);
    if (act !== 'sort' && act !== 'insert') cancelled.delete(tag);
    switch (act) {
      case 'send':
        return put('Send', index, random.pick(['yes', 'Yes', 'ja']));
      case 'unsend':
        return put('Send', index, '');
      case 'edit': {
        const version = (versions.get(tag) ?? 1) + 1;
        versions.set(tag, version);
        if (tag !== '') put('Text', index, `${tag} v${version}`);
        return;
      }
      case 'to':
        return put('To', index, random.pick(chance(70) ? recipients.slice(0, 6) : recipients));
      case 'from':
        return put('From', index, random.pick(chance(70) ? senders.slice(0, 3) : senders));
      case 'sort':
        if (here.length > 1) person.moveRows('Outbox', index + 2, 1, 2);
        return;
      case 'insert':
        return person.insertRows('Outbox', index + 2, 1);
      case 'copy':
      case 'copy visible': {
        const cells = person.read(`'Outbox'`)[index + 1] ?? [];
        const copied = act === 'copy' ? cells : cells.slice(0, headers.length);
        person.paste(`'Outbox'!A${here.length + 2}`, [copied]);
        loosened.add(tag);
        return;
      }
      case 'clear ID':
        return clear(index, 'Outbox ID');
      case 'clear uuid':
        return clear(index, 'Message');
      case 'clear sent':
        return clear(index, 'Sent at');
      case 'clear both':
        return clear(index, 'Message', 'Sent at');
      case 'clear IDs':
        if (chance(30)) for (const each of here.keys()) clear(each, 'Outbox ID');
        return;
      case 'delete':
        if (chance(50)) person.deleteRows('Outbox', index + 2);
        return;
      case 'retry': {
        const id = row['Outbox ID'] ?? '';
        if (id !== '' && /^(?:sent|quarantined: outcome|refused)/.test(row['Sync'] ?? '') && chance(50))
          asked.set(id, tag);
        return;
      }
      case 'retry waiting':
      case 'cancel': {
        const id = row['Outbox ID'] ?? '';
        const kind = act === 'cancel' ? 'cancel' : 'retry';
        if (id !== '' && /^(?:waiting|held|$)/.test(row['Sync'] ?? '')) said.push({ kind, id, tag });
      }
    }
  }

  /** One or both daemons run; one of them may be killed at any step. */
  async function daemonsRun(): Promise<void> {
    while (mortals.living().length < 2) await mortals.start();
    await tellRequests();
    injectFaults();
    const runs = chance(40) ? mortals.living() : [random.pick(mortals.living())];
    if (chance(40)) random.pick(runs).dies = random.pick(['anywhere', 'in the call', 'in the call']);
    const own = said.splice(0);
    await Promise.all([...runs.map((daemon) => runOnce(daemon)), ...own.map((each) => say(each))]);
    // A run that was under way may have had the intent of its call stored. No later one sends it.
    for (const { tag } of own) {
      if (own.findLast((each) => each.tag === tag)?.kind === 'cancel') cancelled.add(tag);
    }
    service.faults.clear();
    if (chance(30)) await approve();
  }

  /** What nobody was asked about: it never has anything sent twice. */
  async function say({ kind, id, tag }: (typeof said)[number]): Promise<void> {
    const state = mortals.living()[0]!.app.store.sync('messages');
    // In the order in which they are said.
    await pass(said.length * 10 + 10 * tags);
    const origin = { by: 'somebody', at: new Date().toISOString(), through: 'cli', text: '' } as const;
    const request: DecisionRequest =
      kind === 'cancel'
        ? { kind, id, origin: { ...origin, seen: { state: 'waiting' } } }
        : { kind, id, origin: { ...origin, seen: { problems: [] } } };
    await state.addRequest(toStored(request));
    story.push(`${kind} ${tag}`);
  }

  async function runOnce(mortal: Mortal): Promise<void> {
    const request = { isFull: false, isAsked: chance(70) || isQuiet, signal: new AbortController().signal };
    const ended = await mortals.run(mortal, () => mortal.app.jobs.get('messages')!.run(request));
    const text = ended === 'killed' ? 'killed' : `${ended.status} ${ended.error ?? ''}`;
    if (ended === 'killed') killed += 1;
    story.push(`run of ${mortals.numberOf(mortal)}: ${text}`);
  }

  function loseState(): void {
    rmSync(join(folder, 'state'), { recursive: true, force: true });
    isStateLost = true;
    cancelled.clear();
    story.push('the state is lost');
  }

  function backUp(): void {
    if (!existsSync(join(folder, 'state'))) return;
    rmSync(backup, { recursive: true, force: true });
    cpSync(join(folder, 'state'), backup, { recursive: true });
    story.push('a backup of the state');
  }

  /** P6, S3: what the backup does not know is proven by its row, or may be sent once more. */
  function restoreState(): void {
    if (!existsSync(backup)) return;
    for (const each of mortals.living()) each.isDead = true;
    rmSync(join(folder, 'state'), { recursive: true, force: true });
    cpSync(backup, join(folder, 'state'), { recursive: true });
    isStateLost = isRestored = true;
    cancelled.clear();
    story.push('the backup is restored');
    const here = rows();
    for (const tag of new Set(carried.map(({ text }) => tagOf(text)))) {
      if (!here.some((row) => tagOf(row['Text']) === tag && isProof(row))) allowOnceMore(tag);
    }
  }

  function isProof({ Message = '', Sync = '', 'Sent at': sentAt = '' }: Readonly<Record<string, string>>): boolean {
    return Message !== '' || sentAt !== '' || Sync.includes('outcome unknown');
  }

  function allowOnceMore(tag: string): void {
    retried.set(tag, (retried.get(tag) ?? 0) + 1);
  }

  async function tellRequests(): Promise<void> {
    const state = mortals.living()[0]!.app.store.sync('messages');
    for (const [id, tag] of asked) {
      allowOnceMore(tag);
      const request: DecisionRequest = { kind: 'retry', id, isSure: true };
      await state.addRequest(toStored(request));
      story.push(`retry ${tag}`);
    }
    asked.clear();
  }

  async function approve(): Promise<void> {
    if (isStateLost) return;
    const state = mortals.living()[0]!.app.store.sync('messages');
    const held = (await state.load()).facts.get('held') as { run: string; planned: JsonObject } | null | undefined;
    if (!held) return;
    await state.addRequest({ kind: 'approve', run: held.run, counts: held.planned });
    story.push(`approve ${JSON.stringify(held.planned['messages'])}`);
  }

  function injectFaults(): void {
    const operations = [
      'network-messages.send',
      'network-messages.send',
      'network-messages.send',
      'contacts.search',
    ] as const;
    for (let count = random.integer(0, 3); count > 0; count -= 1) {
      const operation = chance(85)
        ? random.pick(operations)
        : random.pick(['network-messages.list', 'sender-profiles.list']);
      const when = random.pick(['before', 'after', 'after'] as const);
      const fault = random.pick([
        { kind: 'lost', when },
        { kind: 'blank', when },
        { kind: 'status', status: 502, when },
        { kind: 'status', status: 422 },
        { kind: 'rate_limited', waitMs: 2000 },
      ] as const);
      service.faults.inject({ ...fault, operation, times: random.integer(1, 3) });
      story.push(`fault ${operation} ${fault.kind} ${'when' in fault ? fault.when : ''}`);
    }
  }

  /** The service's side of every message, whether its answer arrived or not. */
  function watchSends(): void {
    const add = model.inbox.addMessage.bind(model.inbox);
    model.inbox.addMessage = (given) => {
      carried.push({ at: Date.now(), lead: given.lead_uuid ?? '', text: given.text ?? '' });
      const tag = tagOf(given.text ?? '');
      if (cancelled.has(tag) && !loosened.has(tag)) broken.push(`P7: ${tag} was cancelled, and sent by a later run`);
      story.push(`SENT ${given.text} to ${model.contacts.get(given.lead_uuid ?? '').record.first_name}`);
      return add(given);
    };
  }

  function judge(): void {
    const byMessage = Map.groupBy(carried, ({ lead, text }) => `${lead} ${text}`);
    for (const [message, { length }] of byMessage) {
      const tag = tagOf(message.split(' ').slice(1).join(' '));
      const allowed = 1 + (retried.get(tag) ?? 0);
      // The row that proves it may have been deleted, and a copy of its text stayed.
      if (isRestored && loosened.has(tag)) continue;
      if (length > allowed) broken.push(`L8, P1: ${message} was sent ${length} times, ${allowed} allowed`);
    }
    for (const [tag, { length }] of Map.groupBy(carried, ({ text }) => tagOf(text))) {
      const allowed = 1 + (retried.get(tag) ?? 0);
      if (length > allowed && !loosened.has(tag))
        broken.push(`P1, P5: ${tag} was sent ${length} times, ${allowed} allowed`);
    }
    // With the state what was called within the hour is lost, but for rows that still say when.
    for (const { at } of isStateLost ? [] : carried) {
      const inHour = carried.filter((other) => other.at <= at && other.at > at - hourMs).length;
      if (inHour > cap) broken.push(`P4: ${inHour} messages in the hour before ${new Date(at).toISOString()}`);
    }
    for (const row of rows()) judgeRow(row);
  }

  /** Every wish is carried out or its row says why not, and what it says is true. */
  function judgeRow(row: Readonly<Record<string, string>>): void {
    const { To = '', From = '', Text = '', Send = '', Sync = '', Message = '' } = row;
    const tell = (what: string) => broken.push(`${what}: ${JSON.stringify(row)}`);
    const lead = people.find(({ uuid, work_email }) => uuid === To || work_email === To)?.uuid;
    const isSender = senders.slice(0, 3).includes(From);
    if (/^(?:waiting|failed)/.test(Sync) && !Sync.includes('once Send says yes')) tell('L6: still waits after quiet');
    if (Sync.startsWith('sent') && !isStateLost && !model.inbox.messages.has(Message))
      tell('L2: says sent, and was not');
    if (Sync.includes('the contact does not exist') && lead !== undefined) tell('P4: there is such a contact');
    if (Sync.includes('no such sender') && isSender) tell('P4: there is such a sender');
    if (/(?:Text|To|From) is empty/.test(Sync) && Text !== '' && To !== '' && From !== '') tell('P4: nothing is empty');
    // What a row says that was sent before the state was lost is taken for what was sent (P6).
    if (
      !isStateLost &&
      /looks the same(?!.*(?:outcome is unknown|may have been))/.test(Sync) &&
      !carried.some((each) => each.lead === lead && each.text === Text)
    ) {
      tell('P2: nothing like it was sent');
    }
    if (Send.trim().toLowerCase() !== 'yes') return;
    if (Sync === '') tell('P1: nothing is said of it');
    if (Sync.startsWith('held') && !isStateLost) tell('P6: held, and the state was never lost');
    const isSendable = lead !== undefined && isSender && Text !== '';
    const isAnswered =
      /^(?:sent|refused: (?:looks|Injected fault)|quarantined: (?:outcome|copy of|says that|has the same ID)|held|cancelled)/.test(
        Sync,
      );
    if (isSendable && !isAnswered) tell('P1: it could have been sent');
  }
}

function tagOf(text = ''): string {
  return /^t\d+/.exec(text)?.[0] ?? '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function writeConfig(folder: string): string {
  const keyFile = join(folder, 'key.json');
  const { clientId, clientSecret, refreshToken } = account;
  const key = {
    type: 'authorized_user',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  writeFileSync(keyFile, JSON.stringify(key));
  const google = { credentials_file: keyFile, endpoint: 'http://127.0.0.1:4020', reads_per_minute: 60_000 };
  const messages = {
    resource: 'network_messages',
    spreadsheet: spreadsheetId,
    tab: 'Outbox',
    columns: { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' },
    sends_per_hour: cap,
  };
  const file = join(folder, 'leadsheet.yaml');
  writeFileSync(
    file,
    stringify({
      crm: { base_url: serviceUrl, token, requests_per_minute: 60_000 },
      google: { ...google, writes_per_minute: 60_000 },
      state: `file:${join(folder, 'state')}`,
      server: null,
      outbox: { messages },
    }),
  );
  return file;
}
