#!/usr/bin/env node
// argv -> command -> exit code. The only reader of process.*: everything below gets its world as arguments.

// npm only warns of an engine that is too old, and that one would only say that it found a syntax error.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`leadsheet: needs Node 24 or newer, and this is Node ${process.versions.node}\n`);
  process.exit(1);
}

// Tiny, and without imports of its own: a signal is heard from here on.
const { StopRequest } = await import('./cli/exit-codes.ts');
const stop = new AbortController();
/** Of `npm start`, one Ctrl-C arrives twice: from the terminal, and passed on by npm, 5 ms later. A person is slower. */
const sameSignalMs = 100;
/** SPEC W8: within ten seconds. What has not ended by then is settled by the next run, as after a kill (L10). */
const endMsMax = 9_800;
let askedAt = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const asked = new StopRequest(signal);
    // The first asks for an end, the second takes it.
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

// A reader that stops early, as `head` does, asks for an end, too. What is written after that goes nowhere.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (output === process.stdout && !stop.signal.aborted) stop.abort(new StopRequest('SIGPIPE'));
  });
}

// Loaded only here, where the engine can read it and a signal is heard.
const { runCli } = await import('./cli/program.ts');
const { overHttp } = await import('./crm/outreach/call/over-http.ts');
const { accountName } = await import('./cli/account.ts');
const { useProxyOf } = await import('./proxy.ts');
const { userInfo } = await import('node:os');
const unproxied = useProxyOf(process.env);
if (unproxied !== undefined) process.stderr.write(`leadsheet: ${unproxied}\n`);
const code = await runCli(process.argv.slice(2), {
  env: process.env,
  account: accountName(() => userInfo().username, process.getuid?.()),
  stdout: process.stdout,
  stderr: process.stderr,
  stop: stop.signal,
  transport: fetch,
  serviceTransport: overHttp,
  randomId: () => crypto.randomUUID(),
  process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
  now: Date.now,
  elapsed: () => performance.now(),
  // oxlint-disable-next-line no-restricted-properties -- this is where randomness comes from
  random: Math.random,
});

// What is given up on after a signal must not keep the process: a call in flight may take half a minute.
if (stop.signal.aborted) process.exit(code);
process.exitCode = code;
