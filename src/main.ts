#!/usr/bin/env node
// argv -> command -> exit code. The only reader of process.*: everything below gets its world as arguments.
import { runCli } from './cli/program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
