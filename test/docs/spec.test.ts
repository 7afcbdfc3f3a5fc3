import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleTests, untested } from '../../scripts/rule-tests.ts';
import { ruleWords } from '../../src/engine/rule-words.ts';

test('every rule of docs/SPEC.md has a test whose title names it', () => {
  expect(untested(ruleTests())).toEqual([]);
});

test('the words of a rule, as a person reads them beside a problem, are its heading in docs/SPEC.md', () => {
  const [page = ''] = readFileSync(new URL('../../docs/SPEC.md', import.meta.url), 'utf8').split(
    '## Changed while building',
  );
  const headings = new Map(
    [...page.matchAll(/^- \*\*(merge|[LVMIDGWESFPH]\d+) ([^*]+)\.\*\*/gm)].map(([, id, words]) => [id!, words!]),
  );
  const inSentence = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);
  const documented = Object.keys(ruleWords).map((id) => [id, inSentence(headings.get(id) ?? 'no heading')]);
  expect(Object.fromEntries(documented)).toEqual(ruleWords);
  expect([...headings.keys()].filter((id) => !/^[LWS]/.test(id)).toSorted()).toEqual(
    Object.keys(ruleWords)
      .filter((id) => !/^[LWS]/.test(id))
      .toSorted(),
  );
});
