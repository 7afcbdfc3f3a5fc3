// The choices of a person for a sync, and the options of the configuration that say them.
import type { ColumnChoice } from './columns.ts';
import { policyQuestions, type PolicyChoices } from './policies.ts';

export interface SyncChoices {
  readonly name: string;
  /** The name of the list if only one list has it, else its uuid. */
  readonly list: string;
  readonly isListNew: boolean;
  readonly spreadsheet: string;
  readonly tab: string;
  readonly headerRow: number;
  /** null: none. */
  readonly statusHeader: string | null;
  readonly columns: readonly { readonly header: string; readonly choice: ColumnChoice }[];
  readonly match: readonly string[];
  readonly policies: PolicyChoices;
}

/** The options of the sync as the file has them. Options equal to their default are left out, except the policies. */
export function syncToOptions(choices: SyncChoices): Readonly<Record<string, unknown>> {
  const { list, isListNew, spreadsheet, tab, headerRow, statusHeader, columns, match, policies } = choices;
  return {
    contacts: { list, ...(isListNew && { create_list: true }) },
    sheet: {
      spreadsheet,
      tab,
      ...(headerRow !== 1 && { header_row: headerRow }),
      ...(statusHeader !== null && { status_column: statusHeader }),
    },
    match,
    columns: Object.fromEntries(
      columns.flatMap(({ header, choice }) => (choice.kind === 'left' ? [] : [[header, columnOption(choice)]])),
    ),
    ...Object.fromEntries(policyQuestions.map(({ option, id }) => [option, policies[id]])),
  };
}

function columnOption(choice: Exclude<ColumnChoice, { kind: 'left' }>): unknown {
  if (choice.kind === 'custom') return { custom_field: choice.name };
  return choice.direction === 'both' ? choice.field : { field: choice.field, direction: choice.direction };
}

/** A name fit for a folder, made of a title: `Leads (EMEA)` is `leads-emea`. */
export function nameFrom(title: string, taken: ReadonlySet<string>): string {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  const name = plain === '' ? 'prospects' : plain;
  const free = [name, ...Array.from({ length: 100 }, (_, index) => `${name}-${index + 2}`)];
  return free.find((each) => !taken.has(each))!;
}
