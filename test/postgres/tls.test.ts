// TLS with real certificates: which servers are trusted by which address, and in what words the others are refused.
import type { webcrypto } from 'node:crypto';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// oxlint-disable-next-line import/no-unassigned-import -- the package of certificates needs it before it is loaded
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  type JsonGeneralName,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase, postgresPassword, servePostgres } from '../support/postgres.ts';

const server = servePostgres();
/** The account of the server gets into its own folder alone. */
const file = (name: string) => join(server().folder, name);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;

interface Authority {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

async function keep(
  name: string,
  certificate: X509Certificate,
  { privateKey }: webcrypto.CryptoKeyPair,
): Promise<void> {
  writeFileSync(file(`${name}.crt`), certificate.toString('pem'));
  const key = await crypto.subtle.exportKey('pkcs8', privateKey);
  writeFileSync(file(`${name}.key`), PemConverter.encode(key, 'PRIVATE KEY'));
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** Valid for nine days from yesterday on. */
const dates = () => ({ notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 9 * dayMs) });

async function makeAuthority(name: string): Promise<Authority> {
  const keys = await newKeys();
  const extensions = [new BasicConstraintsExtension(true, undefined, true)];
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    ...dates(),
    extensions,
  });
  await keep(name, certificate, keys);
  return { name, keys };
}

async function makeCertificate(name: string, by: Authority, host: JsonGeneralName, isOver = false): Promise<void> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${by.name}`,
    publicKey: keys.publicKey,
    signingKey: by.keys.privateKey,
    signingAlgorithm: algorithm,
    ...dates(),
    ...(isOver && { notAfter: new Date(Date.now() - dayMs / 2) }),
    extensions: [new SubjectAlternativeNameExtension([host])],
  });
  await keep(name, certificate, keys);
}

beforeAll(async () => {
  const ours = await makeAuthority('ours');
  await makeAuthority('other');
  await makeCertificate('good', ours, { type: 'ip', value: '127.0.0.1' });
  await makeCertificate('elsewhere', ours, { type: 'dns', value: 'db.example.com' });
  await makeCertificate('expired', ours, { type: 'ip', value: '127.0.0.1' }, true);
});

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
