#!/usr/bin/env node
// The command `exec` for scripts of package.json on Windows. Every other shell has its own, and never starts this one.
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command === 'node' ? process.execPath : command, args, { stdio: 'inherit' });
// Ctrl-C reaches the child by itself, which says when it has ended.
process.on('SIGINT', () => {});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
