// What people do in the service.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Act, CrmAct, ThemedCrmAct } from '../scenario/scenario.ts';
import { type FieldName, segment } from '../world/setting.ts';
import { contactValue, recordField } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { noteEntered, personLog } from './log.ts';
import { normalOf } from './token.ts';
import { pick, rowsMax, type Typing } from './typing.ts';

export interface CrmActs {
  readonly act: (what: CrmAct | ThemedCrmAct, act: Act) => boolean;
}

export function createCrmActs(
  { sides: { service, lists }, setting, log, ownerOf, view, here, away, lastWrite }: PeopleDep,
  { keys, texts, count, tell, tangle, oldTexts, newText, newNumeral, note, giveKey, forget, newPerson }: Typing,
): CrmActs {
  const { contacts } = service.model;
  /** What the service shows. */
  const shownTexts = texts.filter((field) => field !== segment);
  const movedOut: string[] = [];

  /** A contact without a row that holds the key of a deleted contact's row continues with that row (I10). */
  function leaveRow(name: string | undefined, gone: ContactRecord): void {
    const { rows } = view();
    const left = rows.find(({ id }) => id === gone.uuid);
    if (left === undefined) return;
    const isShown = (record: ContactRecord) =>
      keys.some(
        (key) => left.value(key) !== '' && normalOf(key, contactValue(record, key)) === normalOf(key, left.value(key)),
      );
    for (const heir of here()) {
      const whose = ownerOf(heir.uuid);
      if (whose === name || !isShown(heir) || rows.some(({ id }) => id === heir.uuid)) continue;
      tangle(name, 'ID');
      tangle(whose, 'ID');
    }
  }

  function setContact(record: ContactRecord, field: Exclude<FieldName, typeof segment>, text: string): void {
    note('crm', ownerOf(record.uuid), field, text);
    contacts.change(record.uuid, { fields: { [recordField(record, field)]: text === '' ? null : text } });
    tell(`crm: ${ownerOf(record.uuid)} ${field} = ${JSON.stringify(text)}`);
  }

  function deleteContact(record: ContactRecord, name: string | undefined): void {
    tell(`crm: deletes ${name}`);
    log.contactDeletions.push(log.seq);
    contacts.remove(record.uuid);
    leaveRow(name, record);
    for (const { field: each } of setting.fields) forget('crm', name, each, contactValue(record, each));
    const isGone = here().every(({ uuid }) => ownerOf(uuid) !== name);
    if (name !== undefined && isGone) personLog(log, name).deletedIn.add('crm');
    if (name !== undefined && !isGone) tangle(name, 'duplicate');
  }

  function addContact(name: string, email: string, act: Act, list_uuid = lists.here() ?? lists.other): void {
    const filledIn = setting.fields.flatMap(({ field }, index) => {
      const isLeftOut = field === 'email' || field === segment || (act.b + index * 331) % 1000 < 300;
      return isLeftOut ? [] : [{ field, text: newText(name, field, (act.c + index * 171) % 1000) }];
    });
    // No two people are entered in the same second.
    const at = service.world.now() - 1_000 * (count() % 97);
    for (const { field, text } of [...filledIn, { field: 'email' as const, text: email }])
      note('crm', name, field, text, at);
    giveKey(name, email);
    noteEntered(log, name, 'crm');
    const filled: Partial<ContactRecord> = Object.fromEntries(
      filledIn.map(({ field, text }) => [recordField(undefined, field), text]),
    );
    tell(`crm: enters ${name} ${JSON.stringify({ ...filled, email })}`);
    log.entering = name;
    contacts.add({ fields: { ...filled, work_email: email, list_uuid } }, at);
    log.entering = undefined;
  }

  function inCrm(what: CrmAct | ThemedCrmAct, act: Act): boolean {
    const present = here();
    if (what === 'enter known') {
      const row = pick(
        view().rows.filter(({ id }) => id === ''),
        act.a,
      );
      const whose = row?.notedPerson;
      const email = row?.value('email');
      if (whose === undefined || !email || present.some(({ uuid }) => ownerOf(uuid) === whose)) return false;
      tangle(whose, 'duplicate');
      addContact(whose, email, act);
      return true;
    }
    if (what === 'enter away') {
      if (away().length >= rowsMax) return false;
      const name = newPerson();
      tangle(name, 'moved');
      addContact(name, newText(name, 'email', act.c), act, lists.other);
      return true;
    }
    if (what === 'free key') {
      const known = pick(away(), act.a);
      const whose = known && ownerOf(known.uuid);
      if (!known || whose === undefined) return false;
      tangle(whose, 'key');
      if (act.b < 500) setContact(known, 'email', newText(whose, 'email', act.c));
      else deleteContact(known, whose);
      return true;
    }
    const record = pick(present, act.a);
    if (what === 'enter' || (!record && what !== 'move back')) {
      if (present.length >= rowsMax) return false;
      const name = newPerson();
      addContact(name, newText(name, 'email', act.c), act);
      return true;
    }
    const name = record && ownerOf(record.uuid);
    const field = pick(shownTexts, act.b)!;
    if (name === undefined && what !== 'move back') return false;
    switch (what) {
      case 'edit':
        setContact(record!, field, newText(name!, field, act.c));
        return true;
      case 'type number':
        setContact(record!, field, newNumeral(name!, field, act.c));
        return true;
      case 'clear':
        if (contactValue(record!, field) === '') return false;
        setContact(record!, field, '');
        return true;
      case 'old value': {
        const old = oldTexts(name, field);
        const chosen = pick(old, act.c);
        if (!chosen) return false;
        setContact(record!, field, chosen.text);
        return true;
      }
      case 'turn back': {
        const write = lastWrite('crm');
        const contact = write && contacts.find(write.uuid)?.record;
        if (!write || write.field === segment) return false;
        if (!contact || contactValue(contact, write.field) !== write.after) return false;
        setContact(contact, write.field, write.before);
        return true;
      }
      case 'long text': {
        const text = `${newText(name!, field, 0)} ${'x'.repeat(50_001)}`;
        note('crm', name, field, text);
        contacts.change(record!.uuid, { fields: { [recordField(record, field)]: text } });
        tell(`crm: ${name} ${field} = a text of more than 50,000 characters`);
        return true;
      }
      case 'edit key': {
        const key = pick(keys, act.b)!;
        tangle(name, 'key');
        setContact(record!, key, newText(name!, key, act.c));
        return true;
      }
      case 'swap keys':
      case 'swap profiles': {
        const key = what === 'swap keys' ? 'email' : 'network_id';
        if (!keys.includes(key)) return false;
        const other = pick(present, act.b);
        if (!other || other.uuid === record!.uuid) return false;
        const [mine, theirs] = [contactValue(record!, key), contactValue(other, key)];
        const both = [record!, other];
        const { rows } = view();
        const swapped = new Set([mine, theirs].filter((value) => value !== '').map((value) => normalOf(key, value)));
        // Further rows with one of the keys wait for it: they are the other person's now.
        const isAwaited = rows.some(
          (row) => swapped.has(normalOf(key, row.value(key))) && both.every(({ uuid }) => uuid !== row.id),
        );
        for (const each of both) {
          tangle(ownerOf(each.uuid), 'key');
          // Only the key identifies the rows so far.
          if (isAwaited || rows.every(({ id }) => id !== each.uuid)) tangle(ownerOf(each.uuid), 'ID');
        }
        setContact(record!, key, theirs);
        setContact(other, key, mine);
        return true;
      }
      case 'duplicate':
        tangle(name, 'duplicate');
        if (name === undefined) return false;
        addContact(name, contactValue(record!, 'email'), act);
        return true;
      case 'status':
        contacts.change(record!.uuid, { fields: { status: record!.status === 'replied' ? 'ok' : 'replied' } });
        // The filter may be another one than at the beginning (M9).
        if (!here().some(({ uuid }) => uuid === record!.uuid)) tangle(name, 'moved');
        tell(`crm: ${name} status changes`);
        return true;
      case 'delete':
      case 'recreate': {
        deleteContact(record!, name);
        const email = contactValue(record!, 'email');
        if (what === 'recreate' && name !== undefined) {
          tangle(name, 'recreated');
          addContact(name, email, act);
        }
        return true;
      }
      case 'move out':
        tangle(name, 'moved');
        movedOut.push(record!.uuid);
        contacts.change(record!.uuid, { fields: { list_uuid: lists.other } });
        tell(`crm: moves ${name} to another list`);
        return true;
      case 'move back': {
        const list_uuid = lists.here();
        const filteredOut = away().find((each) => each.list_uuid === list_uuid);
        if (filteredOut) {
          if (filteredOut.status !== 'ok') contacts.change(filteredOut.uuid, { fields: { status: 'ok' } });
          else setContact(filteredOut, 'position', newText(ownerOf(filteredOut.uuid) ?? 'nobody', 'position', act.c));
          log.movesBack.push(log.seq);
          tell(`crm: the filter lets ${ownerOf(filteredOut.uuid)} through again`);
          return true;
        }
        const uuid = movedOut.pop();
        if (uuid === undefined || list_uuid === undefined || !contacts.find(uuid)) return false;
        contacts.change(uuid, { fields: { list_uuid } });
        log.movesBack.push(log.seq);
        tell(`crm: moves ${ownerOf(uuid)} back`);
        return true;
      }
    }
  }

  return { act: inCrm };
}
