// Asks for the account of a sync that is added: one of the configuration, or a new one with its token and its key.
import { accountNameWords, isAccountName } from '../../config/account-name.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/problems.ts';
import { defaultAccount } from '../../config/default-account.ts';
import type { AccountText } from '../../config/edit.ts';
import type { CrmConnection } from '../../app-world.ts';
import type { Sheets } from '../../sheets/port.ts';
import { UsageError } from '../errors.ts';
import type { QuestionId } from './answers-file.ts';
import { askEnvFile, literal } from './env-file.ts';
import type { Draft } from './finish.ts';
import { askKeyFile } from './key-file.ts';
import { askService } from './service.ts';
import { Refused, type Session } from './session.ts';

/** The name of the account. A file with the account at the top alone is not asked about. */
export async function askAccount(session: Session, config: Config): Promise<string> {
  const { accounts } = config;
  const names = [...accounts.keys()];
  const isAlone = names.length === 1 && names[0] === defaultAccount;
  if (isAlone && !session.isGiven('account')) return defaultAccount;
  // Of an account that is left out nobody knows whether it was meant.
  const isWhole = !config.faults.some(({ kind }) => kind === 'account');
  const safe = accounts.has(defaultAccount) ? defaultAccount : isWhole && names.length === 1 ? names[0] : undefined;
  return session.answer({
    id: 'account',
    what: `the account of the sync: ${names.join(', ')}, or a new name`,
    ...(safe !== undefined && { safe }),
    parse: (text) => parseName(text.trim(), names, config),
    async ask(prompts) {
      // No account has a name with a blank.
      const other = 'a new account';
      const chosen = await prompts.choose({
        message: 'The account of the sync',
        options: [...names, other].map((value) => ({ value, label: value })),
        ...(safe !== undefined && { initial: safe }),
      });
      return chosen === other || chosen === undefined
        ? prompts.text({ message: 'The name of the new account, such as that of the client' })
        : chosen;
    },
  });
}

/** Throws Refused, and ConfigError for an account of the file that has faults. */
function parseName(name: string, names: readonly string[], { path, faults }: Config): string {
  if (names.includes(name)) return name;
  const faulty = faults.find((fault) => fault.kind === 'account' && fault.name.toLowerCase() === name.toLowerCase());
  if (faulty) throw new ConfigError(path, faulty.problems);
  if (!isAccountName(name)) throw new Refused(`"${name}" is no name of an account: it is ${accountNameWords}`);
  if (name.toLowerCase() === defaultAccount)
    throw new Refused(`${defaultAccount} is the account of crm and google at the top: take another name`);
  const other = names.find((each) => each.toLowerCase() === name.toLowerCase());
  if (other !== undefined)
    throw new Refused(`there is the account ${other}, in other letters: take ${other}, or another name`);
  return name;
}

interface OpenAccount {
  /** The caller disposes it. */
  readonly crm: CrmConnection;
  readonly sheets: Sheets;
  readonly keyFile: string;
  /** For a new account: asks where its secrets go. Undefined: the configuration has the account. */
  readonly added?: () => Promise<{ readonly text: AccountText } & Pick<Draft, 'env'>>;
}

interface OpenOptions {
  readonly path: string;
  readonly endpoint: string | undefined;
}

/** Connects both sides of the account; a new one is asked for its settings. */
export async function openAccount(
  session: Session,
  config: Config,
  name: string,
  { path, endpoint }: OpenOptions,
): Promise<OpenAccount> {
  const { world } = session;
  const known = config.accounts.get(name);
  if (known) {
    const given = ofAccount.filter((flag) => session.isFlag(flag));
    if (given.length > 0) {
      const why = `the configuration has the account ${name} with its settings`;
      throw new UsageError(`--${given.join(', --')}: ${why}; leave it out, or give the new account another name`);
    }
    const { connectCrm, connectSheets } = await import('../../app-connections.ts');
    const sheets = await (world.connectSheets ?? connectSheets)(known, world);
    return { crm: connectCrm(known.crm, world, { retriesMax: 1 }), sheets, keyFile: known.google.credentialsFile };
  }
  const baseUrls = new Set([...config.accounts.values()].map(({ crm }) => crm.baseUrl));
  const [baseUrl] = baseUrls.size === 1 ? baseUrls : [];
  // Names that differ in signs alone have one variable: the token of another account is not proposed.
  const taken = new Set([...config.accounts.values()].map(({ crm }) => crm.token.reveal()));
  const prefix = variablePrefix(name);
  const variable = firstVariable(prefix, (value) => !taken.has(value), world.env);
  const { crm, settings, tokenFile } = await askService(session, { tokenVariable: variable, baseUrl });
  try {
    const key = await askKeyFile(session, { config: path, endpoint });
    const token = settings.token.reveal();
    return {
      crm,
      sheets: key.sheets,
      keyFile: key.file,
      async added() {
        // A variable that is set keeps its value: another program may use it.
        const reference = firstVariable(prefix, (value) => value === '' || value === token, world.env);
        const text: AccountText = {
          crm: {
            base_url: literal(settings.baseUrl),
            ...(tokenFile === undefined ? { token: `\${${reference}}` } : { token_file: literal(tokenFile) }),
          },
          google: {
            credentials_file: literal(key.file),
            ...(endpoint !== undefined && { endpoint: literal(endpoint) }),
          },
        };
        if (tokenFile !== undefined) return { text };
        const isWritten = await askEnvFile(session, `the API key, as ${reference},`);
        return { text, env: { variables: [{ name: reference, value: token }], isWritten } };
      },
    };
  } catch (error) {
    crm[Symbol.dispose]();
    throw error;
  }
}

/** Settings of an account; one that exists has them. */
const ofAccount: readonly QuestionId[] = ['base-url', 'token-file', 'key-file', 'dotenv'];

/** `acme-eu` is `ACME_EU`; a variable does not begin with a digit. */
function variablePrefix(account: string): string {
  const name = account.toUpperCase().replaceAll('-', '_');
  return /^\d/.test(name) ? `ACCOUNT_${name}` : name;
}

/** The first of `ACME_TOKEN`, `ACME_TOKEN_2` and so on whose value passes; a variable that is not set is ''. */
function firstVariable(prefix: string, isFit: (value: string) => boolean, env: Session['world']['env']): string {
  for (let number = 1; ; number += 1) {
    const name = `${prefix}_TOKEN${number === 1 ? '' : `_${number}`}`;
    if (isFit(env[name] ?? '')) return name;
  }
}
