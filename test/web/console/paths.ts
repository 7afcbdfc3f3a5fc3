// An address for each page of the console, so that no story that goes through all of them forgets one.
import { pages } from '../../../src/web/console/pages.ts';

interface Named {
  readonly job: string;
  readonly run: string;
  /** Of the page of records. */
  readonly record: string;
}

/** Addresses that answer with a file. */
const files = new Set(['/budgets.json']);

/** Pages whose address alone shows little. */
const more: Readonly<Record<string, string>> = {
  '/log': '?since=30d',
  '/runs': '?status=succeeded',
  '/': '?order=name',
};

/** Each page, and some with a filter. */
export function everyPath({ job, run, record }: Named): readonly string[] {
  const named: Readonly<Record<string, string>> = { ':name': job, ':run': run };
  return Object.keys(pages)
    .filter((path) => !files.has(path))
    .flatMap((path) => {
      const filled = path.replaceAll(/:\w+/g, (part) => {
        const value = named[part];
        if (value === undefined) throw new Error(`${path}: no story has a value for ${part}`);
        return encodeURIComponent(value);
      });
      if (path === '/records') return [filled, `${filled}?of=${encodeURIComponent(record)}`];
      const query = more[path];
      return query === undefined ? [filled] : [filled, `${filled}${query}`];
    });
}
