// Both stand-ins as a process of its own, and a folder with nothing but the key of an account.
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
export const spreadsheet = 'https://docs.google.com/spreadsheets/d/demo-spreadsheet-of-the-stand-in/edit#gid=0';
export const token = 'standin';

export interface Sides extends AsyncDisposable {
  readonly folder: string;
  readonly serviceUrl: string;
  readonly googleUrl: string;
}

export async function openSides(): Promise<Sides> {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-demo-'));
  mkdirSync(join(folder, 'config'));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = {
    type: 'service_account',
    client_email: 'leadsheet@demo.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  writeFileSync(join(folder, 'config', 'google.json'), JSON.stringify(key), { mode: 0o600 });
  const child = spawn(process.execPath, [main, 'standin', '--service-port', '0', '--sheets-port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  let found: RegExpExecArray | null = null;
  for await (const data of child.stdout) {
    printed += String(data);
    found = /(http:\S+)[\s\S]*Google Sheets listens on (http:\S+)/.exec(printed);
    if (found) break;
  }
  if (!found) throw new Error(`the stand-ins did not start: ${printed}`);
  return {
    folder,
    serviceUrl: found[1]!,
    googleUrl: found[2]!,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
