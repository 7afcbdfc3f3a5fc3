// Finds the part of a configuration that holds despite its problems: the jobs and accounts that no problem is about.
import { defaultAccount } from './default-account.ts';
import { isMapping } from './checks/check.ts';
import type { JoinedSource } from './include.ts';
import type { ConfigProblem, Path } from './problems.ts';

/** An account, a job or an included file that is left out, and why. */
export interface ConfigFault {
  readonly kind: 'account' | 'job' | 'file';
  readonly name: string;
  /** Of a job: the account that it names, whether or not there is one. */
  readonly account?: string;
  /** Of its own; for a job also those of its account and its file. One at least. */
  readonly problems: readonly ConfigProblem[];
  /** It has no problem of its own: the account or the file that it depends on has one. */
  readonly because?: string;
}

export interface Sound {
  /** The options without all that is left out. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Files first, then accounts, then jobs. */
  readonly faults: readonly ConfigFault[];
}

export const jobSections = ['syncs', 'feeds', 'outbox'] as const;

/**
 * Undefined: a problem is about the whole, or no job is left and `mayHaveNoJob` is not set. A problem of an included file as a whole leaves out all its jobs
 * and accounts, one of an account its jobs. A problem between two jobs leaves out both: neither is known to be the right one.
 */
export function findSound(
  source: JoinedSource,
  problems: readonly ConfigProblem[],
  mayHaveNoJob: boolean,
): Sound | undefined {
  const { value } = source;
  if (!isMapping(value)) return undefined;
  const byFile = new Map<string, ConfigProblem[]>();
  const byAccount = new Map<string, ConfigProblem[]>();
  const byJob = new Map<string, ConfigProblem[]>();
  for (const problem of problems) {
    const { path, also = [], file } = problem;
    for (const owner of [ownerOf(path, file), ...also.map((other) => ownerOf(other, undefined))]) {
      if (owner === undefined) return undefined;
      const map = { file: byFile, account: byAccount, job: byJob }[owner.kind];
      map.set(owner.name, [...(map.get(owner.name) ?? []), problem]);
    }
  }
  const because = new Map<string, string>();
  const accountByJob = new Map<string, string>();
  const inFile = (path: Path) => byFile.get(source.fileOf(path) ?? '') ?? [];
  for (const name of keysIn(value['accounts'])) {
    const file = inFile(['accounts', name]);
    if (file.length > 0 && !byAccount.has(name)) because.set(`account ${name}`, fileWords(source, ['accounts', name]));
    const all = [...(byAccount.get(name) ?? []), ...file];
    if (all.length > 0) byAccount.set(name, all);
  }
  const jobs = jobSections.map((section) => [section, isMapping(value[section]) ? value[section] : {}] as const);
  for (const [section, items] of jobs) {
    for (const [name, item] of Object.entries(items)) {
      const named = isMapping(item) ? item['account'] : undefined;
      const account = typeof named === 'string' ? named : defaultAccount;
      accountByJob.set(name, account);
      const [ofAccount, ofFile] = [byAccount.get(account) ?? [], inFile([section, name])];
      if (!byJob.has(name) && ofFile.length > 0) because.set(`job ${name}`, fileWords(source, [section, name]));
      else if (!byJob.has(name) && ofAccount.length > 0) because.set(`job ${name}`, `account ${account}`);
      const all = [...(byJob.get(name) ?? []), ...ofAccount, ...ofFile];
      if (all.length > 0) byJob.set(name, [...new Set(all)]);
    }
  }
  const kept = jobs.map(([section, items]) => [section, without(items, byJob)] as const);
  if (!mayHaveNoJob && kept.every(([, items]) => Object.keys(items).length === 0)) return undefined;
  const { crm: _crm, google: _google, ...rest } = value;
  return {
    value: {
      ...(byAccount.has(defaultAccount) ? rest : value),
      ...(isMapping(value['accounts']) && { accounts: without(value['accounts'], byAccount) }),
      ...Object.fromEntries(kept),
    },
    faults: [
      ...faultsOf('file', byFile, because),
      ...faultsOf('account', byAccount, because),
      ...faultsOf('job', byJob, because).map((fault) => {
        const account = accountByJob.get(fault.name);
        return { ...fault, ...(account !== undefined && { account }) };
      }),
    ],
  };
}

function fileWords(source: JoinedSource, path: Path): string {
  return `file ${source.fileOf(path) ?? ''}`;
}

/** Undefined: the whole. */
function ownerOf(path: Path | undefined, file: string | undefined): Pick<ConfigFault, 'kind' | 'name'> | undefined {
  if (file !== undefined) return { kind: 'file', name: file };
  const [section, name] = path ?? [];
  if (section === 'crm' || section === 'google') return { kind: 'account', name: defaultAccount };
  if (name === undefined) return undefined;
  if (section === 'accounts') return { kind: 'account', name: String(name) };
  return jobSections.some((each) => each === section) ? { kind: 'job', name: String(name) } : undefined;
}

function faultsOf(
  kind: ConfigFault['kind'],
  problems: ReadonlyMap<string, readonly ConfigProblem[]>,
  because: ReadonlyMap<string, string>,
): readonly ConfigFault[] {
  return [...problems].map(([name, each]) => {
    const cause = because.get(`${kind} ${name}`);
    return { kind, name, problems: each, ...(cause !== undefined && { because: cause }) };
  });
}

function without(
  items: Readonly<Record<string, unknown>>,
  left: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(items).filter(([name]) => !left.has(name)));
}

function keysIn(value: unknown): readonly string[] {
  return isMapping(value) ? Object.keys(value) : [];
}
