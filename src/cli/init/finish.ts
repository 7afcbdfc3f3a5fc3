// Shows the configuration that an init made, writes it, checks it, and plans its first run.
import { stripVTControlCharacters } from 'node:util';
import { readFileSync } from 'node:fs';
import { readSoundConfigFile } from '../../app-config.ts';
import { ConfigError } from '../../config/problems.ts';
import type { Config } from '../../config/config.ts';
import type { PlanReport } from '../../engine/report.ts';
import type { InitAnswer } from '../../operator/answers/init.ts';
import type { EnvVariable } from '../../operator/init/files.ts';
import { countText } from '../../operator/words.ts';
import { lineText } from '../../log/printable.ts';
import { checkAll, findingText } from '../check.ts';
import type { CliWorld } from '../world.ts';
import { Cancelled } from './cancelled.ts';
import { Refused, type Session } from './session.ts';
import { countChanges, planLines } from './summary.ts';
import { envFileName, expectUnchanged, readIfThere, writeEnv, writePlainFile, writeServiceFile } from './write.ts';

export interface Draft {
  readonly path: string;
  /** The text of the file when the draft was made; undefined: there was no file. */
  readonly before: string | undefined;
  readonly text: string;
  readonly name: string;
  /** The values for the references of the file. Left out: the file has no new ones. */
  readonly env?: { readonly variables: readonly EnvVariable[]; readonly isWritten: boolean };
  readonly keyFile: string;
  /** The configuration is new: a file that starts leadsheet may come with it. */
  readonly isFirst: boolean;
  /** Called once the file is written. */
  readonly written: () => void;
}

/** The configuration that the file will be read as. Throws ConfigError if the new sync does not hold in it. */
function loadDraft({ path, text, env, name }: Draft, world: CliWorld): Config {
  const variables = Object.fromEntries((env?.variables ?? []).map((each) => [each.name, each.value]));
  const readFile = (file: string) => (file === path ? text : readFileSync(file, 'utf8'));
  const config = readSoundConfigFile(path, { env: { ...world.env, ...variables }, readFile });
  // Another job on the same tab leaves out both.
  const ofSync = config.faults.find((fault) => fault.kind === 'job' && fault.name === name);
  if (ofSync) throw new ConfigError(path, ofSync.problems);
  return config;
}

/** Nothing was written before this. Throws Cancelled if a person does not want it. */
export async function finish(session: Session, draft: Draft): Promise<InitAnswer> {
  const { world, prompts, say } = session;
  const config = loadDraft(draft, world);
  const service = draft.isFirst ? await askServiceFile(session) : 'none';
  prompts?.show(draft.path, draft.text.trimEnd().split('\n'));
  const isWanted = !prompts || (await prompts.confirm(`Write ${draft.path}?`, true));
  if (!isWanted) throw new Cancelled();
  const written = writeAll(draft, service, world);
  say(`Written: ${written.join(', ')}`);
  draft.written();
  const findings = await checked(session, config);
  const report = await planned(session, config, draft.name);
  const plan = report === undefined || report.error !== undefined ? null : countChanges(report);
  return { sync: draft.name, config: draft.path, written, findings, plan };
}

/** The configuration comes last: a file that is there is complete. */
function writeAll({ env, keyFile, path, before, text }: Draft, service: ServiceFile, world: CliWorld): string[] {
  expectUnchanged(path, before);
  const written = env?.isWritten ? [...writeEnv(env.variables, keyFile, world)] : [];
  if (service !== 'none') {
    const hasEnv = env?.isWritten === true || (readIfThere(envFileName) ?? '') !== '';
    const envFile = hasEnv ? envFileName : undefined;
    const authorities = world.env['NODE_EXTRA_CA_CERTS'] || undefined;
    const file = writeServiceFile({
      kind: service,
      config: path,
      keyFile,
      envFile,
      account: world.account,
      authorities,
    });
    if (file !== undefined) written.push(file);
  }
  writePlainFile(path, before, text);
  return [...written, path];
}

async function checked({ world, prompts, say, warn }: Session, config: Config): Promise<InitAnswer['findings']> {
  const findings: InitAnswer['findings'] = [];
  await checkAll(config, {}, world, (finding) => void findings.push(finding));
  const bad = findings.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning');
  const lines = (bad.length === 0 ? findings : bad).map((finding) =>
    stripVTControlCharacters(findingText(finding)).trimEnd(),
  );
  if (prompts) prompts.show('leadsheet check', lines);
  else for (const line of lines) say(line);
  const failed = bad.filter(({ verdict }) => verdict === 'failed').length;
  const warnings = bad.length - failed;
  if (failed === 0) say(`Check: all is well${warnings > 0 ? `, ${countText(warnings, 'warning')}` : ''}`);
  else warn(`Check: ${failed} to correct; then leadsheet check`);
  return findings;
}

/** Undefined: it was not planned, because a side refused. */
async function planned(
  { world, prompts, say }: Session,
  config: Config,
  name: string,
): Promise<PlanReport | undefined> {
  const { createApp } = await import('../../app.ts');
  using app = await createApp(config, world, () => {}, [name]);
  const job = app.jobs.get(name);
  if (!job) return undefined;
  const { report } = await job.plan({ isFull: true, isAsked: true, signal: world.stop });
  world.stop.throwIfAborted();
  const lines = planLines(report, name);
  if (prompts) prompts.show(`leadsheet plan ${name}`, lines);
  else for (const line of lines) say(lineText(line));
  return report;
}

const serviceFiles = ['none', 'systemd', 'compose'] as const;
type ServiceFile = (typeof serviceFiles)[number];

async function askServiceFile(session: Session): Promise<ServiceFile> {
  return session.answer({
    id: 'service-file',
    what: 'systemd or compose, for a file that starts leadsheet, or none',
    safe: 'none',
    parse(text) {
      const found = serviceFiles.find((each) => each === text.trim());
      if (!found) throw new Refused(`it is ${serviceFiles.join(', ')}, not "${text}"`);
      return found;
    },
    ask: async (prompts) =>
      (await prompts.choose({
        message: 'A file that starts leadsheet with this machine. One that is there stays as it is',
        options: [
          { value: 'none', label: 'None' },
          { value: 'systemd', label: 'A unit of systemd: leadsheet.service' },
          { value: 'compose', label: 'Docker Compose: compose.yaml' },
        ],
      })) ?? 'none',
  });
}
