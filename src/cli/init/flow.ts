// The questions of an init in their order: a new configuration, or a sync added to one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultAccount } from '../../config/default-account.ts';
import type { Config } from '../../config/config.ts';
import { newConfigText, textWithSync } from '../../config/edit.ts';
import { jobsIn } from '../../config/jobs.ts';
import type { Crm } from '../../crm/port.ts';
import type { InitAnswer } from '../../operator/answers/init.ts';
import { policyComments } from '../../operator/init/policies.ts';
import { nameFrom, type SyncChoices, syncToOptions } from '../../operator/init/proposal.ts';
import type { Sheets } from '../../sheets/port.ts';
import { CommandFailed } from '../errors.ts';
import { askColumns } from './columns.ts';
import { finish } from './finish.ts';
import { askKeyFile } from './key-file.ts';
import { askList } from './list.ts';
import { askMatch } from './match.ts';
import { askPolicies, askStatusColumn } from './policies.ts';
import { askService } from './service.ts';
import { Refused, type Session } from './session.ts';
import { askSheet } from './sheet.ts';
import { envFileName } from './write.ts';

export interface FlowOptions {
  /** The path of the configuration. */
  readonly path: string;
  /** `--create-list`. */
  readonly mayMakeList: boolean;
  /** `--google-endpoint`: calls go here instead of to Google. */
  readonly endpoint: string | undefined;
  /** Called once the file is written. */
  readonly written: () => void;
}

export async function makeConfig(session: Session, options: FlowOptions): Promise<InitAnswer> {
  const { path, endpoint, written } = options;
  const service = await askService(session);
  using crm = service.crm;
  const key = await askKeyFile(session, { config: path, endpoint });
  const choices = await askSync(session, { ...options, crm, sheets: key.sheets, config: undefined });
  const isEnvWritten = await askEnvFile(session);
  const tokenFile = service.tokenFile;
  const { baseUrl, token } = service.settings;
  const text = newConfigText(
    {
      name: choices.name,
      sync: syncToOptions(choices),
      crm: {
        base_url: isEnvWritten ? '${OUTREACH_BASE_URL}' : baseUrl,
        ...(tokenFile === undefined ? { token: '${OUTREACH_TOKEN}' } : { token_file: literal(tokenFile) }),
      },
      google: {
        credentials_file: isEnvWritten ? '${GOOGLE_APPLICATION_CREDENTIALS}' : literal(key.file),
        ...(endpoint !== undefined && { endpoint }),
      },
      hasSchema: existsSync(join(dirname(path), 'leadsheet.schema.json')),
    },
    policyComments(choices.policies),
  );
  const variables = [
    { name: 'OUTREACH_BASE_URL', value: baseUrl },
    ...(tokenFile === undefined ? [{ name: 'OUTREACH_TOKEN', value: token.reveal() }] : []),
    { name: 'GOOGLE_APPLICATION_CREDENTIALS', value: key.file },
  ];
  const env = { variables, isWritten: isEnvWritten };
  return finish(session, { path, text, name: choices.name, env, keyFile: key.file, written });
}

/** Adds a sync to the file at `path`, which `config` was read from. */
export async function addSync(session: Session, config: Config, options: FlowOptions): Promise<InitAnswer> {
  const { path, written } = options;
  const { world } = session;
  const account = config.accounts.get(defaultAccount);
  if (!account) {
    const accounts = [...config.accounts.keys()].join(', ');
    const why = `${path} has no account ${defaultAccount}, to which init adds a sync; it has ${accounts}`;
    throw new Refused(`${why}. Write the sync into the file: docs/accounts.md`, 'failed');
  }
  const { connectCrm, connectSheets } = await import('../../app-connections.ts');
  using crm = connectCrm(account.crm, world, { retriesMax: 1 });
  const sheets = await (world.connectSheets ?? connectSheets)(account, world);
  const choices = await askSync(session, { ...options, crm, sheets, config });
  const before = readFileSync(path, 'utf8');
  const text = textWithSync(before, choices.name, syncToOptions(choices), policyComments(choices.policies));
  return finish(session, { path, text, name: choices.name, keyFile: account.google.credentialsFile, written });
}

interface SyncDep extends FlowOptions {
  readonly crm: Crm;
  readonly sheets: Sheets;
  /** The configuration that the sync is added to. */
  readonly config: Config | undefined;
}

async function askSync(session: Session, dep: SyncDep): Promise<SyncChoices> {
  const { crm, sheets, config, mayMakeList } = dep;
  const { description } = crm;
  const taken = new Set(config ? jobsIn(config).map(({ name }) => name) : []);
  // A name that is given is looked at before anything is asked.
  const given = session.isGiven('name') ? await askName(session, taken, '') : undefined;
  const sheet = await askSheet(session, sheets, description);
  const owner = config && ownerOf(config, sheet.spreadsheet, [sheet.tab.title, sheet.tab.reference]);
  if (owner !== undefined) {
    throw new CommandFailed(`tab "${sheet.tab.title}" is written by ${owner} already: each sync has a tab of its own`);
  }
  const list = await askList(session, crm, mayMakeList);
  const columns = await askColumns(session, sheet, list.contacts, description);
  const match = await askMatch(session, { sheets, sheet, columns, list, crm: description });
  const statusHeader = await askStatusColumn(session, columns);
  const policies = await askPolicies(session, description.hasAutomations);
  return {
    name: given ?? (await askName(session, taken, nameFrom(sheet.tab.title, taken))),
    list: list.list,
    isListNew: list.isNew,
    spreadsheet: sheet.spreadsheet,
    tab: sheet.tabText,
    headerRow: sheet.headerRow,
    statusHeader,
    columns: columns.map(({ column, choice }) => ({ header: column.header, choice })),
    match,
    policies,
  };
}

/** The job that writes this tab; the file may name it either way. */
function ownerOf(config: Config, spreadsheet: string, tabs: readonly string[]): string | undefined {
  return jobsIn(config).find(({ config: { sheet } }) => sheet.spreadsheetId === spreadsheet && tabs.includes(sheet.tab))
    ?.name;
}

function askName(session: Session, taken: ReadonlySet<string>, proposed: string): Promise<string> {
  return session.answer({
    id: 'name',
    what: 'the name of the sync in the file and in commands',
    safe: proposed,
    parse(text) {
      const name = text.trim();
      if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
        throw new Refused(`"${name}" is no name: letters, digits, - and _, a letter or digit first, 64 at most`);
      }
      const other = [...taken].find((each) => each.toLowerCase() === name.toLowerCase());
      if (other !== undefined) throw new Refused(`there is ${other} already: take another name`);
      return name;
    },
    ask: (prompts) => prompts.text({ message: 'The name of the sync, for commands', initial: proposed }),
  });
}

async function askEnvFile(session: Session): Promise<boolean> {
  return session.answer({
    id: 'env-file',
    what: `${envFileName}, for a file with the address, the API key and the path of the key file, or none`,
    safe: envFileName,
    parse(text) {
      if (text.trim() === 'none') return false;
      if (text.trim() === envFileName) return true;
      throw new Refused(`it is ${envFileName} or none: leadsheet reads no other file`);
    },
    ask: async (prompts) =>
      (await prompts.confirm(
        `Put the address, the API key and the path of the key into ${envFileName} (mode 600)?`,
        true,
      ))
        ? envFileName
        : 'none',
  });
}

/** A text of the file that is no reference. */
function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}
