// Every kind of job there is. Light enough for commands that only look at the state.
import { feedKind } from './feed/kind.ts';
import type { JobKind, Kind } from './kind.ts';
import { outboxKind } from './outbox/kind.ts';
import { syncKind } from './sync/kind.ts';

export const kinds: Readonly<Record<JobKind, Kind>> = { sync: syncKind, feed: feedKind, outbox: outboxKind };
