// Tells the configuration for a report: what the file sets, and what is wrong with it, without secrets and addresses.
import type { Config } from '../../config/config.ts';
import { type ConfigProblem, problemToText } from '../../config/problems.ts';
import { hideAddresses } from '../../log/mask.ts';
import { createQuoteHider } from '../../log/quotes.ts';
import type { DoctorAnswer } from '../answers/doctor.ts';
import { readConfiguration } from '../configuration.ts';
import { jobsOf } from '../select.ts';
import type { Hide } from './patient.ts';

/** Without the options that have their defaults. */
export function describeConfiguration(config: Config, hide: Hide): DoctorAnswer['configuration']['sections'] {
  const names = jobsOf(config).map(({ name }) => name);
  const { sections } = readConfiguration({ config }, names);
  return sections.flatMap(({ name, options }) => {
    const own = options.filter((option) => !option.is_default);
    const told = own.map(({ option, value, is_default: isDefault }) => {
      return { option: hide(option), value: hidden(value, hide), is_default: isDefault };
    });
    return told.length === 0 ? [] : [{ name, options: told }];
  });
}

type Value = DoctorAnswer['configuration']['sections'][number]['options'][number]['value'];

function hidden(value: Value, hide: Hide): Value {
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'string' ? hide(each) : each));
  return typeof value === 'string' ? hide(value) : value;
}

/** A value may stand at the wrong option, a token too: no quoted text of the file is told. */
const hideQuotes = createQuoteHider({});

export function describeFaults(file: string, problems: readonly ConfigProblem[]): string[] {
  return problems.map((problem) =>
    hideAddresses(problemToText(file, { ...problem, found: hideQuotes(problem.found) })),
  );
}
