import { expect, test } from 'vitest';
import { createLogger } from '../../src/log/logger.ts';
import { bad, changeOf } from '../../src/cli/print/style.ts';
import { escapeControls, lineText, safePrinter, wipeLine } from '../../src/log/printable.ts';

const hostile = 'a\u001b[2J\r\n12:00:00 INFO: forged\u009b\u2028\u202eb';
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/;

function logged(format: 'json' | 'pretty', isTTY = false): string {
  let text = '';
  const out = { write: (line: string) => (text += line), isTTY };
  const log = createLogger({ level: 'info', format, out, secrets: [], now: () => 0, isExpected: () => false });
  log.warn({ reason: hostile, deep: { values: [hostile] } }, 'problem');
  log.error({ err: new Error(hostile) }, 'a fault');
  return text;
}

test('the log for people has no control characters from outside, and no value begins a line', () => {
  const text = logged('pretty');
  expect(text).not.toMatch(controls);
  expect(text.split('\n').filter((line) => line.startsWith('12:00:00 INFO: forged'))).toEqual([]);
  expect(logged('pretty', true)).not.toContain('\u001b[2J');
});

test('the log as JSON has the same values, escaped', () => {
  const [problem = ''] = logged('json').split('\n');
  expect(problem).not.toMatch(controls);
  expect(JSON.parse(problem)).toMatchObject({ reason: hostile, deep: { values: [hostile] } });
});

test('texts keep all other characters: letters of all scripts, emoji, and line feeds of whole outputs', () => {
  const honest = 'Zoë 山田 שלום 👩\u200d💻\n\tnext';
  expect(escapeControls(honest)).toBe(honest);
  expect(lineText(honest)).toBe(String.raw`Zoë 山田 שלום 👩` + '\u200d' + String.raw`💻\n\tnext`);
});

test('a printer passes the wiping of its own line on, and no other', () => {
  const written: string[] = [];
  const printer = safePrinter({ write: (text) => written.push(text) });
  printer.write(`${wipeLine}a${wipeLine}b`);
  expect(written).toEqual([`${wipeLine}a\\u000d\\u001b[2Kb`]);
});

test('a printer passes our own colours on where colour is wanted, drops them elsewhere, and escapes every other sequence', () => {
  const printed = (hasColour: boolean) => {
    const written: string[] = [];
    safePrinter({ write: (text) => written.push(text) }, () => hasColour).write(
      `${bad('a')} \u001b[5mb\u001b[31;1mc\u001b[0m\u001b[38;5;1md ${changeOf('1', '2')}\n`,
    );
    return written.join('');
  };
  const escaped = String.raw`\u001b[5mb\u001b[31;1mc\u001b[0m\u001b[38;5;1md`;
  expect(printed(false)).toBe(`a ${escaped} 1 -> 2\n`);
  expect(printed(true)).toBe(`\u001b[31ma\u001b[39m ${escaped} \u001b[2m1\u001b[22m -> \u001b[32m2\u001b[39m\n`);
});

test('lineText escapes even the sequences of our own colours: a text of other people has no colour', () => {
  expect(lineText(bad('a'))).toBe(String.raw`\u001b[31ma\u001b[39m`);
});
