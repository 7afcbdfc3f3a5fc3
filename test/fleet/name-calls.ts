// Loaded by each worker of a fleet before the program: its requests name the worker, so that the judge knows who made which call.
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md: requests of `fetch`. */
interface Created {
  readonly request: { addHeader(name: string, value: string): void };
}

/** https://nodejs.org/docs/latest-v24.x/api/diagnostics_channel.html#http: requests of `node:http`. */
interface HttpCreated {
  readonly request: ClientRequest;
}

const worker = process.env['FLEET_WORKER'];
if (worker !== undefined) {
  const name = 'x-fleet-worker';
  subscribe('undici:request:create', (message) => (message as Created).request.addHeader(name, worker));
  subscribe('http.client.request.created', (message) => void (message as HttpCreated).request.setHeader(name, worker));
}
