// Limits requests per minute, per user of the project and per project, by
// https://developers.google.com/workspace/sheets/api/limits; the window slides.
import { ApiError } from './errors.ts';

export type RequestKind = 'read' | 'write';

export interface Quotas {
  readonly perUser: Readonly<Record<RequestKind, number>>;
  readonly perProject: Readonly<Record<RequestKind, number>>;
}

/** Google's default for a project. */
export const googleQuotas: Quotas = { perUser: { read: 60, write: 60 }, perProject: { read: 300, write: 300 } };

const windowMs = 60_000;
const projectNumber = '123456789012';

export class QuotaMeter {
  private readonly quotas: Quotas;
  private readonly now: () => number;
  private readonly timesByKey = new Map<string, number[]>();

  constructor(quotas: Quotas, now: () => number) {
    this.quotas = quotas;
    this.now = now;
  }

  /** Counts a request, or refuses it with the 429 (which is not counted). There is no Retry-After. */
  take(kind: RequestKind, user: string): void {
    const own = this.recent(`${kind}:${user}`);
    const all = this.recent(kind);
    if (own.length >= this.quotas.perUser[kind])
      throw quotaExceeded(kind, 'user', this.quotas.perUser[kind], own[0] ?? this.now());
    if (all.length >= this.quotas.perProject[kind])
      throw quotaExceeded(kind, 'project', this.quotas.perProject[kind], all[0] ?? this.now());
    own.push(this.now());
    all.push(this.now());
  }

  private recent(key: string): number[] {
    const since = this.now() - windowMs;
    const times = (this.timesByKey.get(key) ?? []).filter((time) => time > since);
    this.timesByKey.set(key, times);
    return times;
  }
}

/** The 429 as Google words it. `windowStart`: epoch milliseconds. */
export function quotaExceeded(
  kind: RequestKind,
  per: 'user' | 'project',
  value: number,
  windowStart: number,
): ApiError {
  const name = kind === 'read' ? 'Read' : 'Write';
  const limit = `${name} requests per minute${per === 'user' ? ' per user' : ''}`;
  return new ApiError(
    'RESOURCE_EXHAUSTED',
    `Quota exceeded for quota metric '${name} requests' and limit '${limit}' of service 'sheets.googleapis.com' for consumer 'project_number:${projectNumber}'.`,
    [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'RATE_LIMIT_EXCEEDED',
        domain: 'googleapis.com',
        metadata: {
          window_start_time: new Date(windowStart).toISOString(),
          quota_metric: `sheets.googleapis.com/${kind}_requests`,
          quota_location: 'global',
          service: 'sheets.googleapis.com',
          quota_unit: per === 'user' ? '1/min/{project}/{user}' : '1/min/{project}',
          quota_limit: `${name}RequestsPerMinute${per === 'user' ? 'PerUser' : 'PerProject'}`,
          consumer: `projects/${projectNumber}`,
          quota_limit_value: String(value),
        },
      },
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [
          {
            description: 'Request a higher quota limit.',
            url: 'https://cloud.google.com/docs/quotas/help/request_increase',
          },
        ],
      },
    ],
  );
}
