import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { describeStateContract } from '../contract/state.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { openTrial } from '../support/state.ts';

describeStateContract('files on the real disk', {
  async create() {
    const root = await mkdtemp(join(tmpdir(), 'state-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const reopen = () => openTrial(root).store;
    return { store: reopen(), reopen };
  },
});

describeStateContract('files on a disk in memory', {
  async create() {
    const disk = createMemoryDisk(1);
    const reopen = () => openTrial('/state', { disk }).store;
    return { store: reopen(), reopen };
  },
});
