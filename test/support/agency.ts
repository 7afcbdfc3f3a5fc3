// A daemon of two clients: each with a service of its own, with another token, and a tab of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createDaemonTrial, type DaemonTrialOptions } from './daemon.ts';

const betaUrl = 'http://127.0.0.1:4011';
const betaSheet = '1BetaBetaBetaBetaBetaBetaBetaBeta-0123456789';

type Section = Record<string, unknown>;
export interface AgencyFile {
  accounts: Record<string, { crm: Section; google: Section; alerts?: Section }>;
  syncs: Record<string, Section>;
  [section: string]: unknown;
}

/** The jobs are `prospects` of `acme` and `leads` of `beta`. */
export function createAgencyTrial(options: DaemonTrialOptions = {}) {
  /** The tokens that the service of beta takes. */
  const betaTokens = ['the-token-of-beta'];
  const beta = createServiceStandin({
    now: () => Date.now(),
    seed: 2,
    acceptedTokens: betaTokens,
    switches: { rateLimits: [] },
    receivedMax: 200_000,
  });
  const trial = createDaemonTrial({
    ...options,
    around: (request, next) => (request.url.startsWith(betaUrl) ? Promise.resolve(beta.fetch(request)) : next(request)),
  });
  const betaList = beta.model.lists.add({ name: 'Leads' });
  trial.sheets.model.create({
    id: betaSheet,
    writers: [trial.account.email],
    tabs: [{ title: 'Leads', sheetId: 9, rowCount: 1000, columnCount: 26, values: [['First name', 'Email']] }],
  });
  const betaPerson = trial.sheets.person(betaSheet);
  edit((file) => {
    const { crm, google, syncs, ...rest } = file as unknown as AgencyFile & { crm: Section; google: Section };
    const { prospects } = syncs;
    return {
      ...rest,
      accounts: {
        acme: { crm, google },
        beta: { crm: { ...crm, base_url: betaUrl, token: betaTokens[0] }, google },
      },
      syncs: {
        prospects: { ...prospects, account: 'acme' },
        leads: {
          ...prospects,
          account: 'beta',
          contacts: { list: 'Leads' },
          sheet: { spreadsheet: betaSheet, tab: 'Leads' },
          columns: { 'First name': 'first_name', Email: 'email' },
        },
      },
    };
  });

  /** A person changes the file. Returns what it says then. */
  function edit(change: (file: AgencyFile) => Section): AgencyFile {
    const changed = change(parse(readFileSync(trial.configFile, 'utf8')) as AgencyFile);
    writeFileSync(trial.configFile, stringify(changed, { aliasDuplicateObjects: false }));
    return changed as AgencyFile;
  }

  return {
    ...trial,
    beta,
    betaTokens,
    edit,
    /** Writes a file beside the configuration. */
    write: (name: string, text: string) => writeFileSync(join(trial.folder, name), text),
    betaRows: () => betaPerson.read('Leads').slice(1),
    addBetaContact: (first_name: string, email: string) =>
      beta.model.contacts.add({ fields: { list_uuid: betaList.uuid, first_name, name: first_name, work_email: email } })
        .record,
  };
}
