// L1: a value that a person changes in the service while the first runs make its contact is not lost. It reaches the sheet,
// or is a conflict that a person sees: between the call that makes the contact and the link there is no last common value.
import { expect, it } from 'vitest';
import { createSyncTrial } from '../../support/app.ts';

const steps = 3;

it.each(['Welcome', ''])(
  'L1: a contact is changed after any request of the first runs, with the wish %j',
  async (wish) => {
    const outcomes = new Set<string>();
    for (let at = 1; ; at += steps) {
      let requests = 0;
      let isChanged = false;
      const trial = createSyncTrial({
        values: [
          ['First name', 'Company', 'Position', 'Email', 'Automation'],
          ['Ann', 'Firm', 'Clerk', 'ann@firm.io', wish],
        ],
        columns: { 'First name': 'first_name', Company: 'company_name', Position: 'position', Email: 'email' },
        sync: { automation: { column: 'Automation' }, settle_secs: 0 },
        async around(request, next) {
          const answer = await next(request);
          requests += 1;
          const [contact] = trial.contacts();
          if (requests < at || isChanged || !contact) return answer;
          isChanged = true;
          trial.service.model.contacts.change(contact.uuid, { fields: { position: 'Director' } });
          return answer;
        },
      });
      trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
      for (let run = 0; run < 3; run += 1) await trial.run();
      if (!isChanged) break;
      // The change may have come after the last read.
      await trial.run();
      const sides = [trial.grid()[0]?.['Position'], trial.contacts()[0]?.position].join(' | ');
      const conflicts = (await trial.cli('conflicts')).stdout;
      const isConflict = conflicts.includes('Clerk') && conflicts.includes('Director');
      outcomes.add(isConflict ? `${sides}, a conflict` : sides);
    }
    // A contact without a wish is linked by the run that makes it.
    const expected = wish === '' ? [] : ['Clerk | Director, a conflict'];
    expect([...outcomes].toSorted()).toEqual([...expected, 'Director | Director']);
  },
);
