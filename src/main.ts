#!/usr/bin/env node
// argv -> command -> exit code. Only this file reads process.*: the rest gets its world as arguments.

// npm only warns about an old engine, and an old engine reports only a syntax error.
if (Number.parseInt(process.versions.node, 10) < 24) {
  const found = `this is Node ${process.versions.node}`;
  process.stderr.write(`leadsheet: needs Node 24 or newer, and ${found}: install it from https://nodejs.org\n`);
  process.exit(1);
}

// Small and without imports: from here on a signal is handled.
const { exitCodes, StopRequest } = await import('./cli/exit-codes.ts');
const stop = new AbortController();
/** With `npm start`, one Ctrl-C arrives twice within 5 ms: from the terminal and from npm. A person is slower. */
const sameSignalMs = 100;
/** SPEC W8: within ten seconds. The next run settles what has not ended by then, as after a kill (L10). */
const endMsMax = 9_800;
let askedAt = 0;
let pagersOpen = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Ctrl-C reaches the pager as well, which takes it as one of its keys.
    if (signal === 'SIGINT' && pagersOpen > 0) return;
    const asked = new StopRequest(signal);
    // The first signal asks for an end, the second ends the process.
    if (stop.signal.aborted) {
      if (performance.now() - askedAt > sameSignalMs) process.exit(asked.exitCode);
      return;
    }
    askedAt = performance.now();
    setTimeout(() => {
      process.stderr.write(
        'leadsheet: gave up on calls that got no answer: the next run finds out what came of them\n',
      );
      process.exit(asked.exitCode);
    }, endMsMax).unref();
    stop.abort(asked);
  });
}

// A hangup asks the daemon to read its configuration anew, also one that comes while it starts. The end of a terminal is a
// hangup, too, and ends what was started on it.
const { isatty } = await import('node:tty');
const takesHangups = process.argv.includes('run') && ![0, 1, 2].some((descriptor) => isatty(descriptor));
const hangups = {
  isPending: false,
  listener: undefined as (() => void) | undefined,
  listen: (listener: () => void) => {
    hangups.listener = listener;
    if (hangups.isPending) listener();
    return { [Symbol.dispose]: () => void (hangups.listener = () => {}) };
  },
};
if (takesHangups) {
  process.on('SIGHUP', () => {
    hangups.isPending = hangups.listener === undefined;
    hangups.listener?.();
  });
}

// A reader that stops early, as `head` does, asks for an end, too. What is written after that goes nowhere.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (output === process.stdout && !stop.signal.aborted) stop.abort(new StopRequest('SIGPIPE'));
  });
}

// Before everything large: only what is loaded after it is kept.
const { keepCompiledCode } = await import('./cli/compile-cache.ts');
keepCompiledCode(process.env);

// Loaded only here, where the engine can read it and a signal is heard.
const { runCli } = await import('./cli/program.ts');
const { accountName } = await import('./cli/account.ts');
const { startPager } = await import('./cli/pager-process.ts');
const { useProxyOf } = await import('./proxy.ts');
const { userInfo } = await import('node:os');
const { createEnvReader } = await import('./dot-env.ts');
const unproxied = await useProxyOf(process.env);
if (unproxied !== undefined) process.stderr.write(`leadsheet: ${unproxied}\n`);
const environment = createEnvReader(process.env);
const code = await runCli(process.argv.slice(2), {
  env: environment.read(),
  rereadEnv: environment.read,
  account: accountName(() => userInfo().username, process.getuid?.()),
  stdout: process.stdout,
  stderr: process.stderr,
  stop: stop.signal,
  terminal: () => (isatty(0) && isatty(1) ? { input: process.stdin, output: process.stdout } : undefined),
  startPager(command, env) {
    const pager = startPager(command, env);
    pagersOpen += 1;
    void pager.ended.then(() => (pagersOpen -= 1));
    return pager;
  },
  openInBrowser: async (path) => {
    const { openInBrowser } = await import('./cli/open-browser.ts');
    await openInBrowser(path);
  },
  ...(takesHangups && { onHangup: hangups.listen }),
  transport: fetch,
  serviceTransport: async (url, init) => {
    const { overHttp } = await import('./crm/outreach/call/over-http.ts');
    return overHttp(url, init);
  },
  sheetsTransport: async (url, init) => {
    const { fetchOverHttp } = await import('./sheets/google/over-http.ts');
    return fetchOverHttp(url, init);
  },
  randomId: () => crypto.randomUUID(),
  process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
  memoryUsage: () => process.memoryUsage(),
  now: Date.now,
  elapsed: () => performance.now(),
  uptime: () => Number(process.hrtime.bigint()) / 1e6,
  // oxlint-disable-next-line no-restricted-properties -- this is the source of randomness
  random: Math.random,
});

// Only where the configuration fails: systemd may have handed over the variables of a file that it alone may read.
if (environment.unreadable !== undefined && code === exitCodes.config) {
  const why = `.env is there and cannot be read (${environment.unreadable}), so that no variable comes from it`;
  process.stderr.write(`leadsheet: ${why}: let this account read it\n`);
}

// A call in flight may take half a minute, and must not keep the process after a signal.
if (stop.signal.aborted) process.exit(code);
process.exitCode = code;
