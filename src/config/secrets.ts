// Lists the secrets of a configuration, which nothing tells.
import type { Secret } from '../lib/secret.ts';
import type { Config } from './config.ts';

/** Of every account and of the server. */
export function secretsOf({ accounts, server, state }: Config): readonly Secret[] {
  const ofAccounts = [...accounts.values()].flatMap(({ crm, alertWebhookUrl }) => [
    crm.token,
    ...Object.values(crm.extraHeaders ?? {}),
    alertWebhookUrl,
  ]);
  const ofState = state.kind === 'postgres' ? [state.url, state.password] : [];
  const all = [...ofAccounts, server?.password, server?.hookSecret, ...ofState];
  return all.filter((secret) => secret !== undefined);
}
