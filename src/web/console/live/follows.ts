// Which events a page follows, by its address.
import type { Topic } from './feed.ts';

const everything: readonly Topic[] = ['jobs', 'runs', 'changes', 'decisions'];
const whatIsOpen: readonly Topic[] = ['runs', 'decisions'];

/** By the first part of the address. A page that is not named here shows no state. */
const byPlace: Readonly<Record<string, readonly Topic[]>> = {
  '': everything,
  jobs: everything,
  runs: ['runs', 'decisions'],
  records: ['runs', 'decisions'],
  conflicts: whatIsOpen,
  problems: whatIsOpen,
  enrolments: ['changes', 'runs', 'decisions'],
  outbox: ['changes', 'runs', 'decisions'],
  feeds: ['jobs', 'runs', 'decisions'],
  budgets: ['jobs'],
  workers: ['jobs', 'runs'],
  log: ['changes', 'decisions'],
  audit: ['decisions'],
};

export function followsOf(path: string): readonly Topic[] {
  const place = path.split('/')[1] ?? '';
  return Object.hasOwn(byPlace, place) ? byPlace[place]! : [];
}

/** The name of the job that a page is about; undefined: several, or none. Anybody can type an address that is no text. */
export function jobOf(path: string): string | undefined {
  const [, place, name] = path.split('/');
  if (place !== 'jobs' || !name) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
