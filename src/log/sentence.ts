// A line of the log as one sentence for people: which job, which record by its name or row, what happened, and why.
import * as z from 'zod';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]).catch(null);
const text = z.string().catch('');
const names = z.array(z.string()).catch([]);

/** What lines of the log have, if they have it. A field of another type is left out: a line is never lost. */
const shape = z.looseObject({
  msg: text,
  sync: text,
  run: text,
  contact: z.string().nullable().catch(null),
  row: z.number().nullable().catch(null),
  field: z.string().nullable().catch(null),
  fields: names,
  values: z.array(z.object({ before: value, after: value })).catch([]),
  counts: z.record(z.string(), z.number()).catch({}),
  err: z.object({ message: text, stack: text }).partial().catch({}),
});

type Line = z.infer<typeof shape>;

/** The name of a contact or automation by its uuid; undefined: not known. */
export type NameOf = (uuid: string) => string | undefined;

/** A field that no sentence names stands behind the message as `name: value`. */
export function sentenceOf(log: Readonly<Record<string, unknown>>, nameOf: NameOf): string {
  const line = shape.parse(log);
  const make = Object.hasOwn(sentences, line.msg) ? sentences[line.msg] : undefined;
  const said = make ? make(line, nameOf) : `${line.msg}${rest(line)}`;
  const { stack, message } = line.err;
  return `${said}${stack ? `\n${stack}` : message ? `: ${message}` : ''}`;
}

const sentences: Readonly<Record<string, (line: Line, nameOf: NameOf) => string>> = {
  'leadsheet started': (line) => {
    const jobs = ['syncs', 'feeds', 'outboxes'].flatMap((kind) => {
      const all = names.parse(line[kind]);
      return all.length === 0 ? [] : [`${kind} ${all.join(', ')}`];
    });
    const at = typeof line['url'] === 'string' ? `. It is served at ${line['url']}` : '';
    return `leadsheet ${word(line, 'version')} is started with ${word(line, 'config')}: ${jobs.join('; ')}${at}`;
  },
  notice: (line) => `${jobOf(line)}${word(line, 'notice')}`,
  problem: (line, nameOf) => {
    const field = line.field === null ? '' : `, ${line.field}`;
    const rule = word(line, 'rule_words') && ` (${word(line, 'rule_words')}; ${word(line, 'rule')})`;
    return `${jobOf(line)}${recordOf(line, nameOf)}${field}: ${word(line, 'kind')}: ${word(line, 'reason')}${rule}`;
  },
  'change done': (line, nameOf) => `${jobOf(line)}${changeOf(line, nameOf)}`,
  'change not done': (line, nameOf) =>
    `${jobOf(line)}not done (${word(line, 'outcome')}): ${changeOf(line, nameOf)}. ${word(line, 'why')}`,
  'run ended': (line) => {
    const reason = word(line, 'reason');
    const approve = word(line, 'approve');
    const status = word(line, 'status');
    const counts = countsOf(line.counts);
    const calls = word(line, 'crm_calls');
    // A run that found out nothing cannot say that there is nothing to do.
    const did = counts || (status === 'succeeded' ? 'nothing to do' : '');
    return (
      `${jobOf(line)}${endings[status] ?? status}${did && `: ${did}`}` +
      `${reason && `. ${reason}`}${approve && `. Let it through: leadsheet approve ${line.sync} --run ${approve}`} ` +
      `(run ${line.run}, ${word(line, 'seconds')} s, ${calls} ${calls === '1' ? 'call' : 'calls'} to the service)`
    );
  },
  'nothing new': (line) => `${jobOf(line)}nothing new in the last ${word(line, 'idle_runs')} runs`,
};

const endings: Readonly<Record<string, string>> = {
  succeeded: 'the run has succeeded',
  partial: 'the run has done what it could',
  held: 'the run is held',
  failed: 'the run has failed',
};

function jobOf({ sync }: Line): string {
  return sync === '' ? '' : `${sync}: `;
}

function word(line: Line, key: string): string {
  const found = line[key];
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

function recordOf({ contact, row }: Line, nameOf: NameOf): string {
  const name = contact === null ? undefined : nameOf(contact);
  if (name !== undefined) return row === null ? name : `${name} (row ${row})`;
  return row === null ? (contact ?? 'a record') : `row ${row}`;
}

function changeOf(line: Line, nameOf: NameOf): string {
  const record = recordOf(line, nameOf);
  const place = line['side'] === 'crm' ? 'the service' : 'the sheet';
  const automation = word(line, 'automation');
  const into = automation && ` ${nameOf(automation) ?? automation}`;
  switch (line['op']) {
    case 'create':
      return `${record} is created in the service${into && `, and enrolled in${into}`}`;
    case 'append':
      return `${record} gets a row in the sheet`;
    case 'update':
    case 'set':
      return `${record}: ${place} gets ${fieldsOf(line)}`;
    case 'delete':
      return `${record} is deleted in the service`;
    case 'remove':
      return `the row of ${record} is removed from the sheet`;
    case 'enrol':
      return `${record} is enrolled in${into || ' an automation'}`;
    case 'cancel':
      return `${record} is taken out of${into || ' all automations'}`;
    case 'send':
      return `the message of ${record} is sent`;
    default:
      return `${place}: ${word(line, 'op')} of ${record}`;
  }
}

function fieldsOf({ fields, values }: Line): string {
  const all = fields.map((field, index) => {
    const change = values[index];
    if (!change) return field;
    const before = change.before === null || change.before === '' ? '' : ` instead of ${quoted(change.before)}`;
    const isBlank = change.after === null || change.after === '';
    return isBlank ? `no ${field}${before}` : `${field} ${quoted(change.after)}${before}`;
  });
  return all.join(', ') || 'its values';
}

function quoted(shown: string | number | boolean | null): string {
  return typeof shown === 'string' ? `"${shown}"` : String(shown);
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  const all = Object.entries(counts).map(
    ([what, count]) => `${count.toLocaleString('en-US')} ${count === 1 && what === 'conflicts' ? 'conflict' : what}`,
  );
  return all.join(', ');
}

const shownByPino = new Set(['msg', 'level', 'time', 'err']);

function rest(line: Line): string {
  const pairs = Object.entries(line).flatMap(([key, found]) => {
    const isBlank = found === '' || found === null || JSON.stringify(found) === '[]' || JSON.stringify(found) === '{}';
    if (shownByPino.has(key) || isBlank || found === undefined) return [];
    return [`${key.replaceAll('_', ' ')}: ${typeof found === 'string' ? found : JSON.stringify(found)}`];
  });
  return pairs.length === 0 ? '' : ` (${pairs.join(', ')})`;
}
