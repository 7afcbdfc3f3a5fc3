// Prints what `doctor` found, to be copied into a report.
import { lineText } from '../../log/printable.ts';
import type { DoctorAnswer } from '../../operator/answers/doctor.ts';
import { countText } from '../../operator/words.ts';
import { columnsText, timeText } from './lines.ts';
import { bad, good, quiet, strong, urgent } from './style.ts';

export function doctorText(answer: DoctorAnswer): string {
  return [
    part('Versions', versionsText(answer)),
    part('Configuration', configurationText(answer.configuration)),
    part('State', stateText(answer.state)),
    part('Daemon', daemonText(answer.daemon)),
    part('Last errors', errorsText(answer.errors)),
    part('Findings', findingsText(answer.findings)),
  ].join('\n');
}

function part(title: string, text: string): string {
  return `${strong(title)}\n${text}`;
}

function line(text: string): string {
  return `  ${lineText(text)}\n`;
}

function versionsText({ versions, environment }: DoctorAnswer): string {
  const { leadsheet, node, system, state_driver: driver, postgres } = versions;
  const database = postgres === null ? '' : `, PostgreSQL ${postgres}`;
  const set = environment.length === 0 ? 'no variable is set' : `set: ${environment.join(', ')}`;
  return line(`leadsheet ${leadsheet}, Node ${node}, ${system}`) + line(`state in ${driver}${database}`) + line(set);
}

function configurationText({ path, faults, sections }: DoctorAnswer['configuration']): string {
  const told = sections.map(({ name, options }) => {
    const rows = options.map(({ option, value }) => [lineText(option), lineText(JSON.stringify(value))]);
    return `  ${quiet(lineText(name))}\n${columnsText(rows, '    ')}`;
  });
  return line(path) + faults.map((fault) => `  ${bad(lineText(fault))}\n`).join('') + told.join('');
}

function stateText(state: DoctorAnswer['state']): string {
  const { place, is_there: isThere, is_default: isDefault, schema, bytes, index, fault, jobs } = state;
  const why = isDefault ? ' (the default; the configuration cannot be read)' : '';
  const size = isThere ? `, ${sizeText(bytes)}` : fault === null ? ', nothing was written yet' : '';
  const version = schema === null ? '' : `, tables of version ${schema}`;
  const indexed = index === null ? '' : line(`index: ${sizeText(index.bytes)}, written ${timeText(index.written_at)}`);
  const wrong = fault === null ? '' : `  ${bad(lineText(fault))}\n`;
  return line(`${place}${why}${size}${version}`) + indexed + wrong + jobs.map(jobText).join('');
}

function jobText(job: DoctorAnswer['state']['jobs'][number]): string {
  const {
    name,
    kind,
    schema,
    bytes,
    folded_at: folded,
    holder,
    records,
    requests,
    problems,
    notices,
    fault,
    phase,
  } = job;
  const parts = [
    kind ?? 'not configured',
    ...(schema === null ? [] : [`schema ${schema}`]),
    ...(bytes === null ? [] : [sizeText(bytes)]),
    ...(records === null ? [] : [countText(records, 'record')]),
    ...(requests === null || requests === 0 ? [] : [countText(requests, 'open decision')]),
    ...(folded === null ? [] : [`folded ${timeText(folded)}`]),
    ...(phase === null ? [] : [phase]),
    ...(job.lag_secs === null ? [] : [`in sync ${job.lag_secs} s ago`]),
  ];
  const running = { true: 'runs', false: 'has ended' }[String(job.is_holder_running)] ?? 'is elsewhere';
  const lines = [
    ...(holder === null ? [] : [`lease: ${holder}, ${running}`]),
    ...(problems.length === 0
      ? []
      : [problems.map(({ kind: what, rule, count }) => `${count} ${what} (${rule})`).join(', ')]),
  ];
  const wrong = [...notices, ...(fault === null ? [] : [fault])].map((each) => `    ${bad(lineText(each))}\n`);
  return `${line(`${name}: ${parts.join(', ')}`)}${lines.map((each) => `  ${line(each)}`).join('')}${wrong.join('')}`;
}

function daemonText({ state, pid, version, told_at: told, notice, workers }: DoctorAnswer['daemon']): string {
  const words = { unknown: 'none is known to have run', silent: 'does not answer', killed: 'was killed' } as const;
  const isOdd = state === 'unknown' || state === 'silent' || state === 'killed';
  const about = [
    isOdd ? words[state] : state,
    ...(pid === null ? [] : [`process ${pid}`]),
    ...(version === null ? [] : [`leadsheet ${version}`]),
    ...(told === null ? [] : [`last sign ${timeText(told)}`]),
  ];
  const rows = (workers ?? []).map(({ id, state: is, version: of, seen_at: seen, runs }) => {
    return [lineText(id), is, lineText(of), `last seen ${timeText(seen)}`, countText(runs, 'run')];
  });
  const why = notice === null ? '' : `  ${bad(lineText(notice))}\n`;
  return line(about.join(', ')) + why + columnsText(rows, '    ');
}

function errorsText(errors: DoctorAnswer['errors']): string {
  if (errors.length === 0) return line('none is kept');
  return errors
    .map(({ job, run, ended_at: ended, status, text }) =>
      line(`${timeText(ended)} ${job} ${status}: ${text} (run ${run})`),
    )
    .join('');
}

function findingsText(findings: DoctorAnswer['findings']): string {
  if (findings.length === 0) return `  ${good('nothing is wrong that shows here')}\n`;
  return findings
    .map(({ verdict, about, detail }) => {
      const style = verdict === 'failed' ? bad : urgent;
      return `  ${style(verdict)}  ${lineText(about)}: ${lineText(detail)}\n`;
    })
    .join('');
}

function sizeText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const size = bytes / 1_000 ** power;
  return `${power === 0 || size >= 100 ? Math.round(size) : Number(size.toFixed(1))} ${units[power]}`;
}
