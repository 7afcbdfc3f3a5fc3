// npm run docs: writes the generated tables of the docs, and the JSON Schema. A test fails when they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputNames } from '../src/crm/outreach/call/input.ts';
import type { AnswerRule } from '../src/crm/outreach/operations/define.ts';
import { configJsonSchema } from '../src/config/json-schema.ts';
import { operationList } from '../src/crm/outreach/operations/table.ts';
import { switchesSchema } from '../src/standin/service/switches.ts';
import { answerTables, commandHelp } from './commands-reference.ts';
import { contactFieldsTable, optionTables, payloadFieldsTable, resourceFieldsTable } from './config-reference.ts';
import { table } from './table.ts';
import { ruleTestsTable } from './rule-tests.ts';
import { outreachDescription } from '../src/crm/outreach/description.ts';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');

/** Each generated part by its page and its marker. */
const parts = [
  { page: 'service.md', marker: 'operations', make: operationsTable },
  { page: 'standin.md', marker: 'switches', make: switchesTable },
  { page: 'commands.md', marker: 'help', make: commandHelp },
  { page: 'commands.md', marker: 'json', make: answerTables },
  { page: 'configuration.md', marker: 'options', make: optionTables },
  { page: 'configuration.md', marker: 'contact-fields', make: contactFieldsTable },
  { page: 'configuration.md', marker: 'resource-fields', make: resourceFieldsTable },
  { page: 'configuration.md', marker: 'payload-fields', make: payloadFieldsTable },
  { page: 'SPEC.md', marker: 'rules', make: ruleTestsTable },
];

/** The files as they should be, by path. */
export function generateDocs(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  pages.set(
    join(root, 'config', 'leadsheet.schema.json'),
    `${JSON.stringify(configJsonSchema(outreachDescription), null, 2)}\n`,
  );
  for (const { page, marker, make } of parts) {
    const file = join(docs, page);
    pages.set(file, replacePart(pages.get(file) ?? readFileSync(file, 'utf8'), marker, make()));
  }
  return pages;
}

function replacePart(text: string, marker: string, content: string): string {
  const [start, end] = [`<!-- ${marker}: generated -->`, `<!-- /${marker} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the page has no place for ${marker}`);
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
}

function operationsTable(): string {
  const rows = operationList.map(({ name, operation }) => [
    `\`${name}\``,
    `\`${operation.method} ${operation.path}\``,
    operation.summary,
    inputNames(operation)
      .map((field) => `\`${field}\``)
      .join(' ') || '-',
    [...operation.answer.success].join(', '),
    [...operation.answer.refusals].join(', ') || '-',
    operation.repeat,
    blankMeaning(operation.answer),
    operation.effects ?? '',
  ]);
  return table(
    ['operation', 'call', 'does', 'input', 'success', 'refusals', 'repeat', 'a blank answer', 'effects'],
    rows,
  );
}

function blankMeaning({ blank }: AnswerRule<unknown>): string {
  if (blank === 'again') return 'asked again';
  if (blank === 'unknown') return 'outcome unknown';
  return blank.answer === undefined ? 'nobody' : JSON.stringify(blank.answer);
}

function switchesTable(): string {
  return table(
    ['switch', 'default', 'what it does'],
    Object.entries(switchesSchema.shape).map(([name, schema]) => [
      `\`${name}\``,
      `\`${JSON.stringify(schema.parse(undefined))}\``,
      schema.description ?? '',
    ]),
  );
}

if (import.meta.main) {
  for (const [file, text] of generateDocs()) writeFileSync(file, text);
}
