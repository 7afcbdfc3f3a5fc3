// What goes wrong on the way, at random.
import type { Random } from '../../../src/standin/service/random.ts';
import type { createSyncTrial } from '../../support/app.ts';

type Trial = Pick<ReturnType<typeof createSyncTrial>, 'service' | 'sheets'>;

export function injectFault({ service, sheets }: Trial, random: Random): string {
  const when = random.pick(['before', 'after'] as const);
  const times = random.integer(1, 3);
  if (random.integer(0, 1) === 0) {
    const operation = random.pick([
      undefined,
      'contacts.search',
      'contacts.upsert',
      'contacts.update',
      'contacts.lookup-one',
      'contacts.delete',
    ]);
    const effect = random.pick([
      { kind: 'status', status: 500, when },
      { kind: 'status', status: 503, when },
      { kind: 'blank', when },
      { kind: 'html', when },
      { kind: 'lost', when },
      { kind: 'hang', when },
      { kind: 'truncated' },
      { kind: 'rate_limited', headers: random.pick(['seconds', 'none'] as const) },
    ] as const);
    service.faults.inject({ ...effect, times, ...(operation !== undefined && { operation }) });
    return `crm fault ${JSON.stringify({ operation, times, ...effect })}`;
  }
  const kind = random.pick(['read', 'write'] as const);
  const effect = random.pick([
    { type: 'status', status: 429 },
    { type: 'status', status: 500 },
    { type: 'status', status: 503 },
    { type: 'lost' },
    { type: 'empty' },
    { type: 'html' },
  ] as const);
  const skip = random.integer(0, 3);
  sheets.faults.add({ effect, when, times, skip, match: { kind } });
  return `sheet fault ${JSON.stringify({ kind, when, times, skip, effect })}`;
}
