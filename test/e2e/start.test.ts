// A command loads what it uses, and nothing else that is large: a person waits for it, and the shell at every Tab.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { mainFromSource, startProgram } from '../support/program.ts';
import { root } from '../support/root.ts';

const configText = `
crm: { base_url: http://127.0.0.1:9, token: test-key }
google: { credentials_file: key.json, endpoint: http://127.0.0.1:9 }
state: file:./state
server: null
syncs:
  prospects:
    contacts: { list: Prospects }
    sheet: { spreadsheet: 1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests, tab: Prospects }
    match: [email]
    columns: { Email: email }
`;

/** Has the process print the address of each module that it loaded, last. */
const tellLoaded = `import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on('exit', () => writeSync(2, 'loaded:' + JSON.stringify(loaded)));`;

async function loadedBy(words: readonly string[], main?: string, ended = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'leadsheet.yaml'), configText);
  const { code, stderr } = await startProgram([...words], {
    cwd: folder,
    env: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellLoaded)}`,
      LEADSHEET_CONFIG: 'leadsheet.yaml',
    },
    ...(main !== undefined && { main }),
  }).ended;
  const [said, list = '[]'] = stderr.split('loaded:');
  expect({ code, said: ended === 0 ? said : '' }).toEqual({ code: ended, said: '' });
  const urls = JSON.parse(list) as string[];
  const packages = urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return { files: urls.filter((url) => url.startsWith('file:')), packages: new Set(packages) };
}

const start = ['commander', 'fastest-levenshtein'];

test.each([
  [['--version'], start],
  [['--help'], start],
  [['completion', 'bash'], start],
  [
    ['complete-line', '--', 'sync', 'pro'],
    [...start, 'yaml'],
  ],
  [['complete-line', '--', 'st'], start],
  [
    ['complete-line', '--', 'api', 'contacts.'],
    [...start, 'zod'],
  ],
])('%j loads these packages and no other: %j', async (words, packages) => {
  const loaded = await loadedBy(words, mainFromSource);
  expect([...loaded.packages].toSorted()).toEqual(packages.toSorted());
});

test.each([[['status']], [['runs']], [['conflicts']], [['config']]])(
  '%j loads no client of either side, no server and no log',
  async (words) => {
    const { packages } = await loadedBy(words, mainFromSource);
    for (const name of ['google-auth-library', '@googleapis/sheets', 'hono', 'pino', 'p-queue', '@clack/prompts'])
      expect(packages).not.toContain(name);
  },
);

test('the built program is few files: 12 for --version, 20 for status, each beside the others', async () => {
  const version = await loadedBy(['--version']);
  const status = await loadedBy(['status']);
  expect(version.files.length).toBeLessThanOrEqual(12);
  expect(status.files.length).toBeLessThanOrEqual(20);
  expect([...version.packages, ...status.packages]).toEqual([]);
});

test('the built program loads the daemon for no run of a command, and not to tell a failure', async () => {
  // There is no key file: the run fails after everything is loaded that it needs.
  const { files } = await loadedBy(['sync'], undefined, 1);
  expect(files.some((file) => /\/app-\w/.test(file))).toBe(true);
  expect(files.filter((file) => /\/(?:daemon|queue|standin)-/.test(file))).toEqual([]);
});

test('a command that asks the daemon does not load fetch', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 's');
  const server = createServer((_, answer) => answer.end('told')).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const asking = `import { askSocket } from ${JSON.stringify(pathToFileURL(join(root, 'src/lib/socket-http.ts')).href)};
const { lines } = await askSocket({ path: ${JSON.stringify(path)}, method: 'GET', target: '/', silentMs: 60_000 });
for await (const line of lines) console.log(line);
console.log(process.moduleLoadList.filter((name) => name.includes('undici/undici')));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', asking]);
  expect(stdout).toBe('told\n[]\n');
});
