// Files of tests share processes. The adapter of a server replaces the global Request and Response when the server starts, and
// does not put them back. This does, so that each file begins with those of Node.
import { afterAll } from 'vitest';

const own = { Request, Response };

afterAll(() => {
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
});
