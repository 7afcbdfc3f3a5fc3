// The tables of docs/configuration.md, made from the schema of the configuration and from the fields of the service.
import * as z from 'zod';
import { allowedWords } from '../src/config/explain.ts';
import { configJsonSchema } from '../src/config/json-schema.ts';
import { schemaAt } from '../src/config/schema-walk.ts';
import { configFile } from '../src/config/schema/file.ts';
import { contactFields } from '../src/crm/outreach/contacts/fields.ts';
import { outgoingNames, payloadFields } from '../src/crm/outreach/outgoing.ts';
import { resourceFields, resourceNames } from '../src/crm/outreach/resources.ts';
import { table } from './table.ts';
import { outreachDescription } from '../src/crm/outreach/description.ts';

interface Node {
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Node | false;
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly string[];
}

export interface Option {
  /** `NAME` and `HEADER` are placeholders for names that people choose. */
  readonly path: readonly string[];
  readonly node: Node;
  readonly isRequired: boolean;
}

const chosen: Readonly<Record<string, string>> = { syncs: 'NAME', feeds: 'NAME', outbox: 'NAME', columns: 'HEADER' };

/** Every option, sections before their contents. */
export function configOptions(): readonly Option[] {
  return within(configJsonSchema(outreachDescription), []);
}

function within(node: Node, path: readonly string[]): readonly Option[] {
  const { properties, required = [], additionalProperties } = settingsOf(node);
  const named = Object.entries(properties ?? {}).flatMap(([name, child]) => {
    const here = [...path, name];
    return [{ path: here, node: child, isRequired: required.includes(name) }, ...within(child, here)];
  });
  const placeholder = chosen[path.at(-1) ?? ''];
  if (!additionalProperties || placeholder === undefined) return named;
  const here = [...path, placeholder];
  return [
    ...named,
    { path: here, node: additionalProperties, isRequired: false },
    ...within(additionalProperties, here),
  ];
}

function settingsOf(node: Node): Node {
  return node.anyOf?.find(({ properties }) => properties !== undefined) ?? node;
}

/** One table for each section, the options that are no section of their own in it. */
export function optionTables(): string {
  const options = configOptions();
  const isSection = ({ path, node }: Option) =>
    settingsOf(node).properties !== undefined || chosen[path.at(-1) ?? ''] !== undefined;
  const top = { path: [], node: { description: 'The file as a whole.' }, isRequired: true };
  return [top, ...options.filter(isSection)]
    .map((section) => ({ section, rows: options.filter((option) => isIn(option, section) && !isSection(option)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ section, rows }) => sectionText(section, rows, options))
    .join('\n\n');
}

function isIn({ path }: Option, section: Option): boolean {
  return path.length === section.path.length + 1 && section.path.every((name, index) => path[index] === name);
}

function sectionText(section: Option, rows: readonly Option[], options: readonly Option[]): string {
  const title = section.path.length === 0 ? 'the file' : `\`${section.path.join('.')}\``;
  // Sections with chosen names are described at their parent.
  const parent = options.find(({ path }) => path.join('.') === section.path.slice(0, -1).join('.'));
  const description =
    section.node.description ?? settingsOf(section.node).description ?? parent?.node.description ?? '';
  const lines = rows.map(({ path, node, isRequired }) => [
    `\`${path.at(-1)}\``,
    wordsOf(path),
    isRequired ? 'required' : defaultOf(node),
    node.description ?? '',
  ]);
  return `### ${title}\n\n${description}\n\n${table(['option', 'takes', 'default', 'is'], lines)}`;
}

function defaultOf({ default: value }: Node): string {
  return value === undefined ? '-' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** The allowed values, in the words of an error message. */
function wordsOf(path: readonly string[]): string {
  // Records of a feed are of many resources, and each listing takes filters and an order of its own.
  const isOfFeed = path[0] === 'feeds';
  if (isOfFeed && path.at(-1) === 'field') return 'a field of the resource';
  if (isOfFeed && path.at(-1) === 'filter') return 'a mapping of filters of the listing';
  if (path.at(-1) === 'field') return 'a [field of a contact](#fields-of-a-contact)';
  if (path.at(-1) === 'filter') return 'a mapping of [fields of a contact](#fields-of-a-contact)';
  const schema = schemaAt(configFile(outreachDescription), path);
  // No option is a symbol.
  const issues = schema && z.safeParse(schema, Symbol('nothing'), { error: allowedWords }).error?.issues;
  const words = issues?.[0]?.message ?? '';
  return words === 'a list' ? `a list of ${wordsOf([...path, '0'])}` : words;
}

export function contactFieldsTable(): string {
  return table(
    ['field', 'kind', 'directions', 'read from', 'in creates', 'in updates', 'is'],
    [...contactFields.values()].map((field) => [
      `\`${field.name}\``,
      field.equality === 'exact' ? field.kind : `${field.kind}, ${field.equality}`,
      field.directions.map((direction) => `\`${direction}\``).join(' '),
      field.readFrom.map((name) => `\`${name}\``).join(', ') || '-',
      field.createAs === undefined ? '-' : `\`${field.createAs}\``,
      field.updateAs === undefined ? '-' : `\`${field.updateAs}\``,
      field.description ?? '',
    ]),
  );
}

export function payloadFieldsTable(): string {
  return table(
    ['resource', 'fields of the payload'],
    outgoingNames.map((resource) => [
      `\`${resource}\``,
      [...payloadFields(resource).keys()].map((name) => `\`${name}\``).join(' '),
    ]),
  );
}

export function resourceFieldsTable(): string {
  return table(
    ['resource', 'fields'],
    resourceNames.map((resource) => [
      `\`${resource}\``,
      Object.keys(resourceFields(resource))
        .map((name) => `\`${name}\``)
        .join(' '),
    ]),
  );
}
