// The questions of an init in their order: a new configuration, or a sync added to one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultAccount } from '../../config/default-account.ts';
import type { Config } from '../../config/config.ts';
import { newConfigText, textWithAccount, textWithSync } from '../../config/edit.ts';
import { jobsIn } from '../../config/jobs.ts';
import type { Crm } from '../../crm/port.ts';
import type { InitAnswer } from '../../operator/answers/init.ts';
import { policyComments } from '../../operator/init/policies.ts';
import { nameFrom, type SyncChoices, syncToOptions } from '../../operator/init/proposal.ts';
import type { Sheets } from '../../sheets/port.ts';
import { CommandFailed } from '../errors.ts';
import { askAccount, openAccount } from './account.ts';
import { askColumns } from './columns.ts';
import { askEnvFile, isSetToAnother, literal } from './env-file.ts';
import { finish } from './finish.ts';
import { askKeyFile } from './key-file.ts';
import { askList } from './list.ts';
import { askMatch } from './match.ts';
import { askPolicies, askStatusColumn } from './policies.ts';
import { askService } from './service.ts';
import { Refused, type Session } from './session.ts';
import { askSheet } from './sheet.ts';
import { readIfThere } from './write.ts';

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
  const found = readIfThere(path);
  const service = await askService(session);
  using crm = service.crm;
  const key = await askKeyFile(session, { config: path, endpoint });
  const choices = await askSync(session, { ...options, crm, sheets: key.sheets, config: undefined });
  const tokenFile = service.tokenFile;
  const { baseUrl, token } = service.settings;
  const isFree = (name: string, value: string) =>
    !isSetToAnother({ name, value }, session.world, { replaces: found !== undefined });
  const variable = tokenVariable((name) => isFree(name, token.reveal()));
  const named = tokenFile !== undefined || variable === 'OUTREACH_TOKEN' ? ' and' : `, as ${variable}, and`;
  const isEnvWritten = await askEnvFile(session, `the address, the API key${named} the path of the key`);
  const isAddressReferred = isEnvWritten && isFree('OUTREACH_BASE_URL', baseUrl);
  const isKeyReferred = isEnvWritten && isFree('GOOGLE_APPLICATION_CREDENTIALS', key.file);
  const text = newConfigText(
    {
      name: choices.name,
      sync: syncToOptions(choices),
      crm: {
        base_url: isAddressReferred ? '${OUTREACH_BASE_URL}' : literal(baseUrl),
        ...(tokenFile === undefined ? { token: `\${${variable}}` } : { token_file: literal(tokenFile) }),
      },
      google: {
        credentials_file: isKeyReferred ? '${GOOGLE_APPLICATION_CREDENTIALS}' : literal(key.file),
        ...(endpoint !== undefined && { endpoint }),
      },
      hasSchema: existsSync(join(dirname(path), 'leadsheet.schema.json')),
    },
    policyComments(choices.policies),
  );
  const variables = [
    ...(isAddressReferred ? [{ name: 'OUTREACH_BASE_URL', value: baseUrl }] : []),
    ...(tokenFile === undefined ? [{ name: variable, value: token.reveal() }] : []),
    ...(isKeyReferred ? [{ name: 'GOOGLE_APPLICATION_CREDENTIALS', value: key.file }] : []),
  ];
  const env = { variables, isWritten: isEnvWritten };
  const draft = { path, before: found, text, name: choices.name, keyFile: key.file, isFirst: true, written };
  return finish(session, { ...draft, env });
}

/** `OUTREACH_TOKEN`, `OUTREACH_TOKEN_2` and so on: the first that is free. */
function tokenVariable(isFree: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const name = `OUTREACH_TOKEN${number === 1 ? '' : `_${number}`}`;
    if (isFree(name)) return name;
  }
}

/** Adds a sync to the file at `path`, which `config` was read from, and its account if that is new. */
export async function addSync(session: Session, config: Config, options: FlowOptions): Promise<InitAnswer> {
  const { path, written } = options;
  const chosen = await askAccount(session, config);
  const account = await openAccount(session, config, chosen, options);
  using crm = account.crm;
  const choices = await askSync(session, { ...options, crm, sheets: account.sheets, config });
  const added = account.added && (await account.added());
  const before = readFileSync(path, 'utf8');
  const withAccount = added ? textWithAccount(before, chosen, added.text) : before;
  const sync = { ...(chosen !== defaultAccount && { account: chosen }), ...syncToOptions(choices) };
  const text = textWithSync(withAccount, choices.name, sync, policyComments(choices.policies));
  const env = added?.env;
  const draft = { path, before, text, name: choices.name, keyFile: account.keyFile, isFirst: false, written };
  return finish(session, { ...draft, ...(env && { env }) });
}

/** Also of those that have faults. */
export function jobNames(config: Config): readonly string[] {
  const leftOut = config.faults.filter(({ kind }) => kind === 'job');
  return [...jobsIn(config), ...leftOut].map(({ name }) => name);
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
  const taken = new Set(config ? jobNames(config) : []);
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
    ask: (prompts) => prompts.text({ message: 'The name of the sync, for commands', proposal: proposed }),
  });
}
