// Every regular expression that outside text can reach takes linear time, not quadratic.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { repeats } from './support/repeats.ts';

/** Only trials and tests use the stand-ins; the operator writes what src/config reads. */
const left = /^src\/(standin|config)\//;

interface Expression {
  readonly place: string;
  readonly pattern: string;
  readonly flags: string;
}

async function expressions(): Promise<Expression[]> {
  const found: Expression[] = [];
  for await (const file of glob('src/**/*.ts')) {
    if (left.test(file)) continue;
    const { program } = parseSync(file, readFileSync(file, 'utf8'));
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return;
        const { pattern, flags } = node.regex;
        found.push({ place: file, pattern, flags });
      },
    }).visit(program);
  }
  return found;
}

/** The parts of a pattern, and most of it: repeated, each may make an expression begin again at every place. */
function unitsOf(pattern: string): string[] {
  const literals = pattern
    .replaceAll(/\\[dwsSWDbB]|\(\?[:=!<]*|[()|]/g, '\0')
    .replaceAll(/\[(?:\\.|[^\]])*\]|\{\d*,?\d*\}|[+*?^$]/g, '\0')
    .replaceAll('\\', '')
    .split('\0')
    .filter((part) => part !== '');
  const common = [
    'a',
    'A',
    '0',
    ' ',
    '\n',
    '.',
    '-',
    '/',
    ':',
    '@',
    '"',
    "'",
    '<',
    '!',
    '{',
    '(',
    'a.',
    'a@',
    'A0',
    '::',
    '0.',
  ];
  return [...new Set([...literals, ...literals.map((literal) => `${literal}a`), ...common])];
}

const charsMax = repeats(400_000, 1_000_000);

/**
 * So many characters come first. In linear time they take a tenth of a millisecond, in quadratic time some. An expression that takes
 * more processor time than `quickMs` gets `charsMax`, which decide.
 */
const charsFirst = 20_000;
const quickMs = repeats(2, 0);

/** Prints each expression before it is tried, so that the one that hangs is known. */
const trial = `
  const { parentPort, workerData } = require('node:worker_threads');
  const hostile = (unit, chars) => {
    const text = unit.repeat(chars / unit.length);
    return [text + '\\u0000', '\\u0000' + text + '\\u0000'];
  };
  for (const [index, { pattern, flags, units }] of workerData.entries()) {
    parentPort.postMessage(index);
    const expression = new RegExp(pattern, flags.replace('g', '').replace('y', ''));
    for (const unit of units) {
      const before = process.threadCpuUsage();
      for (const text of hostile(unit, ${charsFirst})) expression.test(text);
      const { user, system } = process.threadCpuUsage(before);
      if (user + system < 1_000 * ${quickMs}) continue;
      for (const text of hostile(unit, ${charsMax})) expression.test(text);
    }
  }
  parentPort.postMessage(workerData.length);
`;

/** Detects a hang and measures nothing: so many characters take milliseconds, quadratic time takes minutes at least. */
const hangMs = 40_000;

/** The first expression that hangs. */
async function findSlow(all: readonly Expression[], waitMs = hangMs): Promise<Expression | undefined> {
  const worker = new Worker(trial, {
    eval: true,
    workerData: all.map((one) => ({ ...one, units: unitsOf(one.pattern) })),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Expression | undefined>();
  let timer: NodeJS.Timeout | undefined;
  worker.on('message', (index: number) => {
    clearTimeout(timer);
    if (index === all.length) resolve(undefined);
    else timer = setTimeout(() => resolve(all[index]), waitMs);
  });
  worker.on('error', reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

test(
  'no expression of the program hangs on hundreds of thousands of hostile characters',
  { timeout: 300_000 },
  async () => {
    const all = await expressions();
    expect(all.length).toBeGreaterThan(50);
    expect(await findSlow(all)).toBeUndefined();
  },
);

test('an expression that begins anew everywhere would be found', { timeout: 300_000 }, async () => {
  const slow = { place: 'here', pattern: '<title[^>]*>', flags: 'i' };
  expect(await findSlow([{ place: 'before', pattern: 'a+', flags: '' }, slow], 2_000)).toEqual(slow);
});
