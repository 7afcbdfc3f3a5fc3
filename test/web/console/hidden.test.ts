import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* Without a login no answer tells whether a person is known: pages and forms answer alike for known and unknown names. */

const names = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];

async function begin() {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write' } },
    sync: {
      automation: { column: 'Automation' },
      on_row_deleted: 'delete_contact',
      limits: { deletes: '20%' },
    },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'active' });
  for (const name of names) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  }
  const { url } = await trial.begin();
  await until(() => trial.grid().length === names.length);
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await until(() => trial.said('run ended').some(({ counts }) => (counts as { enrolled?: number }).enrolled === 1));
  // Bob is among them.
  trial.person.deleteRows('Prospects', 3, 4);
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  return { ...trial, url: url! };
}

/** What a person can compare: the status, the address that it leads to, and the text, without what was typed and the clock. */
async function compared(answer: Response, typed: string) {
  const text = (await answer.text())
    .replaceAll(typed, 'X')
    .replaceAll(encodeURIComponent(typed), 'X')
    .replaceAll(/data-(?:made-at|position)="[^"]*"|<time[^>]*>[^<]*<\/time>|\d+ (?:s|min) ago/g, '');
  const to = (answer.headers.get('location') ?? '').replace(encodeURIComponent(typed), 'X').replace(/notice=.*/, '');
  return { status: answer.status, to, text };
}

test('pages with a typed name answer alike for known and unknown people', async () => {
  const { url } = await begin();
  const job = '&job=prospects';
  for (const [known, unknown] of [
    ['ann@firm.io', 'non@firm.io'],
    ['Ann', 'Non'],
  ] as const) {
    for (const path of [
      '/log?contact=NAME',
      `/log?contact=NAME${job}&format=csv`,
      `/records?of=NAME${job}`,
      '/records?of=NAME',
      '/conflicts?contact=NAME',
      `/enrolments?contact=NAME${job}`,
      '/enrolments?contact=NAME&format=csv',
      '/problems?contact=NAME',
      '/outbox?contact=NAME',
      '/runs?contact=NAME',
      '/audit?by=NAME',
      '/audit/logins?name=NAME',
    ]) {
      const ask = async (name: string) => {
        const answer = await fetch(url + path.replace('NAME', encodeURIComponent(name)), { redirect: 'manual' });
        return { path, ...(await compared(answer, name)) };
      };
      expect(await ask(known)).toEqual(await ask(unknown));
    }
  }
});

test('forms with a typed name answer alike for known and unknown people, and do nothing', async () => {
  const { url, contacts, crmCalls, said } = await begin();
  const page = await (await fetch(`${url}/jobs/prospects/held`)).text();
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  const [, digest = ''] = /name="digest" value="([^"]+)"/.exec(page) ?? [];
  const [, held = ''] = /name="run" value="([^"]+)"/.exec(page) ?? [];
  const ran = said('change done').find((line) => line['op'] === 'append')!['run'] as string;
  expect([token, digest, held].includes('')).toBe(false);
  const calls = crmCalls('contacts.delete').length;
  for (const [known, unknown] of [
    ['bob@firm.io', 'non@firm.io'],
    ['Bob', 'Non'],
  ] as const) {
    const forms: Readonly<Record<string, (name: string) => Readonly<Record<string, string>>>> = {
      retry: (id) => ({ seen: JSON.stringify({ job: 'prospects', id, digest: '' }) }),
      'send-again': (id) => ({ seen: JSON.stringify({ job: 'prospects', id, digest: '' }), typed: id }),
      'approve-ticked': (id) => ({ job: 'prospects', run: held, digest, seen: JSON.stringify({ id }) }),
      'approve-all': (id) => ({ job: 'prospects', run: held, digest, seen: JSON.stringify({ id }), only: id }),
      resolve: (id) => ({ seen: JSON.stringify({ sync: 'prospects', id, digest: '' }), choice: 'crm' }),
      'plan-undo': (contact) => ({ run: ran, contact }),
      undo: (contact) => ({ run: ran, contact, plan: 'x', digest: 'x' }),
      run: (job) => ({ job }),
      pause: (job) => ({ job }),
    };
    for (const [action, fieldsOf] of Object.entries(forms)) {
      const ask = async (name: string) => {
        const body = new URLSearchParams({ token, ...fieldsOf(name) });
        const init = { method: 'POST', body, headers: { origin: url }, redirect: 'manual' } as const;
        return { action, ...(await compared(await fetch(`${url}/do/${action}`, init), name)) };
      };
      expect(await ask(known)).toEqual(await ask(unknown));
    }
  }
  expect([contacts().length, crmCalls('contacts.delete').length]).toEqual([names.length, calls]);
});
