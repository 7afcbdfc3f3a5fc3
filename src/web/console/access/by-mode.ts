// Access without accounts: every person who reaches the console may do what `server.console` says.
import { createHmac, randomBytes } from 'node:crypto';
import type { Access, Viewer } from './viewer.ts';

export interface ModeOptions {
  readonly mode: 'read' | 'write';
  readonly areDetailsShown: boolean;
}

/** A form token is valid until the process ends. */
export function createModeAccess({ mode, areDetailsShown }: ModeOptions): Access {
  const key = randomBytes(32);
  const formToken = createHmac('sha256', key).update('console').digest('base64url');
  const mayDecide = mode === 'write';
  const role = mayDecide ? 'operator' : 'viewer';
  const viewer: Viewer = { name: 'console', role, mayDecide, areDetailsShown, formToken };
  const viewerOf = async () => viewer;
  return { viewerOf, viewerNow: viewerOf };
}
