// Replays recorded traffic of the real service against the stand-in and counts the equal answers.
// The recordings are not part of the project: without them the test says so and is skipped.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compareAnswers, type IdPairs } from './support/compare-answers.ts';
import type { Interaction } from './support/compare-answers.ts';
import { replayRun, splitIntoRuns } from './support/replay.ts';

const recordingsFile = findRecordings();

function findRecordings(): string | undefined {
  const named = process.env['LEADSHEET_SHEETS_RECORDED'];
  if (named !== undefined) return named;
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  return ['../shared', '../../shared', '../../../shared']
    .map((folder) => join(root, folder, 'fixtures/sheets-recorded.ndjson'))
    .find((file) => existsSync(file));
}

/** Interactions that are known to differ, each with the reason. They count as failures all the same. */
const exceptions: readonly { readonly cassette: string; readonly request: RegExp; readonly reason: string }[] = [];

interface Tally {
  equal: number;
  total: number;
}

function methodOf({ method, path }: Interaction): string {
  const shape = path
    .replace(/\?.*$/s, '')
    .replace(/\/(spreadsheets|files)\/[^/:]+/, '/$1/{id}')
    .replace(/\/values\/.*?(:append|:clear)?$/s, '/values/{range}$1');
  return `${method} ${shape}`;
}

const isValues = (interaction: Interaction): boolean => /\/values[/:]/.test(interaction.path);

function percentage({ equal, total }: Tally): number {
  return total === 0 ? 100 : (100 * equal) / total;
}

if (recordingsFile === undefined) {
  console.warn(
    'Skipped: sheets-recorded.ndjson, the recorded traffic, is not at hand (LEADSHEET_SHEETS_RECORDED names it).',
  );
}

describe.skipIf(recordingsFile === undefined)('recorded traffic', () => {
  test('answers as recorded: at least 99 % of values, 97 % of the rest', async () => {
    const interactions = readFileSync(recordingsFile ?? '', 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Interaction);
    const tallyByMethod = new Map<string, Tally>();
    const values: Tally = { equal: 0, total: 0 };
    const rest: Tally = { equal: 0, total: 0 };
    const differences: string[] = [];

    for (const run of splitIntoRuns(interactions)) {
      const pairs: IdPairs = new Map();
      for await (const { interaction, answer } of replayRun(run, pairs)) {
        const difference = compareAnswers(interaction, answer, pairs);
        const ownTally = tallyByMethod.get(methodOf(interaction)) ?? { equal: 0, total: 0 };
        tallyByMethod.set(methodOf(interaction), ownTally);
        for (const tally of [ownTally, isValues(interaction) ? values : rest]) {
          tally.total += 1;
          if (difference === undefined) tally.equal += 1;
        }
        if (difference === undefined) continue;
        const { cassette, seq, method, path } = interaction;
        const known = exceptions.find(
          (entry) => entry.cassette === cassette && entry.request.test(`${method} ${path}`),
        );
        differences.push(
          `${cassette} #${seq} ${method} ${path}: ${difference}${known ? ` (known: ${known.reason})` : ''}`,
        );
      }
    }

    const lines = [...tallyByMethod]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([method, { equal, total }]) => `${String(equal).padStart(5)} of ${String(total).padStart(5)}  ${method}`);
    console.log(
      [
        'recorded answers that the stand-in gives as well:',
        ...lines,
        `values: ${values.equal} of ${values.total} (${percentage(values).toFixed(2)} %)`,
        `rest:   ${rest.equal} of ${rest.total} (${percentage(rest).toFixed(2)} %)`,
        ...differences.slice(0, 40).map((line) => line.slice(0, 500)),
      ].join('\n'),
    );
    expect(values.total + rest.total).toBe(interactions.length);
    expect(percentage(values)).toBeGreaterThanOrEqual(99);
    expect(percentage(rest)).toBeGreaterThanOrEqual(97);
  });
});
