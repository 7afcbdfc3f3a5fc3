// Loaded by each worker of a fleet before the program: its requests name the worker, so that the judge knows who made which call.
import { subscribe } from 'node:diagnostics_channel';

/** https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md */
interface Created {
  readonly request: { addHeader(name: string, value: string): void };
}

const worker = process.env['FLEET_WORKER'];
if (worker !== undefined) {
  subscribe('undici:request:create', (message) => (message as Created).request.addHeader('x-fleet-worker', worker));
}
