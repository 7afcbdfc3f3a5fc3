// Sends https calls to the service, to Google and to the alert receiver through the proxy of the environment.

type Environment = Readonly<Record<string, string | undefined>>;

/** Plain http goes to this machine only (src/config/address.ts); https to it needs no proxy either. */
const neverProxied = 'localhost,127.0.0.1,::1';

/**
 * Honours HTTPS_PROXY and NO_PROXY, in capitals or small letters, for `node:https` and `fetch` of this process. Call it
 * once, before any call. Returns a sentence if it cannot: `setGlobalProxyFromEnv` came with Node 24.14
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support). Throws Node's error for an invalid address.
 */
export async function useProxyOf(env: Environment): Promise<string | undefined> {
  const proxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!proxy) return undefined;
  // Loaded here, since most commands make no call.
  const http = await import('node:http');
  const isAble = 'setGlobalProxyFromEnv' in http;
  if (!isAble) return 'HTTPS_PROXY needs Node 24.14 or newer; with this one, set NODE_USE_ENV_PROXY=1 beside it';
  const exceptions = [env['no_proxy'] || env['NO_PROXY'], neverProxied].filter(Boolean).join(',');
  try {
    http.setGlobalProxyFromEnv({ HTTPS_PROXY: proxy, NO_PROXY: exceptions });
    return undefined;
  } catch {
    // Node's message quotes the address with its password.
    return 'HTTPS_PROXY is no address of a proxy, such as http://proxy.example:3128; calls are made without it';
  }
}
