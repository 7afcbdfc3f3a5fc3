// Checks the accounts: that there is one, their tokens, and that each job names one that exists.
import { accountNameWords, isAccountName } from '../account-name.ts';
import { nearestWord } from '../../lib/nearest.ts';
import { defaultAccount } from '../default-account.ts';
import { anyOf } from '../problems.ts';
import { keysOf } from '../schema-walk.ts';
import { crm as crmSection, google as googleSection } from '../schema/file.ts';
import type { Path } from '../problems.ts';
import { type Fault, isMapping, named, type SalvagedFile } from './check.ts';

/** The file before checks: it also has values that did not pass. */
export type GivenFile = Readonly<Record<string, unknown>>;

/** An account as the file gives it, whether it passed or not. */
interface GivenAccount {
  readonly name: string;
  /** The path of the section that has `crm` and `google`: empty for the account at the top. */
  readonly path: readonly string[];
  readonly given: GivenFile;
}

/** `isWhole`: every included file could be read. Otherwise an account that is not known may stand in one of them. */
export function checkAccounts(file: SalvagedFile, given: GivenFile, isWhole: boolean): readonly Fault[] {
  const accounts = accountsIn(given);
  return [
    ...checkThatThereIsOne(given),
    ...checkNames(given),
    ...accounts.flatMap(({ path, given: { crm } }) => checkToken([...path, 'crm'], crm)),
    ...checkJobs(file, given, new Set(accounts.map(({ name }) => name))),
    ...(isWhole ? checkSeen(file, new Set(accounts.map(({ name }) => name))) : []),
  ];
}

/** The account at the top exists if the file has `crm` or `google` there, or nothing else. */
function accountsIn(given: GivenFile): readonly GivenAccount[] {
  const atTop: GivenAccount = { name: defaultAccount, path: [], given };
  const further = isMapping(given['accounts']) ? Object.entries(given['accounts']) : [];
  const isAtTop = given['crm'] !== undefined || given['google'] !== undefined || !('accounts' in given);
  return [
    ...(isAtTop ? [atTop] : []),
    ...further.flatMap(([name, account]) =>
      isMapping(account) ? [{ name, path: ['accounts', name], given: account }] : [],
    ),
  ];
}

/** The sections at the top are needed together, and both if there is no other account. */
function checkThatThereIsOne(given: GivenFile): readonly Fault[] {
  if (isMapping(given['accounts']) && Object.keys(given['accounts']).length === 0 && !('crm' in given)) {
    const allowed = 'one account at least, such as acme with crm and google, or crm and google at the top';
    return [{ path: ['accounts'], part: 'value', allowed }];
  }
  if (!accountsIn(given).some(({ path }) => path.length === 0)) return [];
  // A misspelt one is reported as that.
  const meant = new Set(Object.keys(given).map((key) => nearestWord(key, ['crm', 'google'])));
  return Object.entries({ crm: crmSection, google: googleSection }).flatMap(([key, section]): Fault[] => {
    if (key in given || meant.has(key)) return [];
    const allowed = `a mapping with ${(keysOf(section) ?? []).join(', ')}`;
    return [{ path: [key], part: 'value', found: 'nothing', allowed }];
  });
}

function checkNames(given: GivenFile): readonly Fault[] {
  const names = isMapping(given['accounts']) ? Object.keys(given['accounts']) : [];
  const isAtTop = given['crm'] !== undefined || given['google'] !== undefined;
  const seen = new Map<string, Path>(isAtTop ? [[defaultAccount, ['crm']]] : []);
  return names.flatMap((name): Fault[] => {
    const path = ['accounts', name];
    if (!isAccountName(name)) {
      return [{ path, part: 'key', found: JSON.stringify(name), allowed: accountNameWords }];
    }
    const first = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), first ?? path);
    if (first === undefined) return [];
    const which = first.length === 1 ? 'crm and google at the top' : first.join('.');
    const allowed = 'a name of its own for each account, in more than upper and lower case';
    return [{ path, also: [first], part: 'key', found: `the name of ${which} again`, allowed }];
  });
}

function checkToken(path: Path, crm: unknown): readonly Fault[] {
  if (!isMapping(crm)) return [];
  if ('token' in crm && 'token_file' in crm) {
    return [{ path: [...path, 'token_file'], part: 'key', found: 'this beside token', allowed: 'one of the two' }];
  }
  const known = keysOf(crmSection) ?? [];
  // A misspelt one is reported as that.
  const meant = new Set(Object.keys(crm).map((key) => nearestWord(key, known)));
  if (meant.has('token') || meant.has('token_file')) return [];
  const allowed = 'token: ${OUTREACH_TOKEN}, or token_file with the path of a file that holds it';
  return [{ path, part: 'key', found: 'no token', allowed }];
}

function checkJobs(file: SalvagedFile, given: GivenFile, known: ReadonlySet<string>): readonly Fault[] {
  // That there is none is said once.
  if (known.size === 0) return [];
  const words = anyOf([...known]);
  return (['syncs', 'feeds', 'outbox'] as const).flatMap((section) =>
    named<{ readonly account?: string | undefined }>(file[section]).flatMap(({ name, item: { account } }): Fault[] => {
      const path = [section, name];
      if (account !== undefined) {
        if (known.has(account)) return [];
        const nearest = nearestWord(account, [...known]);
        return [{ path: [...path, 'account'], part: 'value', allowed: `an account of the file: ${words}`, nearest }];
      }
      // One that did not pass is reported already.
      if (known.has(defaultAccount) || isAccountGiven(given, path)) return [];
      return [{ path, part: 'key', found: 'no account', allowed: `account, which is one of the file: ${words}` }];
    }),
  );
}

/** Users of the console see accounts of the file: a misspelt one would be a person who sees nothing. */
function checkSeen({ server }: SalvagedFile, known: ReadonlySet<string>): readonly Fault[] {
  if (known.size === 0) return [];
  const words = anyOf([...known]);
  const wrong = (path: Path, names: readonly (string | undefined)[] | undefined): readonly Fault[] =>
    (names ?? []).flatMap((name, index) =>
      name === undefined || known.has(name)
        ? []
        : [
            {
              path: [...path, index],
              part: 'value' as const,
              allowed: `an account of the file: ${words}`,
              nearest: nearestWord(name, [...known]),
            },
          ],
    );
  return [
    ...(server?.users ?? []).flatMap((user, index) => wrong(['server', 'users', index, 'accounts'], user?.accounts)),
    ...Object.entries(server?.trusted_proxy?.accounts ?? {}).flatMap(([name, names]) =>
      wrong(['server', 'trusted_proxy', 'accounts', name], names),
    ),
  ];
}

function isAccountGiven(given: GivenFile, [section, name]: readonly string[]): boolean {
  const jobs = given[section!];
  const job = isMapping(jobs) ? jobs[name!] : undefined;
  return isMapping(job) && 'account' in job;
}
