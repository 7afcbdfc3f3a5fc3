// Time decides no verdict: no test gives up on what it waits for before the others do.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { patienceMs } from './support/patience.ts';

/** To parse all files takes seconds. */
const maybe = /timeout:|\b(?:waitFor|waitUntil)\(|[\d_]{4,},?\s*\);/;
const waiting = /^(waitFor|waitUntil|poll)$/;

test('no test gives up before the others do', async () => {
  const found: string[] = [];
  for await (const file of glob('test/**/*.ts')) {
    const source = readFileSync(file, 'utf8');
    if (!maybe.test(source)) continue;
    const tell = (at: number) => found.push(`${file}:${source.slice(0, at).split('\n').length}`);
    new Visitor({
      Property({ key, value, start }) {
        const isShort = value.type === 'Literal' && typeof value.value === 'number' && value.value < patienceMs;
        if (key.type === 'Identifier' && key.name === 'timeout' && isShort) tell(start);
      },
      CallExpression({ callee, arguments: given, start }) {
        const last = given.at(-1);
        const name =
          callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name;
        // Without options waitFor and waitUntil wait for a second; poll has its patience from vitest.config.ts.
        if (name && waiting.test(name) && name !== 'poll' && given.length === 1) tell(start);
        const isTest =
          callee.type === 'Identifier' &&
          /^(test|it|describe|(before|after)(All|Each)|onTestFinished)$/.test(callee.name);
        const isTable = callee.type === 'CallExpression' && source.slice(callee.start, callee.end).startsWith('test');
        if (!isTest && !isTable && !(name && waiting.test(name))) return;
        if (last?.type === 'Literal' && typeof last.value === 'number' && last.value < patienceMs) tell(start);
      },
    }).visit(parseSync(file, source).program);
  }
  expect(found).toEqual([]);
});

test('no test has a browser whose pages give up after the thirty seconds of Playwright', async () => {
  const found: string[] = [];
  for await (const file of glob('test/**/*.ts')) {
    const source = readFileSync(file, 'utf8');
    if (!source.includes("'playwright-core'") || file === join('test', 'support', 'browser.ts')) continue;
    for (const { moduleRequest, entries } of parseSync(file, source).module.staticImports)
      if (moduleRequest.value === 'playwright-core' && entries.some(({ isType }) => !isType)) found.push(file);
  }
  expect(found).toEqual([]);
});
