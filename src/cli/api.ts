// The command `api`: calls one operation of the service.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import * as z from 'zod';
import type { Config } from '../config/config.ts';
import { readServiceSettings, type ServiceSettings } from '../config/service-settings.ts';
import type { ObservedExchange } from '../crm/outreach/service-client.ts';
import { inputNames } from '../crm/outreach/call/input.ts';
import { openApiDocument } from '../crm/outreach/openapi.ts';
import { isObject } from '../crm/outreach/operations/answers.ts';
import { operationList } from '../crm/outreach/operations/table.ts';
import type { NamedOperation } from '../crm/outreach/operations/table.ts';
import { appendPrivateFile } from './private-file.ts';
import { tokenWarning } from './token-warning.ts';
import { type GlobalOptions, readConfig } from './globals.ts';
import { lineText } from '../log/printable.ts';
import { didYouMean } from '../lib/nearest.ts';
import { UsageError } from './errors.ts';
import type { CliWorld } from './world.ts';

interface ApiOptions {
  readonly list?: boolean;
  readonly openapi?: boolean;
  readonly body?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly timeoutSecs?: number;
  readonly allowUnknown?: boolean;
  readonly capture?: string;
}

/** A person waits at the terminal: two repeats, not the daemon's four. */
const retriesMax = 2;

export function apiCommand(program: Command, world: CliWorld): void {
  program
    .command('api')
    .summary('any operation of the service, by name')
    .description(
      'Calls any operation of the service and prints its answer as JSON.\n\n' +
        'Parameters are named as the service names them: --uuid X, --order_type desc, --lead.email X.\n' +
        'A value that is JSON is read as JSON where the operation wants more than a text.',
    )
    .argument('[operation]', 'its name, as --list shows it')
    .argument('[parameters...]', 'of the operation: --name value')
    .option('--list', 'the operations, with method, path and parameters')
    .option('--openapi', 'the service as an OpenAPI 3.1 document')
    .option('--body <json>', 'the input as JSON; @file reads it from a file, @- from standard input')
    .option('--base-url <url>', 'the service; else OUTREACH_BASE_URL')
    .option('--token-file <file>', 'holds the token; else OUTREACH_TOKEN or OUTREACH_TOKEN_FILE')
    .option('--timeout-secs <seconds>', 'for one request', positiveNumber)
    .option('--allow-unknown', 'send fields that the operation is not known to have')
    .option('--capture <file>', 'append every answer, whole, to a file as JSON lines')
    .allowUnknownOption()
    .action(async (name: string | undefined, parameters: string[], options: ApiOptions, command: Command) => {
      if (options.list) world.stdout.write(listing());
      else if (options.openapi) world.stdout.write(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
      else if (name === undefined) throw new UsageError('api needs an operation; `leadsheet api --list` shows them');
      else await callOperation(findOperation(name), parameters, options, findConfig(command, world), world);
    });
}

async function callOperation(
  named: NamedOperation,
  parameters: readonly string[],
  options: ApiOptions,
  config: Config | undefined,
  world: CliWorld,
): Promise<void> {
  const input = { ...readBody(options.body), ...readParameters(parameters, named, options) };
  const settings = readServiceSettings(world.env, options);
  const warning = tokenWarning(settings.token, world.now());
  if (warning !== undefined) world.stderr.write(`leadsheet: ${warning}\n`);
  const { capture } = options;
  const { connectService, shareBudgets } = await import('../app.ts');
  const warn = (message: string) => void world.stderr.write(`leadsheet: ${lineText(message)}\n`);
  using shared = config && shareBudgets(config, world, warn);
  using connection = connectService(inBudgetOf(config, settings), shared?.world ?? world, {
    retriesMax,
    ...(capture !== undefined && { observe: (exchange) => appendCapture(capture, exchange) }),
  });
  const answer = await connection.client.call(named.operation, input, {
    ...(named.operation.repeat === 'read' ? { signal: world.stop } : { stop: world.stop }),
    ...(options.allowUnknown && { allowUnknown: true }),
  });
  world.stdout.write(`${JSON.stringify(answer ?? null, null, 2)}\n`);
}

/** undefined: there is none, or it has faults. This command works without, and then counts its calls alone. */
function findConfig(command: Command, world: CliWorld): Config | undefined {
  try {
    return readConfig(command.optsWithGlobals<GlobalOptions>(), world);
  } catch {
    return undefined;
  }
}

/** Calls with the token of the configuration have its budget. */
function inBudgetOf(config: Config | undefined, settings: ServiceSettings): ServiceSettings {
  if (config?.crm.token.reveal() !== settings.token.reveal()) return settings;
  return { ...settings, requestsPerMinute: config.crm.requestsPerMinute };
}

function findOperation(name: string): NamedOperation {
  const found = operationList.find((candidate) => candidate.name === name);
  if (found) return found;
  const names = operationList.map((candidate) => candidate.name);
  throw new UsageError(`there is no operation ${name}${didYouMean(name, names)}`);
}

/** Reads `--lead.email a --limit 5` as {lead: {email: 'a'}, limit: 5}. Names are the service's, or have dashes. */
function readParameters(
  parameters: readonly string[],
  named: NamedOperation,
  { allowUnknown = false }: ApiOptions,
): Record<string, unknown> {
  const { operation, name: operationName } = named;
  const { tokens } = parseArgs({ args: [...parameters], strict: false, allowPositionals: true, tokens: true });
  const input: Record<string, unknown> = {};
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'option' || !token.rawName.startsWith('--')) {
      throw new UsageError(`${operationName}: "${parameters[token?.index ?? 0]}" is no parameter; write --name value`);
    }
    const place = findPlace(token.name, named, allowUnknown);
    // parseArgs does not know that the option takes a value, and leaves the value as the next positional.
    const next = tokens[index + 1];
    const value = token.value ?? (next?.kind === 'positional' ? next.value : undefined);
    if (value === undefined) throw new UsageError(`${operationName}: --${token.name} needs a value`);
    if (token.value === undefined) index += 1;
    assign(input, place, readValue(value, fieldSchema(operation, place)));
  }
  return input;
}

/** Reads `lead.first-name` as ['lead', 'first_name']: the names of the operation, at each depth. */
function findPlace(written: string, { operation, name }: NamedOperation, allowUnknown: boolean): readonly string[] {
  const place: string[] = [];
  for (const part of written.split('.')) {
    const known = place.length === 0 ? inputNames(operation) : keysOf(fieldSchema(operation, place));
    const found = known?.find((candidate) => letters(candidate) === letters(part));
    if (known && found === undefined && !allowUnknown) {
      const dotted = known.map((candidate) => `--${[...place, candidate].join('.')}`);
      const hint = known.length === 0 ? '; it takes none' : didYouMean(`--${written}`, dotted);
      throw new UsageError(`${name} has no parameter --${written}${hint}`);
    }
    place.push(found ?? part);
  }
  return place;
}

/** Makes `flowUuid`, `flow_uuid` and `flow-uuid` one name. */
function letters(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

/** Text if the field takes text; else parsed as JSON: 5, true, ["a"], {">=": "2026-11-01"}. */
function readValue(text: string, schema: z.ZodType | undefined): unknown {
  if (schema?.safeParse(text).success && !/^[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return schema === undefined && !isObject(value) ? text : value;
  } catch {
    return text;
  }
}

/** The schema of a field; of a nested field for a dotted name; undefined if there is no such field. */
function fieldSchema({ pathParameters, query, body }: NamedOperation['operation'], path: readonly string[]) {
  const [name = '', ...rest] = path;
  const start = [pathParameters, query, body].map((schema) => schema?.shape[name]).find(Boolean);
  return rest.reduce<unknown>((schema, key) => {
    const object = unwrapOptional(schema);
    if (object instanceof z.ZodObject) return object.shape[key];
    return object instanceof z.ZodRecord ? object.valueType : undefined;
  }, start) as z.ZodType | undefined;
}

/** The names that a nested value may have; undefined: any. */
function keysOf(schema: unknown): readonly string[] | undefined {
  const object = unwrapOptional(schema);
  if (object instanceof z.ZodObject) return Object.keys(object.shape);
  return object instanceof z.ZodRecord && object.keyType instanceof z.ZodEnum
    ? object.keyType.options.map(String)
    : undefined;
}

function unwrapOptional(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapOptional(schema.unwrap()) : schema;
}

function assign(target: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = isObject(target[name]) ? { ...target[name] } : {};
  assign(inner, rest, value);
  target[name] = inner;
}

function readBody(option: string | undefined): Record<string, unknown> {
  if (option === undefined) return {};
  const text = option.startsWith('@') ? readBodyFile(option.slice(1)) : option;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new UsageError(`--body is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError('--body must be a JSON object, {"name": "value"}');
}

function readBodyFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`the file ${file} of --body cannot be read (${why})`);
  }
}

/** Writes one line an answer. The line has no request headers, and so no token. */
function appendCapture(file: string, { exchange, operation, method, url, attempts }: ObservedExchange): void {
  const answer =
    exchange.outcome === 'answered'
      ? { status: exchange.status, headers: Object.fromEntries(exchange.headers), text: exchange.text }
      : { failure: exchange.why };
  appendPrivateFile(file, `${JSON.stringify({ operation, method, url, attempt: attempts, ...answer })}\n`);
}

function listing(): string {
  const width = Math.max(...operationList.map(({ name }) => name.length));
  return operationList
    .map(({ name, operation }) => {
      const parameters = inputNames(operation).join(' ');
      const indent = ' '.repeat(width + 2);
      return `${name.padEnd(width)}  ${operation.method} ${operation.path}\n${indent}${operation.summary}\n${
        parameters === '' ? '' : `${indent}${parameters}\n`
      }`;
    })
    .join('\n');
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`--timeout-secs must be a number of seconds, not "${text}"`);
}
