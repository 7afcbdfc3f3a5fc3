// The help of one operation of the service, from the operations table.
import * as z from 'zod';
import type { Operation } from '../../crm/outreach/operations/define.ts';
import type { NamedOperation } from '../../crm/outreach/operations/table.ts';
import { columnsText } from '../print/lines.ts';
import { hint, quiet, strong, urgent } from '../print/style.ts';

/** The parts of JSON Schema that inputs of operations use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly propertyNames?: Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly description: string;
}

const effectOfRepeat: Readonly<Record<Operation['repeat'], string>> = {
  read: 'It changes nothing.',
  harmless: 'It changes the service; the same call once more changes nothing further.',
  harmful: 'It changes the service, and the same call once more does it once more.',
};

export function operationHelp({ name, operation }: NamedOperation): string {
  const { summary, method, path, repeat, effects, confirm } = operation;
  const parameters = parametersOf(operation);
  const rows = parameters.map((each) => [
    `--${each.name}`,
    [
      each.type,
      ...(each.isRequired ? ['required'] : []),
      ...(each.default === undefined ? [] : [`default ${JSON.stringify(each.default)}`]),
    ].join(', '),
    quiet(each.description),
  ]);
  const required = parameters.filter(({ isRequired }) => isRequired).map((each) => ` --${each.name} ${sampleOf(each)}`);
  return [
    `${strong(name)}: ${summary}\n`,
    `  ${quiet(`${method} ${path}`)}\n`,
    `  ${effectOfRepeat[repeat]}\n`,
    confirm === undefined ? '' : `  ${urgent(`It ${confirm}: --yes, or a terminal that confirms, is needed.`)}\n`,
    effects === undefined ? '' : `  ${effects}\n`,
    rows.length === 0 ? '\nIt takes no parameters.\n' : `\nParameters\n${columnsText(rows, '  ')}`,
    `\n${hint(`leadsheet api ${name}${required.join('')}`)}\n`,
  ].join('');
}

function sampleOf({ type }: Parameter): string {
  return /^(a number|a whole number)$/.test(type) ? '1' : type === 'true or false' ? 'true' : 'X';
}

function parametersOf({ pathParameters, query, body, defaults = {} }: Operation): readonly Parameter[] {
  return [pathParameters, query, body].flatMap((schema) => {
    if (schema === undefined) return [];
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
    return propertiesOf(json, json.$defs ?? {}, '', true).map((each) => ({
      ...each,
      default: defaults[each.name] ?? each.default,
      isRequired: each.isRequired && defaults[each.name] === undefined,
    }));
  });
}

/** An object with known names is listed name by name: `lead.email`. */
function propertiesOf(
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
  prefix: string,
  isRequired: boolean,
): readonly Parameter[] {
  const { properties = {}, required = [] } = resolved(schema, defs);
  return Object.entries(properties).flatMap(([key, value]) => {
    const own = resolved(value, defs);
    const name = `${prefix}${key}`;
    const isNeeded = isRequired && required.includes(key);
    if (own.properties) return propertiesOf(own, defs, `${name}.`, isNeeded);
    const description = value.description ?? own.description ?? '';
    return [{ name, type: typeText(own, defs), isRequired: isNeeded, default: own.default, description }];
  });
}

function resolved(schema: Schema, defs: Readonly<Record<string, Schema>>): Schema {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : { ...defs[name], ...(schema.description !== undefined && schema) };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** More words than this are shortened, because a filter has fifty; --openapi has all. */
const wordsShown = 5;

function typeText(schema: Schema, defs: Readonly<Record<string, Schema>>): string {
  const { enum: words, anyOf, type, items, additionalProperties: values, propertyNames } = resolved(schema, defs);
  if (words) return listed(words);
  if (anyOf) return [...new Set(anyOf.map((each) => typeText(each, defs)))].join(' or ');
  if (type === 'array') return `a list of ${items ? typeText(items, defs).replace(/^a /, '') : 'values'} as JSON`;
  if (type === 'object') {
    const names = propertyNames?.enum ? `: ${listed(propertyNames.enum)}` : '';
    return typeof values === 'object' ? `by name, as .NAME${names}` : `an object${names}`;
  }
  return [type ?? 'string']
    .flat()
    .map((each) => typeWords[each] ?? each)
    .join(' or ');
}

function listed(words: readonly unknown[]): string {
  const more = words.length - wordsShown;
  return words.slice(0, wordsShown).map(String).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
