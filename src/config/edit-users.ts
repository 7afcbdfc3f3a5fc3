// Adds and removes users in the text of a configuration file; comments, order and references stay.
import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { SettingsError } from './settings-error.ts';
import { markReferences, unmarkReferences } from './source.ts';
import { type Role, userKey } from './users.ts';
import { commentsOf } from './yaml-comments.ts';

export interface UserEntry {
  readonly name: string;
  readonly role: Role;
  /** Left out: all. */
  readonly accounts?: readonly string[];
  readonly password_hash: string;
}

export interface NamedUser {
  readonly name: string;
  /** As in the file; another word is an error that the server names at its start. */
  readonly role: string;
  /** Left out: all. */
  readonly accounts?: readonly string[];
}

const path = ['server', 'users'];

/** Users of a file, also of one with other faults. Throws SettingsError if it is no YAML, or has no such list. */
export function usersInText(text: string): readonly NamedUser[] {
  const document = read(text);
  return entriesOf(document).map((entry) => {
    const accounts = textsOf(document, entry, 'accounts');
    const [name, role] = [textOf(document, entry, 'name'), textOf(document, entry, 'role')];
    return { name, role, ...(accounts && { accounts }) };
  });
}

/** The names of the accounts of a file; those of files that it includes are not among them. Throws SettingsError. */
export function accountsInText(text: string): readonly string[] {
  const accounts: unknown = read(text).get('accounts');
  return isMap(accounts) ? accounts.items.map(({ key }) => (isScalar(key) ? String(key.value) : String(key))) : [];
}

/** Whether the file includes others. Throws SettingsError. */
export function includesInText(text: string): boolean {
  return read(text).has('include');
}

/** Whether the file lets operators decide. Throws SettingsError if it is no YAML. */
export function letsDecideInText(text: string): boolean {
  const document = read(text);
  return isMap(document.contents) && document.getIn(['server', 'console']) === 'write';
}

/** Whether the file lets people in without a login. Throws SettingsError if it is no YAML. */
export function isOpenInText(text: string): boolean {
  const document = read(text);
  if (!isMap(document.contents)) return true;
  const isSet = (...option: readonly string[]) => document.hasIn(['server', ...option]);
  return (
    entriesOf(document).length === 0 &&
    !isSet('password') &&
    !isSet('password_file') &&
    !isSet('trusted_proxy', 'header')
  );
}

/** A user of that name, whatever its case, is replaced: its entry keeps its place and its comments. Throws SettingsError. */
export function textWithUser(text: string, user: UserEntry): string {
  const document = read(text);
  if (!isMap(document.contents)) document.contents = document.createNode({}) as typeof document.contents;
  const known = entriesOf(document).find(isUser(document, user.name));
  if (known) setUser(document, known, user);
  else if (isSeq(document.getIn(path))) document.addIn(path, document.createNode(user));
  else document.setIn(path, listOf(document, user));
  return checked(text, document, user.name, true);
}

/** Undefined: no user has that name. Throws SettingsError. */
export function textWithoutUser(text: string, name: string): string | undefined {
  const document = read(text);
  const index = entriesOf(document).findIndex(isUser(document, name));
  if (index < 0) return undefined;
  document.deleteIn([...path, index]);
  return checked(text, document, name, false);
}

/** The entry, for a person who puts it into the file. */
export function entryText(user: UserEntry): string {
  return stringify({ server: { users: [user] } }, { lineWidth: 0 });
}

/** The list that takes the place of one without a value. */
function listOf(document: Document, user: UserEntry): YAMLSeq {
  const list = document.createNode([user]);
  const before = isMap(document.contents) ? document.getIn(path, true) : undefined;
  list.commentBefore = commentsOf(before);
  return list;
}

/** A user that is changed sees what the new entry says: all accounts if it names none. */
function setUser(document: Document, known: YAMLMap, user: UserEntry): void {
  if (!user.accounts) known.delete('accounts');
  for (const [key, value] of Object.entries(user)) {
    known.set(key, typeof value === 'string' ? value : document.createNode(value, { flow: true }));
  }
}

function read(text: string): Document {
  const document = parseDocument(markReferences(text));
  const [fault] = document.errors;
  if (fault) throw new SettingsError(`the file is no YAML (${fault.message.split('\n')[0]}): correct that first`);
  if (document.contents !== null && document.getIn(['server']) === null) {
    throw new SettingsError('server is null in the file, so there is no console: remove that line first');
  }
  return document;
}

function entriesOf(document: Document): readonly YAMLMap[] {
  const list: unknown = isMap(document.contents) ? document.getIn(path) : undefined;
  if (list === undefined || list === null) return [];
  if (!isSeq(list) || !list.items.every(isMap)) {
    throw new SettingsError('server.users is no list of users in the file: correct that first');
  }
  return list.items;
}

function isUser(document: Document, name: string): (entry: YAMLMap) => boolean {
  return (entry) => userKey(textOf(document, entry, 'name')) === userKey(name);
}

/** An alias stands for what its anchor has. */
function valueOf(document: Document, entry: YAMLMap, key: string): unknown {
  const value = entry.get(key, true);
  return isAlias(value) ? value.resolve(document) : value;
}

function textOf(document: Document, entry: YAMLMap, key: string): string {
  const value = valueOf(document, entry, key);
  return isScalar(value) && typeof value.value === 'string' ? unmarkReferences(value.value) : '';
}

function textsOf(document: Document, entry: YAMLMap, key: string): readonly string[] | undefined {
  const list = valueOf(document, entry, key);
  if (!isSeq(list)) return undefined;
  return list.items.map((each) => {
    const item = isAlias(each) ? each.resolve(document) : each;
    return unmarkReferences(isScalar(item) ? String(item.value) : String(item));
  });
}

/**
 * Nothing but the entry of this user may be different, whatever anchors, references and styles the file has: an anchor in that entry
 * may be what another user has, too.
 */
function checked(before: string, document: Document, name: string, isAdded: boolean): string {
  const list = document.getIn(path);
  // An entry in braces is longer than a line.
  if (isAdded && isSeq(list)) list.flow = false;
  const server = document.getIn(['server']);
  if (isMap(server)) server.flow = isAdded ? false : (server.flow ?? false);
  const after = outside(document);
  if (after === undefined || !isDeepStrictEqual(withoutUser(before, name), withoutUser(after, name))) {
    throw new SettingsError('the file cannot be changed without changing more than this user: edit it by hand');
  }
  return after;
}

/** Undefined: an alias of the file has lost its anchor. */
function outside(document: Document): string | undefined {
  try {
    return unmarkReferences(document.toString({ lineWidth: 0 }));
  } catch {
    return undefined;
  }
}

function withoutUser(text: string, name: string): unknown {
  const value: unknown = parseDocument(markReferences(text)).toJS();
  if (typeof value !== 'object' || value === null) return {};
  const { server, ...rest } = value as Readonly<Record<string, unknown>>;
  const { users, ...others } = (server ?? {}) as Readonly<Record<string, unknown>>;
  const isOther = (user: unknown) => {
    const known = typeof user === 'object' && user !== null && 'name' in user ? user.name : undefined;
    return typeof known !== 'string' || userKey(unmarkReferences(known)) !== userKey(name);
  };
  return { ...rest, server: others, users: Array.isArray(users) ? users.filter(isOther) : [] };
}
