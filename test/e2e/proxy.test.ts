import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.ts';

/* HTTPS_PROXY and NO_PROXY in the environment of a process. */

/** A proxy that records the requested hosts and refuses to connect. */
async function openProxy() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request: { url: string }, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const service = { OUTREACH_BASE_URL: 'https://crm.invalid', OUTREACH_TOKEN: 'the-token-of-the-tests' };
const call = ['api', 'lists.get', '--uuid', '00000000-0000-4000-8000-000000000000', '--timeout-secs', '5'];

test.each(['HTTPS_PROXY', 'https_proxy'])('calls to the service go through the proxy of %s', async (name) => {
  const { asked, url } = await openProxy();
  const { code, stderr } = await startProgram(call, { env: { ...service, [name]: url } }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('lists.get');
  expect(new Set(asked)).toEqual(new Set(['CONNECT crm.invalid:443']));
});

test.each(['crm.invalid', '.invalid', 'other.example, *.invalid', '*'])('NO_PROXY=%s is left out', async (given) => {
  const { asked, url } = await openProxy();
  const env = { ...service, HTTPS_PROXY: url, NO_PROXY: given };
  expect((await startProgram(call, { env }).ended).code).toBe(1);
  expect(asked).toEqual([]);
});

test('this machine is reached without the proxy', async () => {
  const { asked, url } = await openProxy();
  const env = { ...service, OUTREACH_BASE_URL: 'http://127.0.0.1:9', HTTP_PROXY: url, HTTPS_PROXY: url };
  expect((await startProgram(call, { env }).ended).stderr).toContain('ECONNREFUSED');
  expect(asked).toEqual([]);
});

test('calls to Google go through it too', async () => {
  const { asked, url } = await openProxy();
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, file] = [join(folder, 'key.json'), join(folder, 'c.yaml')];
  const consent = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  writeFileSync(key, JSON.stringify(consent));
  chmodSync(key, 0o600);
  writeFileSync(
    file,
    `crm: { base_url: https://crm.invalid, token: the-token-of-the-tests }
google: { credentials_file: ${key} }
state: file:${join(folder, 'state')}
server: null
outbox:
  o: { resource: emails, spreadsheet: 1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests, tab: T, columns: { From: sender_profile_uuid, To: lead_uuid, Text: body } }
`,
  );
  const { stdout } = await startProgram(['check', '--config', file], { env: { HTTPS_PROXY: url } }).ended;
  expect(stdout).toContain('failed   o: tab');
  expect(new Set(asked)).toEqual(new Set(['CONNECT crm.invalid:443', 'CONNECT oauth2.googleapis.com:443']));
});

test('an invalid address is reported without its password, and calls go without the proxy', async () => {
  const env = { ...service, OUTREACH_BASE_URL: 'http://127.0.0.1:9', HTTPS_PROXY: 'me:pa55word@proxy' };
  const { stderr } = await startProgram(call, { env }).ended;
  expect(stderr).toContain('leadsheet: HTTPS_PROXY is no address of a proxy');
  expect(stderr).not.toContain('pa55word');
});
