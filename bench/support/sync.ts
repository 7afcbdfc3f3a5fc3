// A sync of twelve columns with both stand-ins, run in processes of their own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

export const syncSpreadsheet = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_bench';
export const syncColumns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Position: 'position',
  Headline: 'headline',
  Email: 'email',
  Profile: 'network_id',
  Address: 'raw_address',
  About: 'about',
  Language: 'primary_language',
  Phone: 'personal_phone_number',
  Status: 'status',
} as const;

export interface SyncBench extends AsyncDisposable {
  readonly urls: { readonly crm: string; readonly google: string };
  readonly configFile: string;
  /** The number of contacts that change, or of new rows. */
  tell(change: { readonly touch?: number; readonly rows?: number }): Promise<void>;
}

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', '..', 'state');

export async function startSync(
  contacts: number,
  tab: 'full' | 'empty',
  requestsPerMinute = 6_000_000,
  state?: string,
): Promise<SyncBench> {
  const folder = await mkdtemp(join(home, 'bench-'));
  const server = fork(new URL('sync-server.ts', import.meta.url), [String(contacts), tab]);
  const urls = await answerOf<SyncBench['urls']>(server);
  const configFile = join(folder, 'leadsheet.yaml');
  const keyFile = join(folder, 'key.json');
  await writeFile(
    keyFile,
    JSON.stringify({ type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' }),
  );
  await writeFile(
    configFile,
    stringify({
      crm: {
        base_url: urls.crm,
        token: 'the-key-of-the-bench',
        requests_per_minute: requestsPerMinute,
        concurrency: 2,
      },
      google: { credentials_file: keyFile, endpoint: urls.google, reads_per_minute: 60_000, writes_per_minute: 60_000 },
      state: state ?? `file:${join(folder, 'state')}`,
      server: null,
      syncs: {
        bench: {
          contacts: { list: 'Bench' },
          sheet: { spreadsheet: syncSpreadsheet, tab: 'Bench' },
          match: ['email'],
          columns: syncColumns,
        },
      },
    }),
  );
  return {
    urls,
    configFile,
    async tell(change) {
      server.send(change);
      await answerOf(server);
    },
    async [Symbol.asyncDispose]() {
      const exited = once(server, 'exit');
      server.disconnect();
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** The next message of a process, which must not end before it. */
export async function answerOf<Message>(child: ChildProcess): Promise<Message> {
  // A process that is asked hundreds of times would keep a listener of each time.
  const over = new AbortController();
  const { signal } = over;
  try {
    const ended = once(child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`a bench process ended with ${String(code)}`)),
    );
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message];
    return message;
  } finally {
    over.abort();
  }
}
