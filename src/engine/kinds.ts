// The table of every kind of job. It imports little, because commands that only read the state load it too.
import { feedKind } from './feed/kind.ts';
import type { JobKind, Kind } from './kind.ts';
import { outboxKind } from './outbox/kind.ts';
import { syncKind } from './sync/kind.ts';

export const kinds: Readonly<Record<JobKind, Kind>> = { sync: syncKind, feed: feedKind, outbox: outboxKind };
