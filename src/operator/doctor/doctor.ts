// Tells how an installation stands, for a person who reports or looks into a fault: also one whose configuration, state or daemon is broken.
import type { Config } from '../../config/config.ts';
import { secretsOf } from '../../config/secrets.ts';
import { ConfigError } from '../../config/problems.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { createMask, hideAddresses } from '../../log/mask.ts';
import { createQuoteHider } from '../../log/quotes.ts';
import type { DoctorAnswer } from '../answers/doctor.ts';
import { describeConfiguration, describeFaults } from './configuration.ts';
import { describeDaemon } from './daemon.ts';
import { findWrong } from './findings.ts';
import type { Hide, Hiders, Patient } from './patient.ts';
import { describeErrors, describeState, findFailing } from './state.ts';

/** The variables that leadsheet or Node read. Their values are not told. */
const variables = [
  'LEADSHEET_CONFIG',
  'OUTREACH_BASE_URL',
  'OUTREACH_TOKEN',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_USE_ENV_PROXY',
  'TMPDIR',
  'TZ',
];

/** Asks neither the service nor Google, and decides nothing. Throws nothing that one of its parts may throw. */
export async function examine(patient: Patient): Promise<DoctorAnswer> {
  const { config, faults } = readConfiguration(patient);
  const opened = patient.open(config);
  const hide = hiderOf(config);
  const state = await describeState(config, opened, hide);
  const { daemon, view } = await describeDaemon(opened, patient.now(), hide);
  const jobs = state.answer.jobs.map((job) => {
    const { phase = null, lastSuccessAt } = view?.jobs.get(job.name) ?? {};
    const lag = lastSuccessAt === undefined ? null : Math.max(0, Math.round((patient.now() - lastSuccessAt) / 1000));
    return { ...job, phase, lag_secs: lag };
  });
  const answer: Omit<DoctorAnswer, 'findings'> = {
    versions: { ...patient.versions, state_driver: opened.driver, postgres: state.server },
    environment: variables.filter((name) => patient.env[name] !== undefined),
    configuration: { path: patient.path, faults, sections: config ? describeConfiguration(config, hide.values) : [] },
    state: { ...state.answer, jobs },
    daemon,
    errors: await describeErrors(opened.store, state.answer, hide),
  };
  return { ...answer, findings: findWrong(answer, await findFailing(opened.store, state.answer)) };
}

function readConfiguration({ read, path }: Patient): { readonly config?: Config; readonly faults: string[] } {
  try {
    const config = read();
    const problems = config.faults.flatMap((fault) => fault.problems);
    return { config, faults: describeFaults(config.path, problems) };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: describeFaults(error.file, error.problems) };
    if (error instanceof SettingsError) return { faults: [`${path}: ${hideAddresses(error.message)}`] };
    throw error;
  }
}

function hiderOf(config: Config | undefined): Hiders {
  const mask = createMask(config ? secretsOf(config) : []);
  const hideQuotes = createQuoteHider(config?.options ?? {});
  const values: Hide = (text) => hideAddresses(mask(text));
  return { values, messages: (text) => hideAddresses(hideQuotes(mask(text))) };
}
