// The files of an account and the spreadsheets in them.
import { Calculation } from './calculation.ts';
import { defaultProperties } from './default-properties.ts';
import { DriveView } from './drive-view.ts';
import { type Caller, type Edit, type EditBehaviour } from './edit.ts';

import { Sheet, makeRow } from './sheet.ts';
import { Spreadsheet } from './spreadsheet.ts';
import { typed, applyEntry } from './value-range.ts';

export type Role = 'owner' | 'writer' | 'reader';

/** One spreadsheet as a file: its access, its last change, and its content. */
export class SpreadsheetFile {
  readonly id: string;
  readonly createdTime: number;
  /** Of the last change, whether or not Drive shows it yet (`SheetsModel.drive`). */
  modifiedTime: number;
  readonly ownerEmail: string;
  /** Other readers and writers, by e-mail. */
  readonly sharedWith = new Map<string, 'writer' | 'reader'>();
  /** The content; never changed in place, so it may be kept and compared. */
  content: Spreadsheet;
  private readonly model: SheetsModel;
  private calculated: { readonly of: Spreadsheet; readonly calculation: Calculation } | undefined;

  constructor(model: SheetsModel, id: string, ownerEmail: string, content: Spreadsheet, createdTime: number) {
    this.model = model;
    this.id = id;
    this.ownerEmail = ownerEmail;
    this.content = content;
    this.createdTime = createdTime;
    this.modifiedTime = createdTime;
  }

  roleOf(email: string): Role | undefined {
    return email === this.ownerEmail ? 'owner' : this.sharedWith.get(email);
  }

  /** The present values; formulas are evaluated once per change. */
  get calculation(): Calculation {
    if (this.calculated?.of !== this.content) {
      this.calculated = { of: this.content, calculation: new Calculation(this.content, this.model.now()) };
    }
    return this.calculated.calculation;
  }

  /** Runs `change` on a draft and stores the draft; if `change` throws, nothing changes. */
  edit<T>(caller: Caller, change: (edit: Edit) => T): T {
    const draft = this.content.clone();
    const now = this.model.now();
    const result = change({
      spreadsheet: draft,
      caller,
      ownerEmail: this.ownerEmail,
      now,
      newId: () => this.model.newNumber(),
      behaviour: this.model.behaviour,
    });
    this.content = draft;
    this.modifiedTime = now;
    this.model.drive.note(this.id);
    return result;
  }
}

/** The initial content of a spreadsheet. */
export interface NewSpreadsheet {
  readonly title?: string;
  /** For a file that a test refers to by a known id; default: random. */
  readonly id?: string;
  readonly ownerEmail?: string;
  readonly writers?: readonly string[];
  readonly readers?: readonly string[];
  readonly timeZone?: string;
  /** Default: one tab `Sheet1` of 1000 rows and 26 columns. */
  readonly tabs?: readonly NewTab[];
}

export interface NewTab {
  readonly title: string;
  /** Default: 0 for the first tab, random for the others. */
  readonly sheetId?: number;
  /** Default 1000, or as many as the values need. */
  readonly rowCount?: number;
  /** Default 26, or as many as the values need. */
  readonly columnCount?: number;
  /** Rows from A1 on. Text is stored as it is, `null` and `""` are blank. */
  readonly values?: readonly (readonly (string | number | boolean | null)[])[];
  /** Reads text as if typed: `=A1`, `2026-01-02`, `12%`. */
  readonly typed?: boolean;
}

export interface SheetsModelOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** At least 0, less than 1; the source of all ids. */
  readonly random: () => number;
  readonly behaviour: EditBehaviour;
  /** The owner of files created without one. */
  readonly ownerEmail: string;
}

const idCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** All files. */
export class SheetsModel {
  readonly now: () => number;
  readonly behaviour: EditBehaviour;
  readonly ownerEmail: string;
  readonly drive: DriveView;
  private readonly random: () => number;
  private readonly fileById = new Map<string, SpreadsheetFile>();

  constructor(options: SheetsModelOptions) {
    this.now = options.now;
    this.random = options.random;
    this.behaviour = options.behaviour;
    this.ownerEmail = options.ownerEmail;
    this.drive = new DriveView(options.now);
  }

  /** A positive 31-bit number, as Google gives tabs and named ranges. */
  newNumber(): number {
    return 1 + Math.floor(this.random() * 2_147_483_646);
  }

  /** An id as Drive gives spreadsheets: 44 characters. */
  newFileId(): string {
    return `1${this.newSecret(43)}`;
  }

  /** Too many characters to be guessed. */
  newSecret(length: number): string {
    return Array.from({ length }, () => idCharacters.charAt(Math.floor(this.random() * idCharacters.length))).join('');
  }

  create(wanted: NewSpreadsheet = {}): SpreadsheetFile {
    const content = new Spreadsheet(defaultProperties(wanted.title ?? 'Untitled spreadsheet', wanted.timeZone));
    const tabs = wanted.tabs ?? [{ title: 'Sheet1' }];
    content.sheets = tabs.map((tab, index) => this.newSheet(tab, index));
    const file = this.add(content, wanted.id ?? this.newFileId(), wanted.ownerEmail ?? this.ownerEmail);
    for (const email of wanted.readers ?? []) file.sharedWith.set(email, 'reader');
    for (const email of wanted.writers ?? []) file.sharedWith.set(email, 'writer');
    return file;
  }

  private newSheet(tab: NewTab, index: number): Sheet {
    const values = tab.values ?? [];
    const width = values.reduce((widest, row) => Math.max(widest, row.length), 0);
    const sheet = new Sheet(
      tab.sheetId ?? (index === 0 ? 0 : this.newNumber()),
      tab.title,
      tab.rowCount ?? Math.max(1000, values.length),
      tab.columnCount ?? Math.max(26, width),
    );
    for (const [row, entries] of values.entries()) {
      sheet.rows[row] = makeRow(
        entries.map((value) => this.newCell(value, tab.typed ?? false)),
        undefined,
      );
    }
    return sheet;
  }

  private newCell(value: string | number | boolean | null, asTyped: boolean): ReturnType<typeof applyEntry> {
    if (value === null || value === '') return undefined;
    return asTyped && typeof value === 'string'
      ? applyEntry(undefined, typed(undefined, value, this.now()))
      : { value };
  }

  /** Adds a file of existing content. */
  add(content: Spreadsheet, id: string, ownerEmail: string): SpreadsheetFile {
    const file = new SpreadsheetFile(this, id, ownerEmail, content, this.now());
    this.fileById.set(id, file);
    this.drive.note(id, false);
    return file;
  }

  get(id: string): SpreadsheetFile | undefined {
    return this.fileById.get(id);
  }

  delete(id: string): void {
    this.fileById.delete(id);
    this.drive.note(id, false);
  }

  /** Newest first, as Drive lists them. */
  list(): readonly SpreadsheetFile[] {
    return [...this.fileById.values()].toSorted((a, b) => b.modifiedTime - a.modifiedTime);
  }
}
