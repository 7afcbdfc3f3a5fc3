// Tells the configuration as it holds: every option, and whether the file has it or it is the default.
import type { WrittenOptions } from '../config/config.ts';
import { effectiveConfig } from '../config/effective.ts';
import type { ConfigurationAnswer, OptionAnswer } from './answers/configuration.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';

/** Sections that hold jobs by name. */
const jobSections = new Set(['syncs', 'feeds', 'outbox']);
/** Sections of single accounts. A person who sees some accounts sees none of the others. */
const accountSections = new Set(['crm', 'google', 'accounts']);

/** `jobs`: the names of the jobs whose options are told, besides those of no job. Throws OperatorError. */
export function readConfiguration({ config }: Pick<Operator, 'config'>, jobs: readonly string[]): ConfigurationAnswer {
  if (jobs.length > 0) selectAll(config, jobs);
  const { written } = config;
  const common: ConfigurationAnswer['sections'] = [];
  const ofJobs: ConfigurationAnswer['sections'] = [];
  const alone: OptionAnswer[] = [];
  const isTold = (name: string) => !config.isPart || accountSections.has(name) || jobSections.has(name);
  for (const [name, section] of Object.entries(effectiveConfig(config)).filter(([each]) => isTold(each))) {
    if (!isSection(section)) alone.push(...optionsIn([name], section, inside(written, name)));
    else if (jobSections.has(name)) {
      for (const [job, options] of Object.entries(section)) {
        if (!jobs.includes(job)) continue;
        ofJobs.push({ name: job, options: optionsIn([], options, inside(inside(written, name), job)) });
      }
    } else common.push({ name, options: optionsIn([], section, inside(written, name)) });
  }
  const others = config.isPart ? [] : [{ name: 'other options', options: alone }];
  return { path: config.path, sections: [...common, ...others, ...ofJobs] };
}

type Written = WrittenOptions | undefined;

function inside(written: Written, option: string): Written {
  if (typeof written !== 'object') return undefined;
  return Object.hasOwn(written, option) ? written[option] : undefined;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Options that a shorthand of the file stands for: `Email: email` is its `field`. */
const shorthands = new Set(['field', 'custom_field']);

function optionsIn(path: readonly string[], value: unknown, written: Written): OptionAnswer[] {
  if (!isSection(value) || Object.keys(value).length === 0) {
    // A section in which nothing is set.
    if (path.length === 0) return [];
    const shown = isSection(value) ? null : plainValue(value);
    return [{ option: path.join('.'), value: shown, is_default: written === undefined }];
  }
  return Object.entries(value).flatMap(([option, inner]) => {
    const isShorthand = written === true && shorthands.has(option);
    return optionsIn([...path, option], inner, isShorthand ? true : inside(written, option));
  });
}

type Plain = string | number | boolean | null;

function plainValue(value: unknown): Plain | Plain[] {
  return Array.isArray(value) ? value.map(scalarOf) : scalarOf(value);
}

function scalarOf(value: unknown): Plain {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return JSON.stringify(value);
}
