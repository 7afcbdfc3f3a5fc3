// The command `api`: calls one operation of the service.
import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { ServiceSettings } from '../config/service-settings.ts';
import type { ObservedExchange } from '../crm/outreach/service-client.ts';
import { checkInput, inputNames } from '../crm/outreach/call/input.ts';
import { openApiDocument } from '../crm/outreach/openapi.ts';
import { isObject } from '../crm/outreach/operations/answers.ts';
import { operationList } from '../crm/outreach/operations/table.ts';
import type { NamedOperation } from '../crm/outreach/operations/table.ts';
import { confirmCall } from './api/confirm.ts';
import { operationHelp } from './api/help.ts';
import { readParameters } from './api/parameters.ts';
import { readAccount } from './api/account.ts';
import { appendPrivateFile } from './private-file.ts';
import { tokenWarning } from './token-warning.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import { lineText } from '../log/printable.ts';
import { didYouMean } from '../lib/nearest.ts';
import { UsageError } from './errors.ts';
import type { CliWorld } from './world.ts';

export interface ApiOptions extends GlobalOptions {
  readonly account?: string;
  readonly help?: true;
  readonly yes?: true;
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

/** `name`: undefined for --list and --openapi. */
export async function runApi(
  name: string | undefined,
  parameters: readonly string[],
  options: ApiOptions,
  world: CliWorld,
): Promise<void> {
  if (options.help && name !== undefined) world.stdout.write(operationHelp(findOperation(name)));
  else if (options.list) world.stdout.write(listing());
  else if (options.openapi) world.stdout.write(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
  else if (name === undefined) throw new UsageError('api needs an operation; `leadsheet api --list` shows them');
  else await callOperation(findOperation(name), parameters, options, findConfig(options, world), world);
}

async function callOperation(
  named: NamedOperation,
  parameters: readonly string[],
  options: ApiOptions,
  config: Config | undefined,
  world: CliWorld,
): Promise<void> {
  const input = { ...readBody(options.body, named), ...readParameters(parameters, named, options) };
  refuseWrongInput(named, input, options);
  const settings = readAccount(options, world);
  const warning = tokenWarning(settings.token, world.now());
  if (warning !== undefined) world.stderr.write(`leadsheet: ${warning}\n`);
  await confirmCall(named, settings.baseUrl, options, world);
  const { capture } = options;
  const { shareBudgets } = await import('../app-world.ts');
  const { connectService } = await import('../app-connections.ts');
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
function findConfig(globals: GlobalOptions, world: CliWorld): Config | undefined {
  try {
    return readConfig(globals, world);
  } catch {
    return undefined;
  }
}

/** Calls with the token of the configuration have its budget. */
function inBudgetOf(config: Config | undefined, settings: ServiceSettings): ServiceSettings {
  const accounts = [...(config?.accounts.values() ?? [])];
  const same = accounts.find(({ crm }) => crm.token.reveal() === settings.token.reveal());
  return same ? { ...settings, requestsPerMinute: same.crm.requestsPerMinute } : settings;
}

/** Before anything is asked or sent. The fields are named as options. */
function refuseWrongInput(
  { name, operation }: NamedOperation,
  input: Readonly<Record<string, unknown>>,
  { allowUnknown }: ApiOptions,
): void {
  const read = checkInput(operation, input, allowUnknown);
  if (!('fields' in read)) return;
  // `input` stands for the parameters together, and is none of them.
  const faults = Object.entries(read.fields).map(([field, messages]) =>
    field === 'input' ? `it ${messages.join(', ')}` : `--${field} ${messages.join(', ')}`,
  );
  throw new UsageError(`${name}: ${faults.join('; ')}. leadsheet api ${name} --help shows what it takes`);
}

function findOperation(name: string): NamedOperation {
  const found = operationList.find((candidate) => candidate.name === name);
  if (found) return found;
  const names = operationList.map((candidate) => candidate.name);
  throw new UsageError(`there is no operation ${name}${didYouMean(name, names)}`);
}

/** The option is called as the text of `emails.send`: there, what does not begin as an object is that text. */
function readBody(option: string | undefined, { operation }: NamedOperation): Record<string, unknown> {
  if (option === undefined) return {};
  // Many programs read standard input then: this one would send an e-mail whose text is a dash.
  if (option === '-') throw new UsageError('--body - has no text: --body @- reads standard input');
  const text = option.startsWith('@') ? readBodyFile(option.slice(1)) : option;
  if (inputNames(operation).includes('body') && !text.trimStart().startsWith('{')) return { body: text };
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
