// Checks that an outbox has a sender profile to send from.
import type { OutboxConfig } from '../../config/config.ts';
import type { Crm } from '../../crm/port.ts';
import { listSenders } from '../../engine/outbox/ask.ts';
import { messagesOf } from '../../engine/outbox/context.ts';
import { type Finding, found } from './finding.ts';

interface SendersDep {
  readonly crm: Crm;
  readonly signal: AbortSignal;
}

export async function* checkSenders(outbox: OutboxConfig, { crm, signal }: SendersDep): AsyncGenerator<Finding> {
  yield* found(outbox.name, 'senders', async () => {
    const senders = await listSenders(messagesOf({ crm }), { signal, priority: 'scan' });
    const enabled = senders.filter(({ isEnabled }) => isEnabled);
    const names = enabled.slice(0, 5).map(({ uuid, names: [name = uuid] }) => `"${name}"`);
    const more = enabled.length > names.length ? ` and ${enabled.length - names.length} more` : '';
    return enabled.length === 0
      ? { verdict: 'failed', detail: 'no sender profile is enabled: nothing can be sent; enable one in the service' }
      : { verdict: 'ok', detail: `may send from ${names.join(', ')}${more}` };
  });
}
