// Writes configuration files: the text of a new one, and a sync or an account added to one that exists.
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, parseDocument, visit } from 'yaml';
import { isMapping } from './checks/check.ts';
import { SettingsError } from './settings-error.ts';
import { markReferences, unmarkReferences } from './source.ts';
import { commentsOf } from './yaml-comments.ts';

/** The options of a sync in the words of the file. Texts are meant as they are: `${` is escaped here. */
export type SyncText = Readonly<Record<string, unknown>>;

export interface NewConfig {
  readonly name: string;
  readonly sync: SyncText;
  /** As in the file, references included. */
  readonly crm: Readonly<Record<string, unknown>>;
  readonly google: Readonly<Record<string, unknown>>;
  /** leadsheet.schema.json lies beside the file, for editors. */
  readonly hasSchema: boolean;
}

const schemaLine = ' yaml-language-server: $schema=./leadsheet.schema.json\n';

/** `comments`: by option of the sync, a sentence that stands behind it. */
export function newConfigText(
  { name, sync, crm, google, hasSchema }: NewConfig,
  comments: Readonly<Record<string, string>> = {},
): string {
  const document = new Document({ crm, google, syncs: { [name]: escaped(sync) } });
  document.commentBefore = `${hasSchema ? schemaLine : ''} Made by leadsheet init. docs/configuration.md has every option.`;
  shape(document, name, comments);
  return document.toString({ lineWidth: 0 });
}

/**
 * The file with one more sync, after the others; comments, order and references stay. Blanks may be set anew. The text
 * has to be a valid configuration. Throws SettingsError if something else would be changed.
 */
export function textWithSync(
  text: string,
  name: string,
  sync: SyncText,
  comments: Readonly<Record<string, string>> = {},
): string {
  const document = parseDocument(markReferences(text));
  openSection(document, 'syncs');
  document.setIn(['syncs', name], document.createNode(escaped(sync)));
  shape(document, name, comments);
  return checked(text, document, ['syncs', name]);
}

/** The sections of an account as in the file, references included. */
export interface AccountText {
  readonly crm: Readonly<Record<string, string>>;
  readonly google: Readonly<Record<string, string>>;
}

/** The same with one more account, after the others; a new section `accounts` stands before the jobs. */
export function textWithAccount(text: string, name: string, { crm, google }: AccountText): string {
  const document = parseDocument(markReferences(text));
  const { contents } = document;
  const isNew = !document.has('accounts');
  openSection(document, 'accounts');
  if (isNew && isMap(contents)) {
    const jobs = contents.items.findIndex(({ key }) => isScalar(key) && jobSections.has(key.value));
    if (jobs !== -1) contents.items.splice(jobs, 0, ...contents.items.splice(-1));
  }
  const marked = (section: AccountText['crm']) =>
    Object.fromEntries(Object.entries(section).map(([option, value]) => [option, markReferences(value)]));
  document.setIn(['accounts', name], document.createNode({ crm: marked(crm), google: marked(google) }));
  return checked(text, document, ['accounts', name]);
}

const jobSections: ReadonlySet<unknown> = new Set(['syncs', 'feeds', 'outbox']);

function openSection(document: Document.Parsed, key: 'accounts' | 'syncs'): void {
  const before: unknown = document.get(key, true);
  if (!isMap(before)) {
    const section = document.createNode({});
    section.commentBefore = commentsOf(before);
    document.set(key, section);
  }
  const section = document.get(key);
  // Items of many lines do not fit in braces.
  if (isMap(section)) section.flow = false;
}

/** Nothing but the new item may be different, whatever anchors and styles the file has. */
function checked(
  before: string,
  document: Document,
  [section, name]: readonly [section: string, name: string],
): string {
  const after = unmarkReferences(document.toString({ lineWidth: 0 }));
  const [was, is] = [before, after].map((text): unknown => parseDocument(markReferences(text)).toJS());
  const { [section]: all, ...rest } = isMapping(is) ? is : {};
  const { [name]: _added, ...others } = isMapping(all) ? all : {};
  const { [section]: known, ...restBefore } = isMapping(was) ? was : {};
  if (!isDeepStrictEqual([rest, others], [restBefore, known ?? {}])) {
    throw new SettingsError(
      `the file cannot be changed without changing more than ${section}.${name}: edit it by hand`,
    );
  }
  return after;
}

/** Columns with settings and lists of keys go on one line, as people write them. */
function shape(document: Document, name: string, comments: Readonly<Record<string, string>>): void {
  const columns = document.getIn(['syncs', name, 'columns']);
  if (isMap(columns)) for (const { value } of columns.items) if (isMap(value)) value.flow = true;
  const match = document.getIn(['syncs', name, 'match'], true);
  if (match !== undefined)
    visit(match as Parameters<typeof visit>[0], { Seq: (_key, node) => void (node.flow = true) });
  for (const [option, comment] of Object.entries(comments)) {
    const node = document.getIn(['syncs', name, option], true);
    if (isScalar(node)) node.comment = ` ${comment}`;
  }
}

/** `${` in a value would be a reference. Keys are never references. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escaped(item)]));
}
