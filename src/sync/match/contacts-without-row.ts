// Contacts without a row get one. A contact that was deleted and created again continues the link and the row of the old
// one (I2, I10).
import { lastSeen } from '../record/base.ts';
import { problem } from '../change.ts';
import { type Index, addToIndex } from './key-index.ts';
import { compileSoleKeys } from '../record/keys.ts';
import type { Reading } from '../value/value.ts';
import type { Matching } from './matching.ts';
import { type ContactRecord, unpack } from '../record/record.ts';

export interface ContactsWithoutRow {
  /** Contacts that get a row. */
  readonly newContacts: readonly ContactRecord[];
  /** New uuid -> the uuid of the link it continues (I10). */
  readonly relinks: ReadonlyMap<string, string>;
}

/** Contacts that need a decision first are left out. */
export function matchContactsWithoutRow(matching: Matching): ContactsWithoutRow {
  const { input, contactByUuid, rowByUuid, withheld } = matching;
  const { links } = input.base;
  const unlinked: ContactRecord[] = [];
  contactByUuid.forEach((contact, uuid) => {
    if (!links.has(uuid) && !rowByUuid.has(uuid) && !withheld.has(uuid)) unlinked.push(contact);
  });
  unlinked.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  if (unlinked.length === 0 || links.size === 0) return { newContacts: unlinked, relinks: new Map() };
  return continueLinks(matching, unlinked);
}

/**
 * A contact that was deleted and created again has the key of the old one: the link continues with the new uuid. Of two
 * contacts that are gone and had that key nobody can tell which one it was, and one that has another e-mail or handle is
 * somebody else: such a contact gets a row of its own (L9).
 */
function continueLinks(matching: Matching, unlinked: readonly ContactRecord[]): ContactsWithoutRow {
  const { input, keys, rowByUuid, sharedIds, questions, problems } = matching;
  const linksByKey = indexUnreadLinks(matching);
  const sole = compileSoleKeys(input.mapping);
  const successors = new Map<string, ContactRecord[]>();
  const undecided = new Set<ContactRecord>();
  const held = new Set<ContactRecord>();
  for (const contact of unlinked) {
    const values = unpack(contact.values);
    const sharing = new Set(keys.of(values).flatMap((key) => linksByKey.get(key) ?? []));
    const gone: string[] = [];
    for (const uuid of sharing) {
      if (isSomebodyElse(values, uuid)) continue;
      const answer = input.answers.contacts.get(uuid);
      if (answer?.kind === 'gone') {
        if (rowByUuid.has(uuid) || sharedIds.has(uuid)) gone.push(uuid);
      } else if (answer === undefined) questions.push({ kind: 'contact', uuid, rule: 'I10' });
      if (answer === undefined || answer.kind === 'unanswered') undecided.add(contact);
    }
    if (gone.length === 1) addToIndex(successors, gone, contact);
  }
  const relinks = new Map<string, string>();
  for (const [uuid, [successor, ...more]] of successors) {
    const row = rowByUuid.get(uuid);
    const shared = sharedIds.get(uuid);
    if (shared && !shared.keeper) holdSuccessors(uuid);
    if (!successor || more.length > 0 || !row || relinks.has(successor.uuid)) continue;
    relinks.set(successor.uuid, uuid);
    if (shared) sharedIds.set(successor.uuid, shared);
    rowByUuid.delete(uuid);
    rowByUuid.set(successor.uuid, row);
  }
  const newContacts = unlinked.filter(
    (contact) => !relinks.has(contact.uuid) && !undecided.has(contact) && !held.has(contact),
  );
  for (const { uuid } of undecided) {
    problems.push(
      problem('waiting', { uuid }, 'I10', 'shares a key with a contact that may be gone: is being looked up'),
    );
  }
  return { newContacts, relinks };

  function isSomebodyElse(values: readonly Reading[], uuid: string): boolean {
    const before = unpack(lastSeen(input.base.links.get(uuid)!, 'crm'));
    return sole.readers.some((read) => {
      const [own, other] = [read(values), read(before)];
      return own !== undefined && other !== undefined && own !== other;
    });
  }

  /** I4: which row the new contact would continue cannot be told, so neither is used, and no third row is appended. */
  function holdSuccessors(uuid: string): void {
    const reason = `may go on with the row of ${uuid}, which cannot be told from a copy of it: clear the ID in the rows that are copies`;
    for (const contact of successors.get(uuid) ?? []) {
      if (!held.has(contact)) problems.push(problem('held', { uuid: contact.uuid }, 'I4', reason));
      held.add(contact);
    }
  }
}

function indexUnreadLinks({ input: { base }, contactByUuid, keys }: Matching): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of base.links) {
    if (!contactByUuid.has(uuid)) addToIndex(index, keys.of(unpack(lastSeen(link, 'crm'))), uuid);
  }
  return index;
}
