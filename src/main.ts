#!/usr/bin/env node
// argv -> command -> exit code. The only reader of process.*: everything below gets its world as arguments.
import { runCli } from './cli/program.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first asks for an end, the second takes it.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`stopped by ${signal}`));
  });
}

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stop: stop.signal,
  transport: fetch,
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
