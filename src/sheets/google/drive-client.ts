// Asks Drive for the version of a file and for the list of changes. Its token is another one than that of Sheets: if Google
// refuses the scope, calls to Sheets are as they were.
import { gaxios } from 'google-auth-library';
import { z } from 'zod';
import { createMeter } from '../../limits/meter.ts';
import type { Credentials, GoogleClient } from './credentials.ts';
import { createEndpointFetch, type Fetch } from './endpoint.ts';

/**
 * Metadata of files, read only: the least that shows versions and changes of files that people shared
 * (https://developers.google.com/workspace/drive/api/guides/api-specific-auth).
 */
const driveScope = 'https://www.googleapis.com/auth/drive.metadata.readonly';

export interface DriveClientDep {
  readonly credentials: Credentials;
  readonly fetch: Fetch;
  readonly endpoint?: string;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
}

/**
 * `refused`: Google does not let this account ask, for as long as nobody changes something. `token`: it does not take the
 * page token. `passing`: anything else.
 */
export class DriveError extends Error {
  override readonly name = 'DriveError';
  readonly kind: 'refused' | 'token' | 'passing';

  constructor(kind: DriveError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface ChangesPage {
  readonly fileIds: readonly string[];
  readonly nextPageToken: string | undefined;
  /** On the last page. */
  readonly newStartPageToken: string | undefined;
}

export interface DriveClient {
  /** Each of the calls throws DriveError, and nothing else. */
  version(fileId: string): Promise<string>;
  startPageToken(): Promise<string>;
  changes(pageToken: string): Promise<ChangesPage>;
  /** Calls started: since the process began, and in the last minute, of at most `perMinute`. */
  usage(): { readonly calls: number; readonly lastMinute: number; readonly perMinute: number };
}

const base = 'https://www.googleapis.com/drive/v3';
/** A hint that is later than this is of no use: the run looks. */
const timeoutMs = 10_000;
/**
 * Drive allows 325,000 units a minute and user; a version costs 5 and a list 100
 * (https://developers.google.com/workspace/drive/api/guides/limits). 3,000 calls are 300,000 at most. A call beyond them is not
 * made: its run looks.
 */
const callsPerMinute = 3_000;

const versionAnswer = z.object({ version: z.string() });
const startAnswer = z.object({ startPageToken: z.string() });
const changesAnswer = z.object({
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
  changes: z.array(z.object({ fileId: z.string().optional() })).default([]),
});
const refusal = z.object({
  error: z.object({
    message: z.string().default(''),
    errors: z.array(z.object({ reason: z.string().default('') })).default([]),
    details: z.array(z.object({ reason: z.string().default('') })).default([]),
  }),
});

export function createDriveClient(dep: DriveClientDep): DriveClient {
  let auth: GoogleClient | undefined;
  let calls = 0;
  const meter = createMeter({ startsMax: callsPerMinute, lengthMs: 60_000, elapsed: dep.elapsed, shared: undefined });

  async function get<Answer>(path: string, schema: z.ZodType<Answer>): Promise<Answer> {
    const { credentials, fetch, endpoint } = dep;
    auth ??= credentials.createAuthClient({ fetchImplementation: createEndpointFetch(fetch, endpoint) }, driveScope);
    const client = auth;
    try {
      if (meter.take() > 0) throw new DriveError('passing', 'as many calls as may be made in a minute');
      calls += 1;
      const options = { url: `${base}/${path}`, retry: false, timeout: timeoutMs, responseType: 'json' } as const;
      const { data } = await client.request<unknown>(options);
      const parsed = schema.safeParse(data);
      if (parsed.success) return parsed.data;
      throw new DriveError('passing', 'an answer of another form');
    } catch (error) {
      if (error instanceof DriveError) throw error;
      const told = toDriveError(error);
      // The next call asks for another token.
      if (error instanceof gaxios.GaxiosError && error.status === 401) auth = undefined;
      throw told;
    }
  }

  return {
    async version(fileId) {
      const query = 'fields=version&supportsAllDrives=true';
      return (await get(`files/${encodeURIComponent(fileId)}?${query}`, versionAnswer)).version;
    },
    async startPageToken() {
      return (await get('changes/startPageToken?supportsAllDrives=true', startAnswer)).startPageToken;
    },
    async changes(pageToken) {
      const query = new URLSearchParams({
        pageToken,
        pageSize: '1000',
        fields: 'nextPageToken,newStartPageToken,changes(fileId)',
        supportsAllDrives: 'true',
        includeItemsFromAllDrives: 'true',
      });
      const { changes, nextPageToken, newStartPageToken } = await get(`changes?${query.toString()}`, changesAnswer);
      return { fileIds: changes.flatMap(({ fileId }) => fileId ?? []), nextPageToken, newStartPageToken };
    },
    usage: () => ({ calls, lastMinute: meter.lastMinute(), perMinute: callsPerMinute }),
  };
}

/** By status and machine-readable reason; a sentence of Google may be in any language. */
function toDriveError(error: unknown): DriveError {
  if (!(error instanceof gaxios.GaxiosError)) {
    return new DriveError('refused', error instanceof Error ? error.message : 'no token was given');
  }
  const { status } = error;
  if (status === undefined) return new DriveError('passing', String(error.code ?? 'no answer'));
  const body = refusal.safeParse(error.response?.data).data?.error;
  const isDrive = new URL(error.config.url).hostname === new URL(base).hostname;
  if (!isDrive) {
    return new DriveError(status >= 500 || status === 429 ? 'passing' : 'refused', `no token: status ${status}`);
  }
  if (status === 403 && body) return refused(body);
  // Google documents that a page token does not expire, and that one that is rejected for any reason is to be dropped.
  if ([400, 404, 410].includes(status)) return new DriveError('token', `${status} ${body?.message ?? ''}`);
  return new DriveError('passing', `status ${status}`);
}

const tooMany = new Set(['userRateLimitExceeded', 'rateLimitExceeded', 'dailyLimitExceeded', 'RATE_LIMIT_EXCEEDED']);
const apiOff = new Set(['accessNotConfigured', 'SERVICE_DISABLED']);
const noScope = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT']);

function refused({ message, errors, details }: z.output<typeof refusal>['error']): DriveError {
  const reasons = [...errors, ...details].map(({ reason }) => reason);
  const has = (which: ReadonlySet<string>) => reasons.some((reason) => which.has(reason));
  if (has(tooMany)) return new DriveError('passing', 'Google asks to wait');
  if (has(apiOff)) {
    return new DriveError('refused', 'the Google Drive API is switched off in the Cloud project: enable it there');
  }
  if (has(noScope)) {
    return new DriveError('refused', `the credentials lack the scope ${driveScope}: authorise again with it`);
  }
  return new DriveError('refused', message);
}
