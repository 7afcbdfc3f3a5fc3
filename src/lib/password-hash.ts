// Hashes passwords of people with scrypt, and checks a password against a hash.
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';

/**
 * The cost, one of the settings that the OWASP Password Storage Cheat Sheet calls equal, the one with 32 MiB
 * (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt). A check takes a few tenths of
 * a second on a thread of its own.
 */
const cost = { log2: 15, blockSize: 8, parallelism: 3 } as const;

/** Costs of hashes that other tools made. Less is guessed fast; more would take the memory or the time of the jobs. */
const log2Min = 14;
const log2Max = 17;
const blockSizeMax = 8;
const parallelismMax = 15;

/** More than any person types; longer texts cost time before they are hashed. */
const passwordCharsMax = 1_000;

const form =
  /^\$scrypt\$ln=(?<log2>\d{1,2}),r=(?<r>\d{1,2}),p=(?<p>\d{1,2})\$(?<salt>[\w+/-]{16,86})\$(?<hash>[\w+/-]{32,86})$/;

interface Parts {
  readonly options: ScryptOptions;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** The PHC string format: `$scrypt$ln=15,r=8,p=3$SALT$HASH`, in base64 without padding. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { log2, blockSize, parallelism } = cost;
  const hash = await derive(password, salt, 32, optionsOf(log2, blockSize, parallelism));
  return `$scrypt$ln=${log2},r=${blockSize},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Of the form above, at a cost that a login may have. */
export function isPasswordHash(text: string): boolean {
  return partsOf(text) !== undefined;
}

/** Takes the same time for a right and a wrong password. A text that is no hash has no password. */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const parts = partsOf(hash);
  if (parts === undefined || password.length > passwordCharsMax) return false;
  return timingSafeEqual(await derive(password, parts.salt, parts.hash.length, parts.options), parts.hash);
}

function partsOf(text: string): Parts | undefined {
  const { log2, r, p, salt, hash } = form.exec(text)?.groups ?? {};
  if (log2 === undefined || salt === undefined || hash === undefined) return undefined;
  const [exponent, blockSize, parallelism] = [log2, r, p].map(Number) as [number, number, number];
  if (exponent < log2Min || exponent > log2Max || blockSize < 1 || blockSize > blockSizeMax) return undefined;
  if (parallelism < 1 || parallelism > parallelismMax) return undefined;
  return {
    options: optionsOf(exponent, blockSize, parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function optionsOf(log2: number, blockSize: number, parallelism: number): ScryptOptions {
  const N = 2 ** log2;
  // Node wants a little more than what the algorithm fills.
  return { N, r: blockSize, p: parallelism, maxmem: 2 * 128 * N * blockSize };
}

/** One keyboard writes é as one character, another as two. */
function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
