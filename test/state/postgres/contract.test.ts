// The driver on PostgreSQL keeps the promises of the port.
import { describeStateContract } from '../../contract/state.ts';
import { createPostgresTrial, servePostgres } from '../../support/postgres.ts';

const server = servePostgres();

describeStateContract('postgres', {
  async create() {
    const trial = createPostgresTrial(await server().createDatabase());
    return { store: trial.open().store, reopen: () => trial.open().store };
  },
});
