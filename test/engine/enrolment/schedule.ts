// One random schedule of enrolments: wishes, edits, cancels and retries, also while a run is under way, lost calls, killed
// processes (also between an intent and its outcome), two daemons on one state, a state that is lost or restored, and a
// configuration without enrolments for a while. In the end everything is quiet, and the model of the service judges.
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
const headers = ['First name', 'Email', 'Status', 'Automation', 'Enrolment'];
const wishes = ['Welcome', 'Nurture', 'Welcome', 'Nurture', 'Welcome, Nurture', 'Old', 'Wellcome', '', ''];
const acts = [
  ...(['row', 'row', 'wish', 'wish', 'wish', 'wish', 'status', 'contact', 'sort', 'delete'] as const),
  ...(['retry', 'retry waiting', 'cancel'] as const),
];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const cap = 3;
/** Enough runs for the cap to let every wish through, and for refused calls to be repeated. */
const quietRuns = 14;
const veto = 'replied';

/** A folder without cost of syncing: only processes are killed, not the machine. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A call that enrols, as the service carried it out. */
interface Carried {
  readonly at: number;
  readonly lead: string;
  readonly flow: string;
  /** The contact's Status at that instant. */
  readonly status: string;
}

export interface Verdict {
  readonly broken: readonly string[];
  readonly story: readonly string[];
  readonly carried: number;
  readonly unknown: number;
}

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
      addNewLeadAnswer: random.pick(['no_content', 'lead']),
      addTwice: random.pick(['accepted', 'conflict', 'refused']),
      cancelDelayMs: random.pick([0, 5000]),
    },
  });
  const { model } = service;
  const list = model.lists.add({ name: 'Prospects' });
  const flows = ['Welcome', 'Nurture'].map((name) => model.automations.add({ name, status: 'on' }));
  model.automations.add({ name: 'Old', status: 'archived' });
  const nameOf = new Map(flows.map(({ uuid, name }) => [uuid, name]));
  const sheets = createSheetsStandin({
    now: () => Date.now(),
    random: () => random.integer(0, 999_999) / 1_000_000,
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
  });
  sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [{ title: 'Prospects', sheetId: 7, rowCount: 60, columnCount: 10, values: [headers] }],
  });
  const person = sheets.person(spreadsheetId);
  const onClear = random.pick(['ignore', 'cancel']);
  const configFile = writeConfig(folder, onClear);
  const isTheCall = (url: string, init: { readonly method?: string }) =>
    init.method === 'POST' && /\/flows\/[^/]+\/(?:leads|add-new-lead)/.test(url);
  const mortals = createMortals({ random, configFile, serviceUrl, service, sheets, isTheCall });
  let isQuiet = false;
  let emails = 0;
  const asked = new Set<string>();
  /** E-mail addresses: a row that leadsheet appends again has an empty cell, which nobody emptied. */
  const deleted = new Set<string>();
  /** How often a person asked for it again. */
  const retried = new Map<string, number>();
  /** What people say with the next run, or while it is under way; `id`: `lead/flow`. */
  const said: { readonly kind: 'cancel' | 'retry'; readonly id: string }[] = [];
  /** `lead/flow` of what was cancelled, before any run of now, and that nobody touched since. */
  const cancelled = new Set<string>();
  const [state, backup] = [join(folder, 'state'), join(folder, 'backup')];
  /** E5: `lead/flow` of who was carried out, and whose cell did not name it when the column of wishes came back: nothing takes them out. */
  const keptIn = new Set<string>();
  let isStateLost = false;
  /** A run has stored what waits since the state was lost: before, there is nothing that a person could cancel. */
  let hasRunSince = true;
  let hasEnrolments = true;
  /** Calls that reached the service, by `lead/flow`. */
  const attempts = new Map<string, number>();

  try {
    watchEnrolments();
    for (let index = random.integer(1, 4); index > 0; index -= 1) newContact();
    const turns = random.integer(3, 6);
    for (let turn = 0; turn < turns; turn += 1) {
      for (let act = random.integer(1, 6); act > 0; act -= 1) personActs();
      await daemonsRun();
      await pass(random.pick([1000, 20_000, 5 * minuteMs, 40 * minuteMs, hourMs]));
      if (chance(5)) loseState('lost');
      else if (chance(8)) loseState('restored');
      if (chance(20)) backUp();
      if (chance(hasEnrolments ? 6 : 60)) switchEnrolments();
    }
    if (!hasEnrolments) switchEnrolments();
    isQuiet = true;
    service.faults.clear();
    story.push('quiet');
    for (let round = 0; round < quietRuns; round += 1) {
      if (mortals.living().length === 0) await mortals.start();
      const isDone = rows().every(({ Enrolment = '' }) => !/\b(?:waiting|held)\b/.test(Enrolment));
      if (isDone && round > 3) break;
      await approve();
      await runOnce(mortals.living()[0]!, round % 3 === 0);
      await pass(hourMs);
    }
    judge();
  } finally {
    mortals[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  }
  const unknown = rows().filter(({ Enrolment }) => /\bunknown\b/.test(Enrolment ?? '')).length;
  return { broken, story, carried: carried.length, unknown };

  function pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  function backUp(): void {
    if (!existsSync(state)) return;
    rmSync(backup, { recursive: true, force: true });
    cpSync(state, backup, { recursive: true });
    story.push('a backup of the state');
  }

  /** E6, S3: what the state does not know any more is proven by its row, or may be done once more if somebody approves it. */
  function loseState(how: 'lost' | 'restored'): void {
    if (how === 'restored' && !existsSync(backup)) return;
    endAll();
    rmSync(state, { recursive: true, force: true });
    if (how === 'restored') cpSync(backup, state, { recursive: true });
    isStateLost = true;
    hasRunSince = false;
    said.length = 0;
    cancelled.clear();
    story.push(`the state is ${how}`);
    for (const id of attempts.keys()) {
      const [lead, flow = ''] = id.split('/');
      const row = rows().find((each) => each['Contact ID'] === lead);
      const isProven = (row?.['Enrolment'] ?? '').split('; ').some((text) => isAbout(text, nameOf.get(flow) ?? ''));
      if (!isProven) allowOnceMore(id);
    }
  }

  function isAbout(text: string, name: string): boolean {
    return /^(?:enrolled|unknown)/.test(text) && text.includes(name);
  }

  function allowOnceMore(id: string): void {
    retried.set(id, (retried.get(id) ?? 0) + 1);
  }

  /** E6: a state that is not trusted stays so without enrolments in the configuration. */
  function switchEnrolments(): void {
    hasEnrolments = !hasEnrolments;
    writeConfig(folder, onClear, hasEnrolments);
    endAll();
    if (hasEnrolments) for (const each of carried) if (!isNamed(each)) keptIn.add(`${each.lead}/${each.flow}`);
    story.push(`the configuration ${hasEnrolments ? 'has enrolments again' : 'is without enrolments'}`);
  }

  function endAll(): void {
    for (const each of mortals.living()) each.isDead = true;
  }

  function newContact(): void {
    emails += 1;
    const email = `p${emails}@firm.io`;
    const fields = { list_uuid: list.uuid, first_name: `P${emails}`, name: `P${emails}`, work_email: email };
    model.contacts.add({ fields });
    story.push(`contact ${email}`);
  }

  function rows(): Readonly<Record<string, string>>[] {
    const [names = [], ...others] = person.read(`'Prospects'`);
    return others.map((row) => Object.fromEntries(names.map((name, index) => [textOf(name), textOf(row[index])])));
  }

  function cell(header: string, rowIndex: number): string {
    const [names = []] = person.read(`'Prospects'`);
    return `'Prospects'!${String.fromCodePoint(65 + names.indexOf(header))}${rowIndex + 2}`;
  }

  function personActs(): void {
    const here = rows();
    const index = here.length === 0 ? -1 : random.integer(0, here.length - 1);
    const act = random.pick(acts);
    switch (act) {
      case 'row': {
        emails += 1;
        const wish = random.pick(wishes);
        person.paste(`'Prospects'!A${here.length + 2}`, [[`P${emails}`, `p${emails}@firm.io`, null, wish]]);
        story.push(`row p${emails}@firm.io wishes "${wish}"`);
        return;
      }
      case 'wish': {
        if (index < 0) return;
        const wish = random.pick(wishes);
        person.type(cell('Automation', index), wish);
        for (const { uuid, name } of flows) {
          const id = `${here[index]!['Contact ID']}/${uuid}`;
          cancelled.delete(id);
          if (wish.split(', ').includes(name)) keptIn.delete(id);
        }
        story.push(`${here[index]!['Email']} wishes "${wish}"`);
        return;
      }
      case 'status': {
        const contacts = [...model.contacts.all()];
        if (contacts.length === 0) return;
        const { record } = random.pick(contacts);
        const status = record.status === veto ? 'ok' : veto;
        model.contacts.change(record.uuid, { fields: { status } }, Date.now());
        story.push(`${record.work_email} is ${status}`);
        return;
      }
      case 'contact':
        return newContact();
      case 'sort':
        if (here.length > 1) person.moveRows('Prospects', index + 2, 1, 2);
        return;
      case 'delete':
        if (index >= 0 && chance(30)) {
          person.deleteRows('Prospects', index + 2);
          deleted.add(here[index]!['Email'] ?? '');
          story.push(`${here[index]!['Email']} row deleted`);
        }
        return;
      case 'cancel':
      case 'retry waiting': {
        const { 'Contact ID': lead = '', Enrolment = '' } = here[index] ?? {};
        const id = `${lead}/${random.pick(flows).uuid}`;
        cancelled.delete(id);
        if (hasRunSince && hasEnrolments && lead !== '' && /^(?:waiting|held)/.test(Enrolment))
          said.push({ kind: act === 'cancel' ? 'cancel' : 'retry', id });
        return;
      }
      case 'retry':
        for (const row of here) {
          const uuid = row['Contact ID'] ?? '';
          for (const { uuid: flow } of flows) {
            if (/unknown|cancelling/.test(row['Enrolment'] ?? '') && uuid !== '' && chance(20))
              asked.add(`${uuid}/${flow}`);
          }
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
    await Promise.all([...runs.map((daemon) => runOnce(daemon, chance(20))), ...own.map((each) => say(each))]);
    // A run that was under way may have had the intent of its call stored. No later one enrols.
    for (const { id } of own) if (own.findLast((each) => each.id === id)?.kind === 'cancel') cancelled.add(id);
    service.faults.clear();
    if (chance(30)) await approve();
  }

  async function runOnce(mortal: Mortal, isFull: boolean): Promise<void> {
    const request = { isFull, isAsked: chance(70) || isQuiet, signal: new AbortController().signal };
    const ended = await mortals.run(mortal, () => mortal.app.jobs.get('prospects')!.run(request));
    const text = ended === 'killed' ? 'killed' : `${ended.status} ${ended.error ?? ''}`;
    if (ended !== 'killed' && ended.status !== 'failed' && hasEnrolments) hasRunSince = true;
    story.push(`run of ${mortals.numberOf(mortal)}: ${text}`);
  }

  /** What nobody was asked about: it never has anybody enrolled twice. */
  async function say({ kind, id }: (typeof said)[number]): Promise<void> {
    const store = mortals.living()[0]!.app.store.sync('prospects');
    await pass(10 * emails);
    const origin = { by: 'somebody', at: new Date().toISOString(), through: 'cli', text: '' } as const;
    const request: DecisionRequest =
      kind === 'cancel'
        ? { kind, id, origin: { ...origin, seen: { state: 'waiting' } } }
        : { kind, id, origin: { ...origin, seen: { problems: [] } } };
    await store.addRequest(toStored(request));
    story.push(`${kind} ${id}`);
  }

  async function tellRequests(): Promise<void> {
    const store = mortals.living()[0]!.app.store.sync('prospects');
    for (const id of asked) {
      allowOnceMore(id);
      cancelled.delete(id);
      const request: DecisionRequest = { kind: 'retry', id };
      await store.addRequest(toStored(request));
      story.push(`retry ${id}`);
    }
    asked.clear();
  }

  /** Approves the wishes that a new state found. */
  async function approve(): Promise<void> {
    const store = mortals.living()[0]!.app.store.sync('prospects');
    const held = (await store.load()).facts.get('held') as { run: string; planned: JsonObject } | null | undefined;
    if (held) await store.addRequest({ kind: 'approve', run: held.run, counts: held.planned });
  }

  function injectFaults(): void {
    const enrolling = ['automations.add-contact', 'automations.add-new-lead'] as const;
    const operations = [...enrolling, ...enrolling, 'contacts.lookup-one'] as const;
    for (let count = random.integer(0, 3); count > 0; count -= 1) {
      const operation = chance(85) ? random.pick(operations) : 'automations.cancel';
      const when = random.pick(['before', 'after', 'after'] as const);
      const fault = random.pick([
        { kind: 'lost', when },
        // A blank answer to adding by uuid means yes: 204 has no body either.
        { kind: operation === 'automations.add-new-lead' ? 'blank' : 'lost', when },
        { kind: 'status', status: 502, when },
        { kind: 'status', status: 422 },
        { kind: 'rate_limited', waitMs: 2000 },
      ] as const);
      service.faults.inject({ ...fault, operation, times: random.integer(1, 3) });
      story.push(`fault ${operation} ${fault.kind} ${'when' in fault ? fault.when : ''}`);
    }
  }

  /** Records every enrolment in the service, whether its answer arrived or not. */
  function watchEnrolments(): void {
    const { automations, contacts } = model;
    const enrol = automations.enrol.bind(automations);
    const assertNotEnrolled = automations.assertNotEnrolled.bind(automations);
    let isByUuid = false;
    automations.assertNotEnrolled = (flow, lead) => {
      isByUuid = true;
      note(flow, lead, 'by uuid');
      assertNotEnrolled(flow, lead);
    };
    automations.enrol = (flow, lead, segment) => {
      if (!isByUuid) note(flow, lead, 'with its creation');
      isByUuid = false;
      carried.push({ at: Date.now(), lead, flow, status: contacts.get(lead).record.status });
      enrol(flow, lead, segment);
    };
    const note = (flow: string, lead: string, how: string) => {
      const id = `${lead}/${flow}`;
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      if (cancelled.has(id)) broken.push(`E8: ${id} was cancelled, and enrolled by a later run`);
      if (!hasEnrolments) broken.push(`E1: ${id} was enrolled without enrolments in the configuration`);
      isByUuid &&= how === 'by uuid';
      story.push(`${contacts.get(lead).record.work_email} into ${nameOf.get(flow)} ${how}`);
    };
  }

  function judge(): void {
    for (const [id, count] of attempts) {
      const allowed = 1 + (retried.get(id) ?? 0);
      if (count > allowed) broken.push(`L8, E1: ${id} was enrolled ${count} times, ${allowed} allowed`);
    }
    // With the state it is lost what was called within the hour.
    for (const { at } of isStateLost ? [] : carried) {
      const inHour = carried.filter((other) => other.at <= at && other.at > at - hourMs).length;
      if (inHour > cap) broken.push(`E4: ${inHour} enrolments in the hour before ${new Date(at).toISOString()}`);
    }
    for (const { status, lead } of carried) if (status === veto) broken.push(`E4: ${lead} was vetoed and enrolled`);
    const byEmail = Map.groupBy([...model.contacts.all()], ({ record }) => record.work_email);
    for (const [email, { length }] of byEmail) if (length > 1) broken.push(`L8: ${length} contacts have ${email}`);
    for (const row of rows()) judgeRow(row);
    if (onClear === 'cancel' && !isStateLost) for (const each of carried) judgeClearing(each);
  }

  /** E5: whose cell does not name the automation any more is cancelled, however the call to enrol or a cancel ended. */
  function judgeClearing({ lead, flow }: Carried): void {
    const row = rows().find((each) => each['Contact ID'] === lead);
    if (!row || deleted.has(row['Email'] ?? '') || keptIn.has(`${lead}/${flow}`)) return;
    const parts = (row['Automation'] ?? '').split(', ').filter(Boolean);
    const isKnown = parts.every((part) => flows.some(({ name }) => name === part));
    if (!isKnown || parts.includes(nameOf.get(flow) ?? '')) return;
    if (model.automations.enrolment(flow, lead)?.state === 'active') {
      broken.push(`E5: still in ${nameOf.get(flow)}: ${JSON.stringify(row)}`);
    }
  }

  function isNamed({ lead, flow }: Carried): boolean {
    const row = rows().find((each) => each['Contact ID'] === lead);
    return (row?.['Automation'] ?? '').split(', ').includes(nameOf.get(flow) ?? '');
  }

  /** E1, E3, E4: every wish is carried out, or its row says why not; and the sentence is true. */
  function judgeRow(row: Readonly<Record<string, string>>): void {
    const { Automation = '', Enrolment = '', Email = '' } = row;
    const texts = Enrolment.split('; ');
    const contact = [...model.contacts.all()].find(({ record }) => record.work_email === Email)?.record;
    const tell = (what: string) => broken.push(`${what}: ${JSON.stringify(row)}`);
    for (const name of Automation.split(', ').filter(Boolean)) {
      if (texts.every((text) => !text.includes(name) && !/^(?:vetoed|cancelling|refused)/.test(text))) {
        tell(`E1: nothing is said of ${name}`);
      }
    }
    for (const text of texts) {
      if (/^(?:waiting|held)/.test(text)) tell('L6: still waits after everything was quiet');
      if (text.startsWith('vetoed') && contact?.status !== veto) tell('E4: vetoed without a veto');
      const named = flows.find(({ name }) => text.startsWith('enrolled') && text.endsWith(`in ${name}`));
      if (named && contact && !model.automations.enrolment(named.uuid, contact.uuid))
        tell('L2: says enrolled, and is not');
    }
    if (Email !== '' && row['Contact ID'] !== contact?.uuid) tell('I1: the row is not linked');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function writeConfig(folder: string, onClear: string, hasEnrolments = true): string {
  const keyFile = join(folder, 'key.json');
  const { email: _email, clientId, clientSecret, refreshToken } = account;
  const key = {
    type: 'authorized_user',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  writeFileSync(keyFile, JSON.stringify(key));
  const google = { credentials_file: keyFile, endpoint: 'http://127.0.0.1:4020', reads_per_minute: 60_000 };
  const sync = {
    contacts: { list: 'Prospects' },
    sheet: { spreadsheet: spreadsheetId, tab: 'Prospects' },
    columns: { 'First name': 'first_name', Email: 'email', Status: { field: 'status', direction: 'to_sheet' } },
    limits: { enrolments_per_hour: cap, changes: '100%', deletes: '100%', blanks: '100%' },
    ...(hasEnrolments && { automation: { column: 'Automation', unless: { Status: [veto] }, on_clear: onClear } }),
  };
  const file = join(folder, 'leadsheet.yaml');
  writeFileSync(
    file,
    stringify({
      crm: { base_url: serviceUrl, token, requests_per_minute: 60_000 },
      google: { ...google, writes_per_minute: 60_000 },
      state: `file:${join(folder, 'state')}`,
      server: null,
      syncs: { prospects: sync },
    }),
  );
  return file;
}
