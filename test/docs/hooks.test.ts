// Runs the Apps Script of docs/hooks.md as it stands there. The test plays Google's side: triggers call with these events,
// one after the other or while another call sleeps.
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../support/daemon.ts';

const page = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const [, script = ''] = /<!-- tested by test\/docs\/hooks\.test\.ts -->\n```js\n(.*?)```/s.exec(page) ?? [];
const secret = 'kept-between-you-and-me-since-2026';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
}

/** `status`: the answer of leadsheet. */
function openScript({ urls = {}, status = () => 202 }: { urls?: Record<string, string>; status?: () => number } = {}) {
  const properties: Record<string, string> = { HOOK_SECRET: secret, HOOK_URLS: JSON.stringify(urls) };
  const cache = new Map<string, string>();
  const sent: Sent[] = [];
  const triggers: string[] = [];
  let isLocked = false;
  let meanwhile = () => {};
  const sheet = (name: string) => ({ getName: () => name });
  const making = (name: string) => {
    const make = (kind: string) => () => ({ create: () => triggers.push(`${name} ${kind}`) });
    return { forSpreadsheet: () => ({ onEdit: make('on edit'), onChange: make('on change') }) };
  };
  const context = createContext({
    SpreadsheetApp: { getActive: () => ({}) },
    ScriptApp: {
      getProjectTriggers: () => [...triggers],
      deleteTrigger: (trigger: string) => triggers.splice(triggers.indexOf(trigger), 1),
      newTrigger: making,
    },
    PropertiesService: { getScriptProperties: () => ({ getProperty: (name: string) => properties[name] ?? null }) },
    CacheService: {
      getDocumentCache: () => ({
        get: (key: string) => cache.get(key) ?? null,
        put: (key: string, value: string) => cache.set(key, value),
        remove: (key: string) => cache.delete(key),
      }),
    },
    LockService: {
      getDocumentLock: () => ({
        tryLock: () => !isLocked && (isLocked = true),
        releaseLock: () => (isLocked = false),
      }),
    },
    Utilities: {
      sleep() {
        const others = meanwhile;
        meanwhile = () => {};
        others();
      },
    },
    UrlFetchApp: {
      fetch(url: string, { method, headers }: Omit<Sent, 'url'>) {
        sent.push({ url, method, headers });
        return { getResponseCode: status, getContentText: () => '{"answer":"..."}' };
      },
    },
  });
  runInContext(script, context);
  const call = (name: string, event?: unknown) => (context[name] as (event?: unknown) => void)(event);
  return {
    sent,
    triggers,
    install: () => call('install'),
    edit: (tab: string) => call('tellOfEdit', { range: { getSheet: () => sheet(tab) } }),
    change: (changeType: string, tab: string) =>
      call('tellOfChange', { changeType, source: { getActiveSheet: () => sheet(tab) } }),
    whileItSleeps: (what: () => void) => void (meanwhile = what),
  };
}

test('the Apps Script turns a burst of edits of a tab into one hook, and tells anew of what is edited after it', () => {
  const urls = { Prospects: 'https://leadsheet.test/hooks/prospects', Flows: 'https://leadsheet.test/hooks/flows' };
  const { edit, sent, whileItSleeps } = openScript({ urls });
  whileItSleeps(() => {
    for (let count = 0; count < 5; count += 1) edit('Prospects');
    edit('Flows');
  });
  edit('Prospects');
  expect(sent.map(({ url }) => url)).toEqual([urls.Flows, urls.Prospects]);
  edit('Prospects');
  expect(sent).toHaveLength(3);
});

test('it leaves tabs alone that have no address, tells of rows that go, and complains of any answer but 202', () => {
  let status = 202;
  const urls = { Prospects: 'https://leadsheet.test/hooks/prospects' };
  const { edit, change, sent } = openScript({ urls, status: () => status });
  edit('Notes');
  change('EDIT', 'Prospects');
  expect(sent).toEqual([]);
  change('REMOVE_ROW', 'Prospects');
  expect(sent).toHaveLength(1);
  status = 401;
  expect(() => edit('Prospects')).toThrow('401 {"answer":"..."}');
  status = 202;
  edit('Prospects');
  expect(sent).toHaveLength(3);
});

test('installing it again leaves two triggers', () => {
  const { install, triggers } = openScript();
  install();
  install();
  expect(triggers).toEqual(['tellOfEdit on edit', 'tellOfChange on change']);
});

test('what the Apps Script sends starts a run', async () => {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', hook_secret: secret } },
    sync: { schedule: '0 0 1 1 *' },
  });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length === 1);
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { edit, sent } = openScript({ urls: { Prospects: `${url}/hooks/prospects` } });
  edit('Prospects');
  expect((await fetch(sent[0]!.url, { method: sent[0]!.method, headers: sent[0]!.headers })).status).toBe(202);
  await until(() => trial.grid().length === 1);
});
