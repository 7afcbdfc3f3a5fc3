// Asks which column is which field: shows the proposal with samples of both sides, and changes it column by column.
import type { CrmDescription, Direction } from '../../crm/port.ts';
import { didYouMean } from '../../lib/nearest.ts';
import {
  type ColumnChoice,
  type ColumnProposal,
  type ContactSamples,
  directionFor,
  proposeColumns,
  samplesShown,
  usualColumns,
} from '../../operator/init/columns.ts';
import type { FoundColumn } from '../../operator/init/headers.ts';
import type { FieldTexts } from '../../operator/init/keys.ts';
import type { Prompts } from './prompts.ts';
import { Refused, type Session } from './session.ts';
import type { SheetAnswer } from './sheet.ts';

export type ChosenColumn = Pick<ColumnProposal, 'column' | 'choice'>;

/** In the order of the tab; left ones included. */
export async function askColumns(
  session: Session,
  { columns, isBlank }: SheetAnswer,
  contacts: readonly FieldTexts[],
  crm: CrmDescription,
): Promise<readonly ChosenColumn[]> {
  const samples = samplesOf(contacts);
  const found = isBlank ? Object.keys(usualColumns(crm)).map(newColumn) : columns;
  const proposals = proposeColumns(found, samples, crm);
  for (const { column, reason, candidate } of proposals) {
    if (candidate !== undefined && !session.prompts) {
      session.warn(
        `"${column.header}" is left alone: ${reason}. To map it: --column ${quoted(`${column.header}=${candidate}`)}`,
      );
    }
  }
  return session.answer({
    id: 'column',
    what: 'the columns, each as HEADER=FIELD',
    safe: '[]',
    parse: (text) => checked(applied(proposals, parseTexts(text), crm), crm),
    async ask(prompts) {
      const chosen = await askChanges(prompts, proposals, samples, crm);
      return JSON.stringify(chosen.map(columnText));
    },
  });
}

function newColumn(header: string): FoundColumn {
  return { header, letter: '-', texts: [], formulas: 0 };
}

/** Values by field, of the contacts that were read. */
function samplesOf(contacts: readonly FieldTexts[]): ContactSamples {
  const samples = new Map<string, string[]>();
  for (const contact of contacts) {
    for (const [field, text] of Object.entries(contact)) samples.set(field, [...(samples.get(field) ?? []), text]);
  }
  return samples;
}

// As texts: `Header=field`, `Header=field:to_sheet`, `Header=custom:name`, `Header=` for a column that is left alone.

function columnText({ column: { header }, choice }: ChosenColumn): string {
  if (choice.kind === 'left') return `${header}=`;
  return choice.kind === 'custom' ? `${header}=custom:${choice.name}` : `${header}=${choice.field}:${choice.direction}`;
}

function parseTexts(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // Said below: the file of answers was changed by hand.
  }
  throw new Refused('the columns were kept in a form that is not known');
}

/** The proposal with these columns changed. */
function applied(
  proposals: readonly ColumnProposal[],
  texts: readonly string[],
  crm: CrmDescription,
): readonly ChosenColumn[] {
  const choices = new Map(texts.map((text) => parseColumn(text, proposals, crm)));
  return proposals.map(({ column, choice }) => ({ column, choice: choices.get(column) ?? choice }));
}

function parseColumn(
  text: string,
  proposals: readonly ColumnProposal[],
  crm: CrmDescription,
): readonly [FoundColumn, ColumnChoice] {
  const at = text.lastIndexOf('=');
  if (at === -1) throw new Refused(`"${text}" is not HEADER=FIELD, such as Company=company_name`);
  const [header, target] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const named = proposals.find(({ column }) => column.header === header);
  const headers = proposals.map(({ column }) => column.header);
  const column = named?.column;
  if (!column) throw new Refused(`there is no column "${header}"${didYouMean(header, headers)}`);
  if (target === '') return [column, { kind: 'left' }];
  if (column.fault)
    throw new Refused(`column "${header}" cannot be mapped: another one has its header; rename one in the sheet`);
  const [name = '', direction] = target.split(':');
  if (name === 'custom') return [column, customChoice(direction ?? '', crm)];
  const field = crm.fields.get(name);
  if (!field) throw new Refused(`there is no field ${name}${didYouMean(name, [...crm.fields.keys()])}`);
  const possible = directionsFor(column, field.directions);
  const [usual] = possible;
  if (usual === undefined) {
    throw new Refused(`column "${header}" holds formulas, and ${name} cannot be sent to the service: leave it alone`);
  }
  if (direction === undefined) return [column, { kind: 'field', field: name, direction: usual }];
  const wanted = possible.find((each) => each === direction);
  if (wanted === undefined)
    throw new Refused(`${name} in column "${header}" can go ${possible.join(' or ')}, not ${direction}`);
  return [column, { kind: 'field', field: name, direction: wanted }];
}

/** Cells with formulas are never written (V5): such a column goes to the service alone. */
function directionsFor({ formulas }: FoundColumn, directions: readonly Direction[]): readonly Direction[] {
  return formulas === 0 ? directions : directions.filter((each) => each === 'to_crm');
}

function customChoice(name: string, { customFields }: CrmDescription): ColumnChoice {
  if (!customFields) throw new Refused('this service has no custom fields');
  if (!customFields.isName(name)) throw new Refused(`"${name}" is no name of a custom field: ${customFields.allowed}`);
  return { kind: 'custom', name };
}

/** Each field in one column, and one column at least. */
function checked(chosen: readonly ChosenColumn[], { fields }: CrmDescription): readonly ChosenColumn[] {
  const headerByTarget = new Map<string, string>();
  for (const { column, choice } of chosen) {
    if (choice.kind === 'left') continue;
    const target = choice.kind === 'custom' ? `custom ${choice.name}` : fields.get(choice.field)!.writtenAs;
    const other = headerByTarget.get(target);
    if (other !== undefined) {
      throw new Refused(`columns "${other}" and "${column.header}" are both ${target}: leave one of them alone`);
    }
    headerByTarget.set(target, column.header);
  }
  if (headerByTarget.size === 0) throw new Refused('no column is mapped: one at least has to be');
  return chosen;
}

async function askChanges(
  prompts: Prompts,
  proposals: readonly ColumnProposal[],
  samples: ContactSamples,
  crm: CrmDescription,
): Promise<readonly ChosenColumn[]> {
  let chosen: readonly ChosenColumn[] = proposals;
  for (;;) {
    prompts.show(
      'Columns',
      chosen.flatMap((each) => columnLines(each, proposals, samples)),
    );
    const take = 'take';
    const mapped = chosen.filter(({ choice }) => choice.kind !== 'left').length;
    const answer = await prompts.choose({
      message: 'Take these columns, or change one',
      options: [
        { value: take, label: `Take them: ${mapped} mapped, ${chosen.length - mapped} left alone` },
        ...chosen.map(({ column }, index) => ({
          value: String(index),
          label: `Change "${column.header}"`,
          ...(column.fault && { hint: 'its header is there twice' }),
        })),
      ],
    });
    if (answer === take || answer === undefined) return chosen;
    const index = Number(answer);
    const { column } = chosen[index]!;
    if (column.fault) {
      prompts.warn(`"${column.header}" cannot be mapped: another column has its header. Rename one in the sheet`);
      continue;
    }
    const choice = await askColumn(prompts, column, crm);
    if (choice) chosen = chosen.map((each, at) => (at === index ? { column, choice } : each));
  }
}

async function askColumn(
  prompts: Prompts,
  column: FoundColumn,
  crm: CrmDescription,
): Promise<ColumnChoice | undefined> {
  const [left, custom] = ['left alone', 'a custom field'];
  const fields = [...crm.fields.values()].filter(({ directions }) => directionsFor(column, directions).length > 0);
  const answer = await prompts.search({
    message: `Column "${column.header}" is (type to search)`,
    options: [
      { value: left, label: left, hint: 'never read and never written' },
      ...fields.map(({ name, description, directions }) => ({
        value: name,
        label: name,
        hint: `${directionWords[directions[0]]}${description === undefined ? '' : `; ${description}`}`,
      })),
      ...(crm.customFields ? [{ value: custom, label: custom, hint: 'sent only' }] : []),
    ],
  });
  if (answer === undefined) return undefined;
  if (answer === left) return { kind: 'left' };
  if (answer === custom) {
    const name = await prompts.text({ message: `The name of the custom field: ${crm.customFields?.allowed ?? ''}` });
    if (crm.customFields?.isName(name)) return { kind: 'custom', name };
    prompts.warn(`"${name}" is no name of a custom field: ${crm.customFields?.allowed ?? ''}`);
    return undefined;
  }
  const field = crm.fields.get(answer)!;
  const possible = directionsFor(column, field.directions);
  const usual = directionFor(column, field) ?? possible[0]!;
  if (possible.length === 1) return { kind: 'field', field: answer, direction: usual };
  const direction = await prompts.choose<Direction>({
    message: `"${column.header}" and ${answer}`,
    options: possible.map((value) => ({ value, label: directionWords[value] })),
    initial: usual,
  });
  return { kind: 'field', field: answer, direction: direction ?? usual };
}

const directionWords: Readonly<Record<Direction, string>> = {
  both: 'both ways',
  to_sheet: 'one way, from the service to the sheet',
  to_crm: 'one way, from the sheet to the service',
};

const arrows: Readonly<Record<Direction, string>> = { both: '<->', to_sheet: '<--', to_crm: '-->' };

/** Characters of a sample; the rest is cut. */
const sampleLength = 24;

/** The column, and below it three samples of each side. */
function columnLines(
  { column, choice }: ChosenColumn,
  proposals: readonly ColumnProposal[],
  samples: ContactSamples,
): readonly string[] {
  const proposal = proposals.find((each) => each.column === column);
  const isAsProposed = proposal?.choice === choice;
  const why = isAsProposed ? `${proposal.confidence}: ${proposal.reason}` : 'your choice';
  const head = `${column.letter}  "${cut(column.header, 40)}"`;
  const own = samplesText(column.texts);
  if (choice.kind === 'left') {
    const hint = isAsProposed && proposal.candidate !== undefined ? ` Could be ${proposal.candidate}.` : '';
    return [
      `${head}  left alone.${hint} ${isAsProposed ? proposal.reason : 'your choice'}`,
      ...own.map((text) => `     sheet    ${text}`),
    ];
  }
  const target = choice.kind === 'custom' ? `custom field ${choice.name}` : choice.field;
  const arrow = choice.kind === 'custom' ? arrows.to_crm : arrows[choice.direction];
  const theirs = choice.kind === 'custom' ? [] : samplesText(samples.get(choice.field) ?? []);
  const isOneWay = choice.kind === 'custom' || choice.direction !== 'both' ? ', one way' : '';
  return [
    `${head}  ${arrow}  ${target}${isOneWay}  (${why})`,
    ...own.map((text) => `     sheet    ${text}`),
    ...theirs.map((text) => `     service  ${text}`),
  ];
}

/** One line, or none without values. */
function samplesText(texts: readonly string[]): readonly string[] {
  const shown = [...new Set(texts)].slice(0, samplesShown).map((text) => cut(text, sampleLength));
  return shown.length === 0 ? [] : [shown.join(', ')];
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
