// Checks that the list of a sync exists, and that the service takes its filter.
import type { SyncConfig } from '../../config/config.ts';
import type { Crm } from '../../crm/port.ts';
import { findList } from '../../engine/sync/find-list.ts';
import { isSlipOf } from '../../lib/nearest.ts';
import { type Finding, type Found, found } from './finding.ts';

interface ContactsDep {
  readonly crm: Crm;
  readonly signal: AbortSignal;
}

export async function* checkContacts(sync: SyncConfig, { crm, signal }: ContactsDep): AsyncGenerator<Finding> {
  const call = { signal, priority: 'scan' } as const;
  const { list, filter = {}, createList } = sync.contacts;
  let listUuid: string | undefined;
  yield* found(sync.name, 'list', async () => {
    const known = await findList(crm, sync, call, createList ? '' : undefined);
    if (known === '') return judgeNewList(list, (await crm.lists.list(call)).lists);
    listUuid = known;
    // A list that is given as a uuid was not looked up yet.
    const { name } = await crm.lists.get(listUuid, call);
    return { verdict: 'ok', detail: `"${name ?? list}" is there (${listUuid})` };
  });
  const uuid = listUuid;
  if (uuid === undefined) return;
  yield* found(sync.name, 'contacts', async () => {
    const total = await crm.openContacts({ fields: sync.columns, filter }).count(uuid, call);
    const isNarrowed = Object.keys(filter).length > 0;
    const which = isNarrowed ? `of the list "${list}" that the filter lets through` : `in the list "${list}"`;
    return total === 0
      ? {
          verdict: 'warning',
          detail: `none ${which}: right for a new list, else correct ${isNarrowed ? 'filter' : 'list'}`,
        }
      : { verdict: 'ok', detail: `${total ?? 'some'} ${which}` };
  });
}

function judgeNewList(list: string, lists: readonly { readonly name: string | undefined }[]): Found {
  const made = `"${list}" is not there yet: the first run makes it`;
  const near = lists.flatMap(({ name }) => (name !== undefined && isSlipOf(name, list) ? [`"${name}"`] : []));
  if (near.length === 0) return { verdict: 'ok', detail: made };
  return { verdict: 'warning', detail: `${made}; did you mean ${near.join(' or ')}? Then correct contacts.list` };
}
