// States that earlier versions wrote (make.ts, versions.ts), taken up by this one on the sides as they were left.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NewerSchemaError } from '../../../src/state/errors.ts';
import { commitAll, openTrial } from '../../support/state.ts';
import { enrolled, storyOf, takeUp } from './fixture.ts';
import { versions } from './versions.ts';

const folderOf = (name: string) => join(import.meta.dirname, name);
/** `-turns`: this version wrote in between. A version of schema 1 refuses that. */
const names = versions.flatMap(({ name, schema }) => (schema === 1 ? [name] : [name, `${name}-turns`]));
const nothing = { created: 0, appended: 0, updated: 0, set: 0, removed: 0, deleted: 0, enrolled: 0 };

describe('S2: a state of an earlier version', () => {
  test.each(names)(
    '%s is taken up: nothing is made again, the next run is idle, and the last one can be undone',
    async (name) => {
      const trial = await takeUp(folderOf(name));
      const contacts = trial.contacts().map(({ uuid }) => uuid);
      const rows = trial.grid();
      expect(await trial.run({ isFull: true })).toMatchObject({ counts: { ...nothing, linked: 4, conflicts: 1 } });
      const writes = trial.writes();
      const files = trial.stateFiles();
      expect(await trial.run()).toMatchObject({ counts: { ...nothing, linked: 4, conflicts: 1 } });
      expect(trial.writes()).toEqual(writes);
      expect(trial.stateFiles()).toEqual(files);
      expect(trial.contacts().map(({ uuid }) => uuid)).toEqual(contacts);
      expect(trial.grid()).toEqual(rows);
      expect(enrolled(trial)).toEqual(['ann@firm.io Welcome']);
      const { run } = storyOf(folderOf(name));
      expect((await trial.cli('log', '--json')).stdout).toContain(run);
      // S4: what that version wrote goes back, by what its history says.
      const sides = () => ({ dee: trial.contactOf('dee@firm.io').last_name, cy: trial.rowOf('cy@firm.io')['Company'] });
      const [dee, cy] = name.endsWith('-turns') ? ['Last of', 'Firm of'] : ['Wisher', 'Firm'];
      expect(sides()).toEqual({ dee: `Last of ${name}`, cy: `Firm of ${name}` });
      expect(await trial.cli('undo', run, '--yes')).toMatchObject({ code: 0, stderr: '' });
      expect(sides()).toEqual({ dee: expect.stringMatching(`^${dee}`), cy: expect.stringMatching(`^${cy}`) });
      expect(sides()).not.toEqual({ dee: `Last of ${name}`, cy: `Firm of ${name}` });
    },
  );

  test.each(versions)('$name: a version of the next schema is refused, and left as it is', async ({ name }) => {
    const root = mkdtempSync(join(tmpdir(), 'versions-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    cpSync(join(folderOf(name), 'state'), root, { recursive: true });
    const later = { version: 3, migrations: new Map([1, 2].map((version) => [version, () => {}])) };
    await commitAll(openTrial(root, { schema: later }).store, 'prospects', [{ facts: { put: new Map([['n', 1]]) } }]);
    const log = () => readFileSync(join(root, 'prospects', 'base.log'), 'utf8');
    const before = log();
    await expect(openTrial(root).store.sync('prospects').load()).rejects.toThrow(NewerSchemaError);
    await expect(commitAll(openTrial(root).store, 'prospects', [])).rejects.toThrow(/restore a backup/);
    expect(log()).toEqual(before);
  });

  test('each version has its fixture', () => {
    for (const name of names) expect(existsSync(join(folderOf(name), 'story.json'))).toBe(true);
  });
});
