import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createProcesses } from '../../src/state/file/processes.ts';

const refuse = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

describe('telling running processes from ended ones', () => {
  const processes = createProcesses({ pid: process.pid, probe: (pid) => process.kill(pid, 0) });

  const isLinux = process.platform === 'linux';

  test.runIf(isLinux)(
    'a running process has a start that does not change and that no other process shares',
    async () => {
      const own = await processes.startOf(process.pid);
      expect(own).toEqual(await processes.startOf(process.pid));
      expect(own).not.toEqual(await processes.startOf(process.ppid));
      expect(processes.host).toBe(hostname());
    },
  );

  test('an ended process is gone', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    expect(await processes.startOf(child.pid ?? 0)).toBe('gone');
  });

  test.runIf(isLinux)('an ended process that was not waited for is gone', async () => {
    // A shell may ask for the end of its child; what it becomes does not, and only then the child ends.
    const parent = spawn('sh', ['-c', 'exec 3<&0; (read -r line <&3) & echo $!; exec sleep 30']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    await vi.waitFor(async () => expect(await readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'), {
      timeout: 100_000,
    });
    expect(await processes.startOf(pid)).toEqual({ start: expect.any(String) });
    parent.stdin.end('end\n');
    await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '), {
      timeout: 100_000,
    });
    expect(await processes.startOf(pid)).toBe('gone');
  });

  test('a process of another account is there', async () => {
    const { startOf } = createProcesses({ pid: 1, probe: refuse('EPERM') });
    expect(await startOf(process.pid)).toEqual(await processes.startOf(process.pid));
  });

  test('without /proc, a process that answers a signal is there, start unknown', async () => {
    const { startOf } = createProcesses({ pid: 1, probe: () => {} });
    expect(await startOf(2 ** 30)).toEqual({ start: null });
  });
});
