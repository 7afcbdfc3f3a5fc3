// Retries of enrolments that nobody confirmed, and that would need it by now (E1).
import { enrolmentIdToKey, isDone } from '../../sync/record/ledger.ts';
import { type Memory, retriesIn } from '../sync/memory.ts';

/**
 * Whoever said `retry` of a wish that waited was not asked whether it may happen twice. If a run has carried the wish out since, or
 * may have, the decision is about a wish that is no more. `unsure`: ids of these requests; nothing comes of them.
 */
export function withoutUnsure(memory: Memory): { readonly memory: Memory; readonly unsure: readonly string[] } {
  const { pending, requests, ledger } = memory;
  const unsure = [...pending].flatMap(([key, request]) => {
    // An earlier version, which recorded no origin, did not record either that a person was sure.
    const isUnsure = request.kind === 'retry' && request.origin !== undefined && request.isSure !== true;
    return isUnsure && isDone(ledger.entries.get(enrolmentIdToKey(request.id))) ? [key] : [];
  });
  if (unsure.length === 0) return { memory, unsure };
  const left = new Map([...pending].filter(([key]) => !unsure.includes(key)));
  const { retry, retryRequestIds } = retriesIn(left);
  return { memory: { ...memory, pending: left, requests: { ...requests, retry }, retryRequestIds }, unsure };
}
