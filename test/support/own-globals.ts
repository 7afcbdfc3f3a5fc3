// Restores Node's global Request and Response at the end of each file. Files share processes, and the adapter of a server
// replaces both globals when it starts.
import { afterAll } from 'vitest';

const own = { Request, Response };

afterAll(() => {
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
});
