// A token of another workspace: lists of this one are unknown there, and a search of an unknown list answers nothing.
import { expect, it } from 'vitest';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSyncTrial } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const rows = ['ann', 'bob', 'cy'].map((name) => [name, 'Lee', 'Firm', `${name}@firm.io`, '']);

it.each([
  ['has no list of that name', 'Leads', 'there is no list "Prospects"'],
  ['has a list of that name', 'Prospects', 'another list'],
])('G1, L7: after a start with a token of a workspace that %s, the first run says so', async (_, list, reason) => {
  const acceptedTokens = ['the-token-of-the-tests'];
  const other = createServiceStandin({ now: () => Date.now(), seed: 2, acceptedTokens, switches: { rateLimits: [] } });
  other.model.lists.add({ name: list });
  let isOther = false;
  const trial = createSyncTrial({
    values: [header, ...rows],
    around: (request, next) =>
      isOther && request.url.startsWith('http://127.0.0.1:4010') ? other.fetch(request) : next(request),
  });
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  isOther = true;
  await trial.start();
  for (let run = 0; run < 2; run += 1) {
    const { status, error, holds } = await trial.run();
    expect(['failed', 'held']).toContain(status);
    expect(error ?? holds[0]?.reason).toContain(reason);
  }
  expect(trial.contacts()).toHaveLength(3);
  isOther = false;
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
});
