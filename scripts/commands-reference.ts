// The generated parts of docs/commands.md: the output of --help, and the fields of --json answers.
import type { Command } from 'commander';
import * as z from 'zod';
import { answers } from '../src/operator/answers/answers.ts';
import { createProgram } from '../src/cli/program.ts';
import { table } from './table.ts';

/** The help of each command, without the options that every command takes. */
export function commandHelp(): string {
  return commands()
    .map((command) => {
      const [help = ''] = command.helpInformation().split('\nGlobal Options:');
      return `### ${command.name()}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\``;
    })
    .join('\n\n');
}

export function commands(): readonly Command[] {
  const program = silentProgram();
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help');
}

/** The command line of the program, which prints nothing. */
export function silentProgram(): Command {
  return createProgram(nobody, { finish: () => {}, serve: () => {}, follow: () => {} });
}

/** Makes the help without running the command. */
const nobody = {
  stdout: { write: () => true },
  stderr: { write: () => true },
} as unknown as Parameters<typeof createProgram>[0];

/** The answer of each command, a line for each value. */
export function answerTables(): string {
  return Object.entries(answers)
    .map(([command, schema]) => `### ${command}\n\n${table(['value', 'type', 'meaning'], rowsOf(schema, ''))}`)
    .join('\n\n');
}

function rowsOf(schema: z.ZodType, path: string): readonly (readonly string[])[] {
  const { description = '' } = schema;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    const optional = schema instanceof z.ZodNullable ? ' or null' : ', may be missing';
    const [first, ...rest] = rowsOf(inner, path);
    const own = [
      first?.[0] ?? `\`${path}\``,
      `${first?.[1] ?? 'object'}${optional}`,
      description || (first?.[2] ?? ''),
    ];
    return inner instanceof z.ZodObject
      ? [[`\`${path}\``, `object${optional}`, description], ...rowsOf(inner, path)]
      : [own, ...rest];
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, inner]) =>
      rowsOf(inner as z.ZodType, path === '' ? name : `${path}.${name}`),
    );
  }
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    if (element instanceof z.ZodObject) return rowsOf(element, `${path}[]`);
    return [[`\`${path}\``, `list of ${typeText(element)}`, description]];
  }
  return [[`\`${path}\``, typeText(schema), description]];
}

function typeText(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.map((word) => `\`${word}\``).join(', ');
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => typeText(option as z.ZodType)).join(', ');
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'whole number' : 'number';
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  return 'null';
}
