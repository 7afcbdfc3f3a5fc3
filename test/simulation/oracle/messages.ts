// Observes the outbox of a story: each state of its tab, each message that the service took, and how far each process had looked.
import type { MessageLog, MessageRow } from '../people/outbox-acts.ts';
import { messageRows, saysYes, tagOf } from '../people/outbox-acts.ts';
import { outboxTab } from '../world/setting.ts';
import type { SideEvent } from '../world/sides.ts';
import { cellText, contactValue } from '../world/view.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';

/** A message that the service took. */
export interface Sent {
  /** Epoch milliseconds of true time. */
  readonly at: number;
  readonly seq: number;
  readonly pid: number;
  /** The contact. */
  readonly uuid: string;
  readonly text: string;
  readonly subject: string;
  readonly tag: string;
  /** States of the tab from the last look of that process on, with what contacts were called in that time. */
  readonly since: readonly TabState[];
  /** Addresses that the contact had in that time, in small letters. */
  readonly addresses: ReadonlySet<string>;
}

export interface TabState {
  readonly seq: number;
  readonly rows: readonly MessageRow[];
}

/** A person had a message sent again that was sent, or may have been. */
export interface Again {
  readonly tag: string;
  readonly seq: number;
  /** The texts that the row had in the last run before the person was asked. */
  readonly shown: ReadonlySet<string>;
}

/** A person took a message back, and was told that no call is made. */
export interface TakenBack {
  readonly tag: string;
  readonly seq: number;
  /** How often Send had been emptied by then. */
  readonly unsaid: number;
}

export interface MessageEvidence {
  readonly log: MessageLog;
  readonly sent: readonly Sent[];
  readonly again: readonly Again[];
  readonly takenBack: readonly TakenBack[];
  /** The state of the outbox was lost: nothing that it held is expected of the program. */
  readonly isStateLost: boolean;
  /** Texts of rows that said yes when the state was lost, and how often Send of each had been emptied. No person approves them. */
  readonly unproven: ReadonlyMap<string, { readonly seq: number; readonly unsaid: number }>;
  readonly cap: number;
  /** What leadsheet changed in cells that people fill. */
  readonly overwritten: readonly string[];
}

export interface MessageObserver extends MessageEvidence {
  onSide(event: SideEvent, pid: number): void;
  /** A process asks for something. */
  asks(request: Request): void;
  answered(pid: number, request: Request, text: string): void;
  onRun(pid: number, is: 'begun' | 'ended'): void;
  retried(tag: string): void;
  cancelled(tag: string): void;
  stateLost(): void;
}

/** As long as a search may lag behind an edit, and a margin. */
const lagMs = 60_000;

interface MessageObserverDep {
  readonly log: MessageLog;
  readonly cap: number;
  readonly now: () => number;
  readonly content: () => Spreadsheet;
}

export function createMessageObserver({ log, cap, now, content }: MessageObserverDep): MessageObserver {
  const states: TabState[] = [{ seq: 0, rows: messageRows(content()) }];
  const sent: Sent[] = [];
  const again: Again[] = [];
  const takenBack: TakenBack[] = [];
  const addresses = new Map<string, { readonly address: string; readonly from: number; until: number }[]>();
  /** By request: the state that was the last one when it was made. */
  const asked = new WeakMap<Request, number>();
  /** By process: the oldest state that its last look may have shown. */
  const looked = new Map<number, number>();
  const running = new Set<number>();
  const unproven = new Map<string, { readonly seq: number; readonly unsaid: number }>();
  const overwritten: string[] = [];
  let shown = new Set<MessageRow>();
  let seq = 0;
  let isStateLost = false;

  function noteShown(): void {
    for (const row of states.at(-1)!.rows) shown.add(row);
  }

  return {
    log,
    sent,
    again,
    takenBack,
    unproven,
    cap,
    overwritten,
    get isStateLost() {
      return isStateLost;
    },
    onSide(event, pid) {
      seq += 1;
      if (event.side === 'crm') {
        const known = addresses.get(event.uuid) ?? [];
        for (const each of known) if (each.until === Infinity) each.until = now();
        if (event.after) {
          const held = [contactValue(event.after, 'email'), event.after.personal_email ?? ''];
          for (const text of held) known.push({ address: plain(text), from: now(), until: Infinity });
        }
        addresses.set(event.uuid, known);
      }
      if (event.side === 'sheet' && isTabChanged(event)) {
        if (event.by === 'leadsheet') overwritten.push(...overwrittenBy(event));
        states.push({ seq, rows: messageRows(event.after) });
        if (running.size > 0) noteShown();
      }
      if (event.side !== 'message') return;
      const from = looked.get(pid) ?? states.length - 1;
      const { uuid, text, subject } = event;
      const held = (addresses.get(uuid) ?? []).filter(({ until }) => until > now() - lagMs);
      sent.push({
        at: now(),
        seq,
        pid,
        uuid,
        text,
        subject,
        tag: tagOf(text),
        since: states.slice(from),
        addresses: new Set(held.map(({ address }) => address)),
      });
    },
    asks(request) {
      asked.set(request, states.length - 1);
    },
    answered(pid, request, text) {
      // The answer shows the tab: each message has its text, and the header is read with every look.
      if (request.url.includes(':4020') && /"m\d+ v\d+"|"Outbox ID"/.test(text)) looked.set(pid, asked.get(request)!);
    },
    onRun(pid, is) {
      if (is === 'ended') return void running.delete(pid);
      if (running.size === 0) shown = new Set();
      running.add(pid);
      noteShown();
    },
    retried(tag) {
      seq += 1;
      const texts = [...shown].flatMap((row) => (row.tag === tag ? [row.text] : []));
      again.push({ tag, seq, shown: new Set(texts) });
    },
    cancelled(tag) {
      seq += 1;
      // A run that sees Send without yes after the cancel lets the next yes count (P7).
      if (!states.at(-1)!.rows.some((row) => row.tag === tag && saysYes(row))) return;
      takenBack.push({ tag, seq, unsaid: log.unsaid.get(tag) ?? 0 });
    },
    stateLost() {
      isStateLost = true;
      for (const row of states.at(-1)!.rows)
        if (saysYes(row)) unproven.set(row.text.trim(), { seq, unsaid: log.unsaid.get(row.tag) ?? 0 });
    },
  };
}

export function plain(text: string): string {
  return text.trim().toLowerCase();
}

function isTabChanged({ before, after }: Extract<SideEvent, { side: 'sheet' }>): boolean {
  const [tab, tabNow] = [before, after].map((each) => each.findSheetByTitle(outboxTab));
  const [rows, rowsNow] = [tab?.rows ?? [], tabNow?.rows ?? []];
  if (rows.length !== rowsNow.length || rows.some((row, index) => row?.cells !== rowsNow[index]?.cells)) return true;
  return JSON.stringify(tab?.merges) !== JSON.stringify(tabNow?.merges);
}

/** What leadsheet writes into the tab of an outbox. All other cells are of people. */
const ownHeaders: ReadonlySet<string> = new Set(['Outbox ID', 'Message', 'Sent at', 'Delivery', 'Sync']);

/** L13: by row; leadsheet neither adds nor removes a row here. */
function overwrittenBy({ before, after }: Extract<SideEvent, { side: 'sheet' }>): readonly string[] {
  const [rows, rowsNow] = [before, after].map(cellsOfPeople);
  return rowsNow!.flatMap((now, index) =>
    now === (rows![index] ?? '{}') ? [] : [`leadsheet wrote row ${index + 2} of the outbox: ${rows![index]} -> ${now}`],
  );
}

function cellsOfPeople(content: Spreadsheet): readonly string[] {
  const [header, ...rows] = content.findSheetByTitle(outboxTab)?.rows ?? [];
  const names = (header?.cells ?? []).map((cell) => cellText(cell));
  return rows.map((row) =>
    JSON.stringify(
      Object.fromEntries(
        (row?.cells ?? []).flatMap((cell, column) => {
          const [name = '', text] = [names[column], cellText(cell)];
          return ownHeaders.has(name) || text === '' ? [] : [[name, text]];
        }),
      ),
    ),
  );
}
