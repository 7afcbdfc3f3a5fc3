// The acts of people in the tab of the outbox of a story: they write, edit, sort, copy and clear messages.
import type { OutboxAct } from '../scenario/scenario.ts';
import { outboxTab, senderNames } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { cellText } from '../world/view.ts';

export interface MessageRow {
  /** 1-based. */
  readonly number: number;
  /** The tag of the message: `m3` of the text `m3 v2`. '' if it has none. */
  readonly tag: string;
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly send: string;
  readonly id: string;
  readonly uuid: string;
  readonly time: string;
  readonly sync: string;
  /** Merged cells show another one in the place of one of its cells. */
  readonly isCovered: boolean;
  /** '' without such a column. Undefined: merged cells cover it (V3). */
  readonly subject: string | undefined;
}

/** The rows of the outbox that have any text. */
export function messageRows(content: Spreadsheet): readonly MessageRow[] {
  const sheet = content.findSheetByTitle(outboxTab);
  const [header, ...rows] = sheet?.rows ?? [];
  const names = (header?.cells ?? []).map((cell) => cellText(cell));
  return rows.flatMap((row, index) => {
    const cells = row?.cells ?? [];
    if (cells.every((cell) => cellText(cell) === '')) return [];
    const textOf = (name: string) => cellText(cells[names.indexOf(name)]);
    const text = textOf('Text');
    const [to, from, send, sync] = [textOf('To'), textOf('From'), textOf('Send'), textOf('Sync')];
    return [
      {
        number: index + 2,
        tag: tagOf(text),
        to,
        from,
        text,
        send,
        id: textOf('Outbox ID'),
        uuid: textOf('Message'),
        time: textOf('Sent at'),
        sync,
        isCovered: names.some((_, column) => sheet!.isCovered(index + 1, column)),
        subject: sheet!.isCovered(index + 1, names.indexOf('Subject')) ? undefined : textOf('Subject'),
      },
    ];
  });
}

export function tagOf(text: string): string {
  return /^m\d+/.exec(text)?.[0] ?? '';
}

/** P1: in any case, and blanks around it do not count. */
export function saysYes({ send }: Pick<MessageRow, 'send'>): boolean {
  return send.trim().toLowerCase() === 'yes';
}

/** The acts of people that the judge of messages has to know. */
export interface MessageLog {
  /** Tags of which a person made another message: a copy, or a row that they freed of all that says that it was sent. */
  readonly loosened: Set<string>;
  /** Tags of which people emptied what said that it was sent, so that no row says so. */
  readonly unproved: Set<string>;
  /** By tag: how often people emptied Send. */
  readonly unsaid: Map<string, number>;
  /** By tag: how many texts it had. */
  readonly versions: Map<string, number>;
  /** People merged cells of the tab. */
  hasMerged: boolean;
}

export function createMessageLog(): MessageLog {
  return { loosened: new Set(), unproved: new Set(), unsaid: new Map(), versions: new Map(), hasMerged: false };
}

const rowsMax = 12;

export type Parts = { readonly a: number; readonly b: number; readonly c: number };

/** Returns what was done; undefined: nothing could be. */
export function actOnOutbox(sides: Sides, log: MessageLog, what: OutboxAct, { a, b, c }: Parts): string | undefined {
  const { file, person } = sides;
  const rows = messageRows(file.content);
  const row = pick(rows, a);
  if (what === 'write message') return write();
  if (!row) return undefined;
  const { number, tag } = row;
  const told = `outbox: ${what}, row ${number} ${tag}`;
  switch (what) {
    case 'say send':
      put(number, 'Send', 'yes');
      return told;
    case 'unsay send':
      put(number, 'Send', b < 500 ? '' : 'no');
      for (const each of rows) if (each.tag === tag) log.unsaid.set(tag, (log.unsaid.get(tag) ?? 0) + 1);
      return told;
    case 'edit message': {
      if (tag === '') return undefined;
      const version = (log.versions.get(tag) ?? 1) + 1;
      log.versions.set(tag, version);
      put(number, 'Text', `${tag} v${version}`);
      return `${told}: v${version}`;
    }
    case 'change recipient':
      put(number, 'To', recipient(sides, b, c));
      return `${told}: ${recipient(sides, b, c)}`;
    case 'sort messages':
      if (rows.length < 2 || number < 3) return undefined;
      person.moveRows(outboxTab, number, 1, 2);
      return told;
    case 'insert message row':
      person.insertRows(outboxTab, number, 1);
      return told;
    case 'copy message': {
      if (rows.length >= rowsMax) return undefined;
      const cells = person.read(`'${outboxTab}'`)[number - 1] ?? [];
      // All of it, or what a person sees: the other columns are hidden, or to the right.
      person.paste(`'${outboxTab}'!A${below()}`, [b < 500 ? cells : cells.slice(0, 4)]);
      log.loosened.add(tag);
      return told;
    }
    case 'clear message ID':
      return clear('Outbox ID');
    case 'clear message uuid':
      return clear(...(b < 500 ? ['Message'] : ['Message', 'Sent at']));
    case 'delete message':
      person.deleteRows(outboxTab, number);
      return told;
  }

  function below(): number {
    return Math.max(1, ...rows.map((each) => each.number)) + 1;
  }

  function write(): string | undefined {
    if (rows.length >= rowsMax) return undefined;
    const cells = writtenCells(sides, log, { a, b, c });
    person.paste(`'${outboxTab}'!A${below()}`, [cells]);
    return `outbox: writes ${JSON.stringify(cells)} into row ${below()}`;
  }

  function put(rowNumber: number, header: string, text: string): void {
    const index = (person.read(`'${outboxTab}'`)[0] ?? []).indexOf(header);
    if (index < 0) return;
    const at = `'${outboxTab}'!${String.fromCodePoint(65 + index)}${rowNumber}`;
    if (text === '') person.clear(at);
    else person.paste(at, [[text]]);
  }

  function clear(...headers: readonly string[]): string {
    for (const header of headers) put(number, header, '');
    const after = messageRows(file.content);
    const now = after.find((each) => each.number === number);
    const isProved = (each: MessageRow) => each.uuid !== '' || each.time !== '';
    if (isProved(row!) && !after.some((each) => each.tag === tag && isProved(each))) log.unproved.add(tag);
    // With nothing left that says whose it is, what is typed next is another message.
    if (now?.id === '' && now.uuid === '') log.loosened.add(tag);
    return told;
  }
}

/** A new message: what people fill of it. */
export function writtenCells(sides: Sides, log: MessageLog, { a, b, c }: Parts): readonly string[] {
  const next = `m${log.versions.size + 1}`;
  log.versions.set(next, 1);
  const hasSubject = sides.person.read(`'${outboxTab}'`)[0]!.includes('Subject');
  const cells = [recipient(sides, a, b), sender(c), c % 20 === 7 ? '' : `${next} v1`, c % 5 === 1 ? '' : 'yes'];
  return hasSubject ? [...cells, c % 3 === 0 ? '' : `about ${next}`] : cells;
}

function recipient({ service }: Pick<Sides, 'service'>, which: number, how: number): string {
  if (how % 12 === 5) return 'nobody@firm.test';
  const all = [...service.model.contacts.all()].map(({ record }) => record);
  const record = pick(all, which);
  return (how % 2 === 0 ? record?.work_email : undefined) || (record?.uuid ?? '');
}

function sender(part: number): string {
  return part % 13 === 4 ? 'Salez' : senderNames[part % senderNames.length]!;
}

function pick<Item>(items: readonly Item[], part: number): Item | undefined {
  return items[Math.floor((part * items.length) / 1000)];
}
