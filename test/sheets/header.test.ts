import { expect, test } from 'vitest';
import { type HeaderCell, resolveHeader } from '../../src/sheets/google/header.ts';
import type { ColumnSpec, ColumnState } from '../../src/sheets/port.ts';

const columns: ColumnSpec[] = [
  { key: 'first_name', header: 'First name', format: 'text' },
  { key: 'email', header: 'Email', format: 'text' },
];
const anchorOf = (key: string) => `prospects/${key}`;

/** `Email ⚓email` is a header cell "Email" that carries the anchor of email. */
function headerOf(texts: readonly string[]): HeaderCell[] {
  return texts.map((each, columnIndex) => {
    const [text = '', key] = each.split('⚓');
    const anchors = key === undefined ? [] : [{ metadataId: columnIndex + 1, value: anchorOf(key) }];
    return { columnIndex, text: text.trim(), anchors, markIds: anchors.map(({ metadataId }) => metadataId) };
  });
}

test('W11: of a mapping of one column a header that is another one is a renamed column, and no other row', () => {
  const { states, located } = resolveHeader(columns.slice(0, 1), headerOf(['Vorname⚓first_name']), anchorOf);
  expect(states).toMatchObject([{ kind: 'renamed', headerNow: 'Vorname', letter: 'A' }]);
  expect(located).toHaveLength(1);
});

const found = (key: string, header: string, letter: string): ColumnState => ({ kind: 'found', key, header, letter });

test.each<[string, string[], ColumnState[]]>([
  [
    'by header, the first time',
    ['First name', 'Notes', 'Email'],
    [found('first_name', 'First name', 'A'), found('email', 'Email', 'C')],
  ],
  [
    'moved: still itself',
    ['Email⚓email', 'First name⚓first_name'],
    [found('first_name', 'First name', 'B'), found('email', 'Email', 'A')],
  ],
  [
    'renamed: followed by its anchor, naming both headers',
    ['First name⚓first_name', 'E-mail address⚓email'],
    [
      found('first_name', 'First name', 'A'),
      { kind: 'renamed', key: 'email', header: 'Email', headerNow: 'E-mail address', letter: 'B' },
    ],
  ],
  [
    'header emptied: followed by its anchor',
    ['First name⚓first_name', '⚓email'],
    [
      found('first_name', 'First name', 'A'),
      { kind: 'renamed', key: 'email', header: 'Email', headerNow: '', letter: 'B' },
    ],
  ],
  [
    'neither header nor anchor: missing',
    ['First name⚓first_name', 'Notes'],
    [found('first_name', 'First name', 'A'), { kind: 'missing', key: 'email', header: 'Email' }],
  ],
  [
    'a header twice: doubled, not guessed',
    ['First name', 'Email', 'Email'],
    [found('first_name', 'First name', 'A'), { kind: 'doubled', key: 'email', header: 'Email', letters: ['B', 'C'] }],
  ],
  [
    'a header twice, one of them anchored: still doubled',
    ['First name', 'Email⚓email', 'Email'],
    [found('first_name', 'First name', 'A'), { kind: 'doubled', key: 'email', header: 'Email', letters: ['B', 'C'] }],
  ],
  [
    'renamed, and another column took the name: doubled',
    ['First name', 'Old email⚓email', 'Email'],
    [found('first_name', 'First name', 'A'), { kind: 'doubled', key: 'email', header: 'Email', letters: ['B', 'C'] }],
  ],
  [
    'the anchor copied along with a column that was then renamed: the header tells',
    ['First name', 'Copy of email⚓email', 'Email⚓email'],
    [found('first_name', 'First name', 'A'), found('email', 'Email', 'C')],
  ],
  [
    'two columns that claim one place: both doubled',
    ['Email⚓first_name'],
    [
      { kind: 'doubled', key: 'first_name', header: 'First name', letters: ['A'] },
      { kind: 'doubled', key: 'email', header: 'Email', letters: ['A'] },
    ],
  ],
  [
    'all of them under other headers: a row was put above the header, none is there (G1)',
    ['⚓first_name', '⚓email'],
    [
      { kind: 'missing', key: 'first_name', header: 'First name' },
      { kind: 'missing', key: 'email', header: 'Email' },
    ],
  ],
  [
    'outer white space does not count, case does',
    ['  First name ', 'EMAIL'],
    [found('first_name', 'First name', 'A'), { kind: 'missing', key: 'email', header: 'Email' }],
  ],
])('W11: %s', (_, header, states) => {
  const resolved = resolveHeader(columns, headerOf(header), anchorOf);
  expect(resolved.states).toEqual(states);
  const usable = states.filter(({ kind }) => kind === 'found' || kind === 'renamed').map(({ key }) => key);
  expect(resolved.located.map(({ key }) => key)).toEqual(usable);
});
