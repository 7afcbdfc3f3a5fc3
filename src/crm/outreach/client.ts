// Makes the client of the service from the operations table.
import pRetry from 'p-retry';
import { createAttempts } from './call/attempts.ts';
import type { Caller } from './call/attempts.ts';
import { InvalidInputError, RateLimitError } from '../errors.ts';
import { checkInput } from './call/input.ts';
import type { CheckedInput } from './call/input.ts';
import type { Operation } from './operations/define.ts';
import { operationName, operations } from './operations/table.ts';
import { serviceTime } from './call/retry-after.ts';
import { buildRequest } from './call/request.ts';
import type { CallOptions, ServiceClient, ServiceClientOptions } from './service-client.ts';

/**
 * 31 days: a clock that somebody set wrong is off by hours or days, and a date that is off by more is not the time. The caps
 * count by the service's clock (E4), so that a smaller bound would have a machine whose clock jumps enrol too many.
 */
const offsetMaxMs = 31 * 86_400_000;

/** The client of one account; see ServiceClient for the contract. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  let offsetMs = 0;
  const noteClock = (headers: Headers) => {
    const serviceMs = serviceTime(headers);
    const aheadMs = serviceMs === undefined ? undefined : serviceMs - options.now();
    // L14: one wrong date would go into the state, and settle delays and caps would count from it for years.
    if (aheadMs !== undefined && Math.abs(aheadMs) <= offsetMaxMs) offsetMs = aheadMs;
  };
  const client: ServiceClient = {
    ...bindOperations((operation, input, callOptions) => client.call(operation, input, callOptions)),
    call: (operation, input, callOptions = {}) => perform({ ...options, noteClock }, operation, input, callOptions),
    budget: options.budget,
    serviceNow: () => options.now() + offsetMs,
  };
  return client;
}

type Call = (operation: Operation, input: object, options?: CallOptions) => Promise<unknown>;

/** Makes one method for each operation, in the shape of the table. */
function bindOperations(callOperation: Call): Pick<ServiceClient, keyof typeof operations> {
  const areas = Object.entries(operations).map(([area, table]) => [
    area,
    Object.fromEntries(
      Object.entries(table).map(([name, operation]) => [
        name,
        (input: object, options?: CallOptions) => callOperation(operation as Operation, input, options),
      ]),
    ),
  ]);
  return Object.fromEntries(areas) as Pick<ServiceClient, keyof typeof operations>;
}

async function perform<Input extends object, Answer>(
  client: Caller,
  operation: Operation<Input, Answer>,
  input: Input,
  options: CallOptions,
): Promise<Answer> {
  const named = { operation: operationName(operation as Operation), attempts: 0 };
  const result = checkInput(operation as Operation, input as Readonly<Record<string, unknown>>, options.allowUnknown);
  if ('fields' in result) throw new InvalidInputError(named, result.fields);
  const { checked } = result;
  const known = operation.answerLocally?.({ ...checked.query, ...checked.body });
  if (known !== undefined) return known;

  const about = { ...named, ...subjectOf(checked) };
  const request = buildRequest(client, operation as Operation, checked);
  const attempts = createAttempts(client, operation, options);
  // p-retry counts; `attempts` decides when and whether to repeat. p-retry must not see the signal: it would drop the
  // answer of a call that was stopped just as the answer came in.
  return pRetry((attempt) => attempts.make({ ...about, attempts: attempt }, request), {
    retries: client.retriesMax ?? 4,
    minTimeout: 0,
    shouldConsumeRetry: ({ error }) => !(error instanceof RateLimitError),
    shouldRetry: ({ error, retriesConsumed }) => attempts.waitForNext(error, retriesConsumed),
  });
}

/** The record a call concerns, for its error: the parameter of the address. */
function subjectOf({ path }: CheckedInput): { subject?: string } {
  const subject = Object.values(path).join(' ');
  return subject === '' ? {} : { subject };
}
