// Sabotages that only stories notice in which some things stay broken, the configuration changes, people read, or a feed runs.
import type { Sabotage } from './sabotage.ts';

export const goingOn: readonly Sabotage[] = [
  {
    name: 'what was refused once waits for a person',
    file: 'sync/record/refusal.ts',
    text: ': pausesMs[times - 1];',
    instead: ': undefined;',
  },
  {
    name: 'a daemon that takes a changed file up goes on with its jobs as they were',
    file: 'daemon-reload.ts',
    text: 'daemon.change({ jobs: prepared.changed,',
    instead: 'daemon.change({ jobs: new Map(),',
  },
  {
    name: 'a person who reads makes the folder of requests',
    file: 'state/file/requests.ts',
    text: '    for (const name of await namesIn(disk, folder)) {',
    instead: '    await makeFolder(disk, folder);\n    for (const name of await namesIn(disk, folder)) {',
  },
  {
    name: 'what a feed has shown once is not brought up to date',
    file: 'sync/feed/feed.ts',
    text: 'for (const index of differing(input.fields, record, row)) {',
    instead: 'for (const index of input.links.has(record.uuid) ? [] : differing(input.fields, record, row)) {',
  },
];
