// Serves the stand-in with as many contacts as the first argument says, in a process of its own, so that its cost is
// not measured. Prints its address, and ends with its parent.
import { addDemoData } from '../../src/standin/service/demo.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { serve } from '../../src/standin/serve.ts';

const contacts = Number(process.argv[2]);
const rateLimits = JSON.parse(process.argv[3] ?? '[]') as [];
const standin = createServiceStandin({
  now: () => Date.now(),
  seed: 1,
  acceptedTokens: ['bench'],
  switches: { rateLimits },
  receivedMax: 10_000,
});
addDemoData(standin.model, standin.world, { contacts });
const server = await serve(standin.app, 0);
process.on('disconnect', () => void server.close());
process.send?.(server.url);
