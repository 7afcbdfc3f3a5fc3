// Resolves imports between files of the project at once. The hook of vitest sends a message to its main process for each of them, several
// thousand a process, and only `vitest --watch` uses what they say.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { root } from './root.ts';

const own = `${pathToFileURL(root).href}/`;
const packages = `${own}node_modules/`;

if (process.env['VITEST_MODE'] !== 'WATCH') {
  // What is registered last is asked first, and by answering it leaves out the hook of vitest and the search of Node.
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      const isOurs =
        /^\.\.?\/.*\.ts$/.test(specifier) && parentURL?.startsWith(own) === true && !parentURL.startsWith(packages);
      if (!isOurs) return nextResolve(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
    },
  });
}
