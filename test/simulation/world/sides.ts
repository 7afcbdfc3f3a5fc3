// Both stand-ins, with an event for every change of either.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { createRandom, type Random } from '../../../src/standin/service/random.ts';
import { createServiceStandin, type ServiceStandin } from '../../../src/standin/service/standin.ts';
import type { SpreadsheetFile } from '../../../src/standin/sheets/model.ts';
import type { Person } from '../../../src/standin/sheets/people.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { createSheetsStandin, type SheetsStandin } from '../../../src/standin/sheets/standin.ts';
import type { Clock } from './clock.ts';
import { showSegment } from './view.ts';
import {
  automationNames,
  feedTab,
  filters,
  headerOf,
  listName,
  mirrorNames,
  mirrorTab,
  notesHeader,
  otherTab,
  outboxHeaders,
  outboxTab,
  type Setting,
  shownFields,
  spreadsheetId,
  statusHeader,
  sumHeader,
  tabTitle,
  token,
  wishHeader,
} from './setting.ts';

export const account = {
  email: 'robot@demo.iam.gserviceaccount.com',
  clientId: 'c',
  clientSecret: 's',
  refreshToken: 'r',
  scopes: ['https://www.googleapis.com/auth/spreadsheets', 'https://www.googleapis.com/auth/drive.metadata.readonly'],
};

/** An edit of either side, as it took effect. `by`: leadsheet, or a person. */
export type SideEvent =
  | {
      readonly side: 'crm';
      readonly by: 'leadsheet' | 'person';
      readonly uuid: string;
      readonly before: ContactRecord | undefined;
      readonly after: ContactRecord | undefined;
    }
  | {
      readonly side: 'sheet';
      readonly by: 'leadsheet' | 'person';
      readonly before: Spreadsheet;
      readonly after: Spreadsheet;
    }
  /** leadsheet asked the service to delete a contact, which exists until the service does it. */
  | { readonly side: 'deletion'; readonly uuid: string; readonly record: ContactRecord }
  /** The service took a message or an e-mail to a contact. `subject`: '' without one. */
  | { readonly side: 'message'; readonly uuid: string; readonly text: string; readonly subject: string }
  /** leadsheet asked the service to take a contact out of an automation, by its name. */
  | { readonly side: 'cancel'; readonly uuid: string; readonly automation: string }
  /** A contact was put into an automation: its uuid, and its name. */
  | { readonly side: 'enrolment'; readonly uuid: string; readonly automation: string; readonly name: string };

export interface Sides {
  readonly service: ServiceStandin;
  readonly sheets: SheetsStandin;
  readonly file: SpreadsheetFile;
  readonly person: Person;
  readonly lists: {
    readonly here: () => string | undefined;
    readonly other: string;
    /** The contact is in the list, and the filter lets it through (D4). */
    readonly isInScope: (contact: ContactRecord) => boolean;
    /** The filter of the configuration as it is now. */
    readonly filterBy: (filter: Setting['filter']) => void;
  };
  readonly random: Random;
  /** People do everything within. */
  readonly byPerson: <Result>(work: () => Result) => Result;
}

export function createSides(setting: Setting, seed: number, clock: Clock, told: (event: SideEvent) => void): Sides {
  const random = createRandom(seed);
  let isPerson = false;
  const by = () => (isPerson ? 'person' : 'leadsheet');
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const service = createServiceStandin({
    now: clock.now,
    seed,
    acceptedTokens: [token],
    switches: { rateLimits: [], ...setting.switches },
    receivedMax: 1,
    sleep,
  });
  const sheets = createSheetsStandin({
    now: clock.now,
    random: () => random.integer(0, 2 ** 30) / (2 ** 30 + 1),
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
    sleep,
  });
  const header = [
    notesHeader,
    ...setting.fields.map(({ field }) => headerOf[field]),
    statusHeader,
    ...(setting.automation ? [wishHeader] : []),
    sumHeader,
  ];
  const titles = [['People of spring'], ['as of', '2026-11-20']].slice(0, setting.titleRows ?? 0);
  const file = sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [
      { title: tabTitle, sheetId: 7, rowCount: 60, columnCount: 16, values: [...titles, header] },
      { title: otherTab, sheetId: 8, rowCount: 5, columnCount: 3, values: [['untouched', 1, true]] },
      ...(setting.hasFeed
        ? [
            {
              title: feedTab,
              sheetId: 9,
              rowCount: 40,
              columnCount: 8,
              values: [['ID', 'Name', ...(setting.hasFeedNotes ? ['Notes'] : [])]],
            },
          ]
        : []),
      ...mirrorNames(setting).map((name, index) => ({
        title: mirrorTab(name),
        sheetId: 20 + index,
        rowCount: 60,
        columnCount: 12,
        values: [shownFields(setting).map((field) => headerOf[field])],
      })),
      ...(setting.outbox
        ? [{ title: outboxTab, sheetId: 10, rowCount: 60, columnCount: 12, values: [outboxHeaders(setting.outbox)] }]
        : []),
    ],
  });
  const { model } = service;
  if (!setting.isListMissing) model.lists.add({ name: listName });
  const other = model.lists.add({ name: 'Elsewhere' }).uuid;
  if (setting.automation) for (const name of automationNames) model.automations.add({ name, status: 'on' });

  if (setting.outbox) {
    model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
    const addMessage = model.inbox.addMessage.bind(model.inbox);
    model.inbox.addMessage = (given) => {
      told({ side: 'message', uuid: given.lead_uuid ?? '', text: given.text ?? '', subject: '' });
      return addMessage(given);
    };
    const addEmail = model.inbox.addEmail.bind(model.inbox);
    model.inbox.addEmail = (given, parts) => {
      // A bounce comes in.
      if (given.type !== 'inbox')
        told({ side: 'message', uuid: given.lead_uuid, text: parts.body, subject: given.subject ?? '' });
      return addEmail(given, parts);
    };
  }

  const { contacts, automations, jobs } = model;
  const [add, change, remove] = [
    contacts.add.bind(contacts),
    contacts.change.bind(contacts),
    contacts.remove.bind(contacts),
  ];
  /** A value that a person types in the service itself keeps its form. */
  const inCapitals = <Given extends Parameters<typeof change>[1]>(given: Given): Given => {
    const company = given.fields?.company_name;
    if (!setting.isShouting || isPerson || !company) return given;
    return { ...given, fields: { ...given.fields, company_name: company.toUpperCase() } };
  };
  contacts.add = (given, at) => {
    const stored = add(inCapitals(given), at);
    showSegment(stored);
    told({ side: 'crm', by: by(), uuid: stored.record.uuid, before: undefined, after: stored.record });
    return stored;
  };
  contacts.change = (uuid, given, at) => {
    const before = contacts.find(uuid)?.record;
    const stored = change(uuid, inCapitals(given), at);
    showSegment(stored);
    if (before !== stored.record) told({ side: 'crm', by: by(), uuid, before, after: stored.record });
    return stored;
  };
  contacts.remove = (uuid, at) => {
    const before = contacts.find(uuid)?.record;
    remove(uuid, at);
    if (before) told({ side: 'crm', by: by(), uuid, before, after: undefined });
  };
  const dispatch = jobs.dispatch.bind(jobs);
  jobs.dispatch = (work, delayMs) => {
    const uuid = work.kind === 'delete_contact' ? work.lead_uuid : undefined;
    if (uuid !== undefined) told({ side: 'deletion', uuid, record: contacts.get(uuid).record });
    if (work.kind === 'cancel_enrolment')
      told({ side: 'cancel', uuid: work.lead_uuid, automation: automations.table.get(work.flow_uuid).name });
    dispatch(work, delayMs);
  };
  const enrol = automations.enrol.bind(automations);
  automations.enrol = (flow, lead, segment) => {
    told({ side: 'enrolment', uuid: lead, automation: flow, name: automations.table.get(flow).name });
    enrol(flow, lead, segment);
  };
  const edit = file.edit.bind(file);
  file.edit = (caller, work) => {
    const before = file.content;
    const result = edit(caller, work);
    told({ side: 'sheet', by: caller.email === account.email ? 'leadsheet' : 'person', before, after: file.content });
    return result;
  };

  let { filter } = setting;
  const here = () => [...model.lists.table.all()].find(({ name }) => name === listName)?.uuid;
  return {
    service,
    sheets,
    file,
    person: sheets.person(spreadsheetId),
    lists: {
      here,
      other,
      isInScope: (contact) => contact.list_uuid === here() && (!filter || filters[filter].passes(contact)),
      filterBy: (changed) => void (filter = changed),
    },
    random,
    byPerson: (work) => {
      isPerson = true;
      try {
        return work();
      } finally {
        isPerson = false;
      }
    },
  };
}
