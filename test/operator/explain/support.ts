// Explains records of a trial at the command line, and runs the commands that it prints.
import { explainAnswer, type ExplainedField, type ExplainedRecord } from '../../../src/operator/answers/explain.ts';
import type { CliRun } from '../../support/cli.ts';

interface Trial {
  readonly cli: (...args: string[]) => Promise<CliRun>;
}

/** The answer of `explain ... --json`, held to its schema. */
export async function explained({ cli }: Trial, ...args: string[]) {
  const { code, stdout, stderr } = await cli('explain', ...args, '--json');
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return explainAnswer.parse(JSON.parse(stdout));
}

export async function recordOf(trial: Trial, ...args: string[]): Promise<ExplainedRecord> {
  const { records, hits } = await explained(trial, ...args);
  if (records.length !== 1) throw new Error(`${records.length} records and ${hits.length} hits`);
  return records[0]!;
}

export async function fieldOf(trial: Trial, reference: string, name: string): Promise<ExplainedField> {
  const { fields } = await recordOf(trial, reference, name);
  if (fields.length !== 1) throw new Error(`${fields.length} fields`);
  return fields[0]!;
}

/** Every command that the record prints as a remedy. */
export function remedies({ problems, enrolments, messages, hold_remedies: held }: ExplainedRecord): readonly string[] {
  const all = [...held, ...[...problems, ...enrolments, ...messages].flatMap((open) => open.remedies)];
  return [...new Set(all.flatMap(({ command }) => command ?? []))];
}

/** Runs a command as it is printed. */
export async function copy({ cli }: Trial, command: string): Promise<CliRun> {
  const [program, ...words] = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(String.raw`'\''`, "'") ?? plain!,
  );
  if (program !== 'leadsheet') throw new Error(`${command} is no command of leadsheet`);
  return cli(...words);
}
