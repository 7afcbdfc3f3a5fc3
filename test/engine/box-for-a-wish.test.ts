// People put boxes where they think that an automation is switched on by a tick.
import { expect, it } from 'vitest';
import { createEnrolmentTrial } from './enrolment/support.ts';

it('V3, E4: a box without a tick in the automation column is no wish, as in a row that is blank', async () => {
  const trial = createEnrolmentTrial();
  await trial.linked('ann@firm.io', 'bob@firm.io');
  trial.person.paste(`'Prospects'!F2`, [[false], [false], [false]]);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { held: 0 } });
  expect(trial.resultOf('ann@firm.io')).toBe('');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
});
