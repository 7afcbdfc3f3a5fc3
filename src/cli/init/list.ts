// Asks for the list of the service: by its number in a list with counts, or a new one.
import type { Crm } from '../../crm/port.ts';
import { ServiceError } from '../../crm/errors.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { type ContactsRead, findLists, type ListFound, readContacts } from '../../operator/init/service.ts';
import { countText } from '../../operator/words.ts';
import { CommandFailed } from '../errors.ts';
import { Refused, type Session } from './session.ts';

export interface ListAnswer extends ContactsRead {
  /** As the file names it: its name if only one list has it, else its uuid. */
  readonly list: string;
  readonly isNew: boolean;
}

/** Contacts that samples and counts of keys are made of: ten calls. */
const contactsMax = 1_000;
const newList = 'new list';
/** Kept in the answers, so that a later init knows what was meant. */
const newPrefix = 'new:';

/** `mayMake`: `--create-list`, for a name that no list has. */
export async function askList(session: Session, crm: Crm, mayMake: boolean): Promise<ListAnswer> {
  const { stop } = session.world;
  const call = { signal: stop };
  const { lists, notice } = await findLists(crm, call);
  if (notice !== undefined) session.warn(notice);
  const largest = lists.toSorted((a, b) => (b.contacts ?? 0) - (a.contacts ?? 0))[0];
  const chosen = await session.answer({
    id: 'list',
    what: 'the list of the service, by its name, uuid or number',
    parse: (text) => pick(text, lists, mayMake),
    async ask(prompts) {
      const value = await prompts.choose({
        message: 'The list of contacts. New rows become contacts of it',
        options: [
          ...lists.map(({ uuid, name, contacts }, index) => ({
            value: uuid,
            label: `${index + 1}. ${name}`,
            ...(contacts !== undefined && { hint: countText(contacts, 'contact') }),
          })),
          { value: newList, label: 'A new list, which the first run makes' },
        ],
        ...(largest && { initial: largest.uuid }),
      });
      if (value !== newList) return value ?? '';
      return `${newPrefix}${await prompts.text({ message: 'The name of the new list', proposal: 'Prospects' })}`;
    },
  });
  if (chosen.kind === 'new') return { list: chosen.name, isNew: true, contacts: [], isCut: false };
  const { uuid, name, contacts } = chosen.list;
  session.say(`The list is "${name}"${contacts === undefined ? '' : ` with ${countText(contacts, 'contact')}`}`);
  const read = await readContacts(crm, uuid, contactsMax, call).catch((error: unknown) => {
    if (error instanceof ServiceError) throw new CommandFailed(error.message, { cause: error });
    throw error;
  });
  const isAlone = lists.filter((list) => list.name === name).length === 1;
  return { ...read, list: isAlone && name === name.trim() && name !== '' ? name : uuid, isNew: false };
}

type Picked = { readonly kind: 'known'; readonly list: ListFound } | { readonly kind: 'new'; readonly name: string };

function pick(text: string, lists: readonly ListFound[], mayMake: boolean): Picked {
  const wanted = text.trim();
  if (wanted === '') throw new Refused('a list has a name');
  const named = lists.filter(({ name, uuid }) => name === text || name === wanted || uuid === wanted.toLowerCase());
  if (named.length > 1) {
    const uuids = named.map(({ uuid }) => uuid).join(', ');
    throw new Refused(`${named.length} lists are called "${wanted}": take the uuid of one, ${uuids}`);
  }
  const [list] = named;
  if (list) return { kind: 'known', list };
  if (wanted.startsWith(newPrefix)) return pick(wanted.slice(newPrefix.length), lists, true);
  if (mayMake) return { kind: 'new', name: wanted };
  const byNumber = /^\d{1,4}$/.test(wanted) ? lists[Number(wanted) - 1] : undefined;
  if (byNumber) return { kind: 'known', list: byNumber };
  const names = lists.map(({ name }) => name);
  const known = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
  throw new Refused(
    `there is no list "${wanted}"${didYouMean(wanted, names)}; ${known}. With --create-list the first run makes it`,
  );
}
