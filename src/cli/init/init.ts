// The command `init`: asks for everything that a sync needs, tests each answer at once, and writes the configuration.
import { existsSync } from 'node:fs';
import { lineText } from '../../log/printable.ts';
import type { InitAnswer } from '../../operator/answers/init.ts';
import { countText } from '../../operator/words.ts';
import { UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { configPathOf, type GlobalOptions } from '../globals.ts';
import { readConfigToExtend } from '../read-config.ts';
import { jsonText } from '../print/lines.ts';
import type { CliWorld, Finish } from '../world.ts';
import { type Answers, type AnswersFile, openAnswersFile, type QuestionId } from './answers-file.ts';
import { Cancelled } from './cancelled.ts';
import type { Prompts } from './prompts.ts';
import type { Session } from './session.ts';

interface InitOptions extends GlobalOptions {
  /** true: the sync is named later. */
  readonly add?: string | true;
  readonly account?: string;
  readonly yes?: true;
  readonly overwrite?: true;
  readonly createList?: true;
  readonly googleEndpoint?: string;
  readonly column?: readonly string[];
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly keyFile?: string;
  readonly spreadsheet?: string;
  readonly tab?: string;
  readonly headerRow?: string;
  readonly list?: string;
  readonly name?: string;
  readonly match?: string;
  readonly statusColumn?: string;
  readonly conflict?: string;
  readonly blank?: string;
  readonly rowDeleted?: string;
  readonly contactDeleted?: string;
  readonly dotenv?: string;
  readonly serviceFile?: string;
}

export async function runInit(options: InitOptions, world: CliWorld, finish: Finish): Promise<void> {
  const path = configPathOf(options, world);
  const isAsking = options.yes !== true;
  if (isAsking && options.json) throw new UsageError('--json shows what was made, and is for init --yes');
  const terminal = world.terminal?.();
  if (isAsking && !terminal) {
    throw new UsageError(
      'init asks questions, and there is no terminal: answer by flags, with --yes (leadsheet init --help)',
    );
  }
  if (typeof options.add === 'string' && options.name !== undefined)
    throw new UsageError('--add names the sync: leave --name out');
  // An account that is added has settings of its own.
  const settled = options.account === undefined ? ofConfig : (['service-file'] as const);
  const known = options.add === undefined ? [] : settled.filter((flag) => flagsOf(options)[flag] !== undefined);
  if (known.length > 0)
    throw new UsageError(`--${known.join(', --')}: the configuration says that already; leave it out`);
  const { createPrompts } = await import('./prompts.ts');
  const prompts = isAsking && terminal ? createPrompts(terminal, world.stop) : undefined;
  let file: AnswersFile | undefined;
  let isWritten = false;
  try {
    const mode = await chooseMode(options, path, prompts);
    if (mode === 'new' && options.account !== undefined)
      throw new UsageError('--account is for a sync that is added: leadsheet init --add NAME --account ACCOUNT');
    const { add = true } = options;
    file = prompts && openAnswersFile(path, mode === 'add' ? (add === true ? 'add' : add) : undefined, world);
    const earlier = (file && prompts && (await earlierAnswers(file, prompts))) ?? {};
    const written = () => {
      isWritten = true;
      file?.remove();
    };
    const answer = await run(mode, options, { world, path, prompts, file, earlier, written });
    if (options.json) world.stdout.write(jsonText(answer));
    const isFailed = answer.findings.some(({ verdict }) => verdict === 'failed');
    const where = configPathOf({}, world) === path ? '' : ` --config ${path}`;
    prompts?.end(isFailed ? `Correct what the check names, then: leadsheet check${where}` : nextWords(answer, where));
    if (!prompts && !options.json) world.stdout.write(`${lineText(nextWords(answer, where))}\n`);
    if (isFailed) finish(exitCodes.failed);
  } catch (error) {
    // Between two questions Ctrl-C is a signal, and ends calls instead of a question.
    if (!(error instanceof Cancelled) && !world.stop.aborted) throw error;
    world.stderr.write(`leadsheet: ${lineText(stoppedWords(path, isWritten, file))}\n`);
    finish(exitCodes.interrupted);
  }
}

function stoppedWords(path: string, isWritten: boolean, file: AnswersFile | undefined): string {
  if (isWritten) return `stopped: ${path} is written; to go on: leadsheet check`;
  if (!file?.read()) return 'stopped: nothing was written';
  return `stopped: nothing was written; the answers so far are in ${file.path}, and leadsheet init goes on with them`;
}

/** `where`: how a command finds the configuration, if not by itself. */
function nextWords({ sync }: InitAnswer, where: string): string {
  return `Look: leadsheet plan ${sync}${where}. Sync once: leadsheet sync ${sync}${where}. Keep both sides equal: leadsheet run${where}`;
}

/** A configuration that exists is replaced only if a person says so. */
async function chooseMode(
  { add, overwrite }: InitOptions,
  path: string,
  prompts: Prompts | undefined,
): Promise<'new' | 'add'> {
  if (add !== undefined) {
    if (existsSync(path)) return 'add';
    throw new UsageError(`there is no ${path} to add ${add === true ? 'a sync' : add} to: leadsheet init makes one`);
  }
  if (overwrite || !existsSync(path)) return 'new';
  if (!prompts)
    throw new UsageError(`--overwrite is missing: ${path} exists; leadsheet init --add NAME adds a sync to it`);
  const chosen = await prompts.choose({
    message: `${path} exists`,
    options: [
      { value: 'add', label: 'Add a sync to it' },
      { value: 'new', label: 'Replace it' },
      { value: 'stop', label: 'Stop' },
    ],
  });
  if (chosen === 'stop' || chosen === undefined) throw new Cancelled();
  return chosen;
}

async function earlierAnswers(file: AnswersFile, prompts: Prompts): Promise<Answers> {
  const earlier = file.read();
  if (!earlier || Object.keys(earlier.answers).length === 0) return {};
  const when = earlier.at.slice(0, 16).replace('T', ' ');
  const count = countText(Object.keys(earlier.answers).length, 'answer');
  const question = `An init was stopped at ${when} UTC, after ${count}. Go on with them?`;
  if (await prompts.confirm(question, true)) return earlier.answers;
  file.remove();
  return {};
}

interface RunDep {
  readonly world: CliWorld;
  readonly path: string;
  readonly prompts: Prompts | undefined;
  readonly file: AnswersFile | undefined;
  readonly earlier: Answers;
  readonly written: () => void;
}

async function run(mode: 'new' | 'add', options: InitOptions, dep: RunDep): Promise<InitAnswer> {
  const { world, path, written } = dep;
  const { createSession } = await import('./session.ts');
  const { addSync, jobNames, makeConfig } = await import('./flow.ts');
  const tell = (text: string) => void (options.json ? world.stderr : world.stdout).write(`${lineText(text)}\n`);
  const session: Session = createSession({ ...dep, flags: flagsOf(options), tell });
  const flow = {
    path,
    mayMakeList: options.createList === true,
    endpoint: options.googleEndpoint,
    written,
  };
  if (mode === 'new') return makeConfig(session, flow);
  const config = readConfigToExtend(options, world);
  const taken = jobNames(config).find((name) => isSameName(name, options.add));
  if (taken !== undefined) throw new UsageError(`--add: there is ${taken} already; take another name`);
  for (const { kind, name } of config.faults)
    session.warn(`The ${kind} ${name} has faults and is left out: leadsheet check`);
  return addSync(session, config, flow);
}

function isSameName(name: string, add: string | true | undefined): boolean {
  return typeof add === 'string' && name.toLowerCase() === add.toLowerCase();
}

/** Answers that a configuration has, to which a sync is added. */
const ofConfig: readonly QuestionId[] = ['base-url', 'token-file', 'key-file', 'dotenv', 'service-file'];

function flagsOf(options: InitOptions): Answers {
  const { column, add, name = add === true ? undefined : add } = options;
  const flags: Partial<Record<QuestionId, string | undefined>> = {
    account: options.account,
    'base-url': options.baseUrl,
    'token-file': options.tokenFile,
    'key-file': options.keyFile,
    spreadsheet: options.spreadsheet,
    tab: options.tab,
    'header-row': options.headerRow,
    list: options.list,
    name,
    column: column && JSON.stringify(column),
    match: options.match,
    'status-column': options.statusColumn,
    conflict: options.conflict,
    blank: options.blank,
    'row-deleted': options.rowDeleted,
    'contact-deleted': options.contactDeleted,
    dotenv: options.dotenv,
    'service-file': options.serviceFile,
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}
