// TLS with real certificates: which servers are trusted by which address, and in what words the others are refused.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase, postgresPassword, servePostgres } from '../support/postgres.ts';

const server = servePostgres();
/** The account of the server gets into its own folder alone. */
const file = (name: string) => join(server().folder, name);

function openssl(command: string): void {
  execFileSync('openssl', command.split(' '), { cwd: server().folder, stdio: 'pipe' });
}

const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

function makeAuthority(name: string): void {
  openssl(`req -x509 ${newKey} -days 9 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`);
}

/** Signed by the authority `ours`. `days` below 0: it has expired. */
function makeCertificate(name: string, host: string, days: number): void {
  openssl(`req ${newKey} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr`);
  writeFileSync(file(`${name}.ext`), `subjectAltName=${host}\n`);
  const signed = `-CA ours.crt -CAkey ours.key -CAcreateserial -extfile ${name}.ext`;
  openssl(`x509 -req -in ${name}.csr ${signed} -days ${days} -out ${name}.crt`);
}

beforeAll(() => {
  makeAuthority('ours');
  makeAuthority('other');
  makeCertificate('good', 'IP:127.0.0.1', 9);
  makeCertificate('elsewhere', 'DNS:db.example.com', 9);
  makeCertificate('expired', 'IP:127.0.0.1', -1);
}, 60_000);

/** The server shows this certificate from now on. */
async function show(certificate: string): Promise<void> {
  const owner = statSync(join(server().folder, 'data'));
  chmodSync(file(`${certificate}.key`), 0o600);
  chownSync(file(`${certificate}.key`), owner.uid, owner.gid);
  const database = openDatabase(`${await address()}?sslmode=disable`);
  await database.query(`ALTER SYSTEM SET ssl_cert_file = '${file(`${certificate}.crt`)}'`);
  await database.query(`ALTER SYSTEM SET ssl_key_file = '${file(`${certificate}.key`)}'`);
  await database.query('ALTER SYSTEM SET ssl = on');
  await database.query('SELECT pg_reload_conf()');
  await database.end();
}

let made: string | undefined;
async function address(): Promise<string> {
  made ??= await server().createDatabase();
  return made;
}

/** Whether the connection is encrypted, or why there is none. */
async function outcome(sslmode: string, caFile?: string): Promise<boolean | string> {
  const parameter = sslmode === '' ? '' : `?sslmode=${sslmode}`;
  const database = openDatabase(`${await address()}${parameter}`, {
    ...(caFile !== undefined && { caFile: file(caFile) }),
  });
  try {
    const [row] = await database.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return row?.['ssl'] === true;
  } catch (error) {
    const text = String(error);
    const isOneLine = /^DatabaseRefusedError: postgres:\/\/127\.0\.0\.1:\d+\/test_\d+: [^\n]*$/.test(text);
    const secrets = [postgresPassword, encodeURIComponent(postgresPassword)];
    if (!isOneLine || secrets.some((secret) => text.includes(secret)))
      throw new Error(`not for people: ${text}`, { cause: error });
    return text;
  } finally {
    await database.end();
  }
}

test('a server with a certificate for its address, by an authority that is known, is trusted', async () => {
  await show('good');
  // The server takes up its settings soon after it said so.
  await expect.poll(() => outcome('verify-full', 'ours.crt')).toBe(true);
  expect(await outcome('require')).toBe(true);
  expect(await outcome('disable')).toBe(false);
  // A server on this machine, and an address that says nothing.
  expect(await outcome('')).toBe(false);
});

test.each([
  ['an authority that did not sign it', 'good', 'other.crt', /certificate cannot be checked.*Set `postgres\.ca_file`/],
  ['no authority', 'good', undefined, /certificate cannot be checked.*Set `postgres\.ca_file`/],
  ['a certificate for another host', 'elsewhere', 'ours.crt', /the certificate is for another host\. Set `state:`/],
  ['a certificate that has expired', 'expired', 'ours.crt', /the certificate has expired\. Renew it in the server$/],
])('with %s, verify-full is refused in words, and require connects', async (_name, certificate, caFile, words) => {
  await show(certificate);
  await expect.poll(() => outcome('verify-full', caFile)).toMatch(words);
  expect(await outcome('require')).toBe(true);
});

test('a file of the authority that is missing, or has no certificate, is named', async () => {
  expect(await outcome('verify-full', 'missing.crt')).toMatch(
    /missing\.crt cannot be read \(ENOENT\)\. Correct `postgres/,
  );
  writeFileSync(file('empty.crt'), 'not a certificate');
  expect(await outcome('verify-full', 'empty.crt')).toMatch(
    /empty\.crt has no certificate in the form of PEM\. Correct `postgres/,
  );
});

test('a server that wants TLS says so to an address without it', async () => {
  await show('good');
  await expect.poll(() => outcome('verify-full', 'ours.crt')).toBe(true);
  writeFileSync(file('data/pg_hba.conf'), 'hostssl all all all password\n');
  const database = openDatabase(`${await address()}?sslmode=require`);
  await database.query('SELECT pg_reload_conf()');
  await database.end();
  await expect.poll(() => outcome('')).toMatch(/the server wants TLS .*Add sslmode=verify-full to the address/);
  expect(await outcome('verify-full', 'ours.crt')).toBe(true);
});
