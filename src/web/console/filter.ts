// The filters of a list: a form whose fields stand in the address of the page.
import { html } from 'hono/html';
import { OperatorError } from '../../operator/errors.ts';
import type { PageContext } from './page.ts';
import type { Html } from './html.ts';

interface TextField {
  /** The parameter of the address. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** In characters. */
  readonly size?: number;
  /** "/" leads here. */
  readonly isSearch?: true;
  /** Words to choose from, or others. */
  readonly known?: readonly string[];
}

interface ChoiceField {
  readonly name: string;
  readonly label: string;
  /** Values with their words. */
  readonly choices: readonly (readonly [value: string, words: string])[];
  /** What it means to choose none; left out: "all". */
  readonly none?: string;
}

/** As long as the field of a usual size shows. */
export const sinceHint = '7d or 2026-01-31';

export type FilterField = TextField | ChoiceField;

/** More names than this are no help in a list. */
const knownMax = 200;

export function filterForm({ query }: Pick<PageContext, 'query'>, fields: readonly FilterField[]): Html {
  return html`<form method="get" class="filter" aria-label="Filter">
    ${fields.map((field) => ('choices' in field ? choice(field, query(field.name)) : text(field, query(field.name))))}
    <button type="submit">Show</button>
  </form>`;
}

function text({ name, label, hint = '', size = 13, isSearch, known = [] }: TextField, value = ''): Html {
  const list = known.length > 0 && known.length <= knownMax ? `known-${name}` : undefined;
  return html`<label
      >${label}
      <input
        name="${name}"
        value="${value}"
        placeholder="${hint}"
        size="${size}"
        ${list === undefined ? '' : html`list="${list}"`}
        ${isSearch ? html`data-search` : ''}
    /></label>
    ${list === undefined ? '' : html`<datalist id="${list}">${known.map((each) => html`<option value="${each}"></option>`)}</datalist>`}`;
}

function choice({ name, label, choices, none = 'all' }: ChoiceField, value: string | undefined): Html {
  const options = choices.map(
    ([each, words]) => html`<option value="${each}" ${each === value ? html`selected` : ''}>${words}</option>`,
  );
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${none}</option>
      ${options}
    </select></label
  >`;
}

/** Each word as its own label. */
export function wordsOf(values: readonly string[]): readonly (readonly [string, string])[] {
  return values.map((value) => [value, value.replaceAll(/[-_]/g, ' ')]);
}

/** The word in the address, as one of those that are known. Throws OperatorError. */
export function wordIn<Word extends string>(
  { query }: Pick<PageContext, 'query'>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = query(name);
  if (value === undefined) return undefined;
  const word = words.find((each) => each === value);
  if (word === undefined) throw new OperatorError('invalid', `${name} ${value} is none of ${words.join(', ')}`);
  return word;
}
