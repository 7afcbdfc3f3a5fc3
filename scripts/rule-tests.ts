// Lists the tests of each rule of docs/SPEC.md: test titles begin with rules and a colon, or end with them in brackets.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** By rule, in the order of the page: the files of its tests. */
type RuleTests = ReadonlyMap<string, readonly string[]>;

const rule = /\b(?:merge|[LVMIDGWESFPH]\d+)\b/g;
/** `'D1 ignore: …'`; T numbers, which name habits of the service, may stand among the rules. */
const atStart = /(?:['"`])((?:merge|[TLVMIDGWESFPH]\d+)\b[^'"`\n:]{0,80}): /g;
/** `'… (V3, V4)'` */
const atEnd = / \(([TLVMIDGWESFPH]\d+(?:, [TLVMIDGWESFPH]\d+)*)\)['"`]/g;

export function ruleTests(): RuleTests {
  const page = readFileSync(join(root, 'docs', 'SPEC.md'), 'utf8');
  const rules = ['merge', ...[...page.matchAll(/^- \*\*([LVMIDGWESFPH]\d+)\b/gm)].map(([, id]) => id!)];
  const tests = new Map(rules.map((id) => [id, new Set<string>()]));
  for (const file of globSync('test/**/*.test.ts', { cwd: root }).toSorted()) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, quoted = ''] of [...text.matchAll(atStart), ...text.matchAll(atEnd)]) {
      for (const [id] of quoted.matchAll(rule)) {
        const files = tests.get(id);
        if (!files) throw new Error(`${file} quotes ${id}, which docs/SPEC.md does not have: ${quoted}`);
        files.add(file.replaceAll('\\', '/'));
      }
    }
  }
  return new Map([...tests].map(([id, files]) => [id, [...files]]));
}

/** Rules without a test. */
export function untested(tests: RuleTests): readonly string[] {
  return [...tests].flatMap(([id, files]) => (files.length === 0 ? [id] : []));
}

export function ruleTestsTable(): string {
  const tests = ruleTests();
  const rows = [...tests].map(([id, files]) => {
    const shown = files.map((file) => `[${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}](../${file})`);
    return `| ${id} | ${shown.join(', ')} |`;
  });
  return ['| rule | tests |', '| --- | --- |', ...rows].join('\n');
}
