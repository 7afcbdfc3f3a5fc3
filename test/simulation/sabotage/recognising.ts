// Sabotages of how a process that begins recognises that nothing changed (W18).
import type { Sabotage } from './sabotage.ts';

export const recognising: readonly Sabotage[] = [
  {
    name: 'a process that begins takes the tab for unchanged',
    file: 'engine/sync/quiet.ts',
    text: 'if (!(await context.table.isAsRecalled(quiet.tab, sheetCall(context)))) return { already: { contacts } };',
    instead: '',
  },
  {
    name: 'a process that begins takes the service for unchanged',
    file: 'engine/sync/quiet.ts',
    text: 'if (!(await areAsRemembered(contacts, lease))) return { already: { contacts } };',
    instead: '',
  },
  {
    name: 'a run after a quiet one takes the tab for unchanged',
    file: 'engine/sync/quiet.ts',
    text: "if (typeof looked.seen !== 'string' || !(await areAsRemembered(contacts, lease)))",
    instead: 'if (!(await areAsRemembered(contacts, lease)))',
  },
  {
    name: 'a run after a quiet one takes the service for unchanged',
    file: 'engine/sync/quiet.ts',
    text: "if (typeof looked.seen !== 'string' || !(await areAsRemembered(contacts, lease)))",
    instead: "if (typeof looked.seen !== 'string')",
  },
  {
    name: 'what a quiet run noted outlives the runs and undos after it',
    file: 'engine/decisions-told.ts',
    text: 'if (put?.has(quietFact)) return batch;',
    instead: 'if (put?.has(quietFact) || batch) return batch;',
  },
  {
    name: 'a run notes that nothing is to be done by what it read before its own changes',
    file: 'engine/sync/quiet.ts',
    text: 'if (recall === undefined || !isNothingOpen(context, memory, pulled, decided, ending)) return;',
    instead: 'if (recall === undefined) return;',
  },
];
