// `leadsheet console --open` with a real browser: $BROWSER is a program that starts Chromium.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { expect, onTestFinished, test } from 'vitest';
import { connectBrowser, unpackedBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { mainFromSource, startProgram } from '../../support/program.ts';

/** The environment of a machine without a desktop whose only browser is this program. */
function machineWith(browser: string, folder: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  // The system of the test may know further programs for files.
  writeFileSync(join(bin, 'run-mailcap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, BROWSER: browser, HOME: folder };
}

test.runIf(hasBrowser)(
  '--open: the browser comes to the page of the link, and one press logs the person in',
  { timeout: 180_000 },
  async () => {
    const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', console: 'write' } } });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    const { url } = await trial.begin();
    await until(() => trial.said('run ended').length > 0);

    // The folder of the trial is gone before the browser is ended.
    const home = mkdtempSync(join(tmpdir(), 'leadsheet-open-'));
    const [bin, profile] = [join(home, 'bin'), join(home, 'profile')];
    const pid = join(bin, 'pid');
    const opener = join(bin, 'browser');
    onTestFinished(() => {
      // xdg-open starts a browser once more that ended with a fault.
      rmSync(opener, { force: true });
      if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
    mkdirSync(bin);
    const args = [...chromium.args, '--remote-debugging-port=0', `--user-data-dir=${profile}`];
    const quoted = [await unpackedBrowser(), ...args].map((each) => `'${each.replaceAll("'", "'\\''")}'`).join(' ');
    writeFileSync(
      opener,
      `#!/bin/sh\necho "$$" > '${pid}'\necho "$*" > '${join(bin, 'opened')}'\nexec ${quoted} "$@"\n`,
    );
    chmodSync(opener, 0o755);
    const env = machineWith(opener, home);
    const { ended } = startProgram(['--config', trial.configFile, 'console', '--open'], { main: mainFromSource, env });
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, secret = ''] = /\/enter#([\w-]{43})/.exec(stdout) ?? [];
    expect(secret).not.toBe('');

    const ready = join(profile, 'DevToolsActivePort');
    await until(() => existsSync(ready) && readFileSync(ready, 'utf8').includes('\n'));
    // What other accounts of the machine can see of the process has no secret.
    expect(readFileSync(join(bin, 'opened'), 'utf8')).toMatch(/^file:\/\/\S+\.console-link\.html\n$/);
    const [port] = readFileSync(ready, 'utf8').split('\n');
    const browser = await connectBrowser(`http://127.0.0.1:${port}`);
    const [context] = browser.contexts();
    const page = context!.pages()[0] ?? (await context!.waitForEvent('page'));
    await page.waitForURL(`${url}/enter**`);
    await page.click('button[type=submit]');
    await page.waitForURL(`${url}/`);
    expect(await page.locator('header .person').innerText()).toContain('Log out');
    expect(page.url()).not.toContain(secret);
    await page.goto(`${url}/records?of=ann@firm.io`);
    expect(await page.innerText('h1')).toContain('Ann');
    await browser.close();
  },
);

test('--open where there is no browser says so, and the link is printed all the same', async () => {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', console: 'write' } } });
  await trial.begin();
  const env = machineWith(join(trial.folder, 'no-such-browser'), trial.folder);
  const { ended } = startProgram(['--config', trial.configFile, 'console', '--open'], { main: mainFromSource, env });
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/\/enter#[\w-]{43}\n/);
  expect(stderr).toMatch(/^leadsheet: no browser could be opened \(.*\): open the link yourself\n$/);
});
