// Sabotages that only stories with several syncs of one list notice.
import type { Sabotage } from './sabotage.ts';

export const sharing: readonly Sabotage[] = [
  {
    name: 'a scan that asks while a shared search is under way takes its answer',
    file: 'crm/outreach/scan/shared-search.ts',
    text: `      // Whoever asks from here on gets the next search: this one may have been answered before.
      close();
      stop.signal.throwIfAborted();
      const from = froms.reduce((first, each) => (Date.parse(each) < Date.parse(first) ? each : first));
      const page = await ask(from, stop.signal);`,
    instead: `      stop.signal.throwIfAborted();
      const from = froms.reduce((first, each) => (Date.parse(each) < Date.parse(first) ? each : first));
      const page = await ask(from, stop.signal);
      close();`,
  },
  {
    name: 'a shared search asks from the latest instant',
    file: 'crm/outreach/scan/shared-search.ts',
    text: '(Date.parse(each) < Date.parse(first) ? each : first)',
    instead: '(Date.parse(each) > Date.parse(first) ? each : first)',
  },
];
