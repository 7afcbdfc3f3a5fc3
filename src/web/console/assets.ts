// The files that pages load: read once, named by their content, and compressed when first asked for.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Hono } from 'hono';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const sources = {
  'pico.css': import.meta.resolve('@picocss/pico/css/pico.min.css'),
  'htmx.js': import.meta.resolve('htmx.org/dist/htmx.esm.min.js'),
  'uplot.css': import.meta.resolve('uplot/dist/uPlot.min.css'),
  'uplot.js': import.meta.resolve('uplot/dist/uPlot.iife.min.js'),
  'icon.svg': new URL('static/icon.svg', import.meta.url).href,
  'console.css': new URL('static/console.css', import.meta.url).href,
  'console.js': new URL('static/console.js', import.meta.url).href,
  'live.js': new URL('static/live.js', import.meta.url).href,
  'keys.js': new URL('static/keys.js', import.meta.url).href,
  'enter.js': new URL('static/enter.js', import.meta.url).href,
  'charts.js': new URL('static/charts.js', import.meta.url).href,
} as const;

export type AssetName = keyof typeof sources;

export interface Assets {
  /** The address of a file; another content has another address. */
  readonly address: (name: AssetName) => string;
  /** A digest of all files: pages of another build do not fit these files. */
  readonly build: string;
  readonly routes: Hono;
}

interface Asset {
  readonly digest: string;
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Made when a browser asks for it, in another thread: other answers and runs do not wait for it. */
  readonly compressed: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Reads the files. They come with the package, so a file that is missing is a fault of the installation. */
export function loadAssets(): Assets {
  const assets = new Map(Object.entries(sources).map(([name, url]) => [name, readAsset(name, url)]));
  const routes = new Hono();
  routes.get('/:digest/:name', async (c) => {
    const asset = assets.get(c.req.param('name'));
    if (!asset || asset.digest !== c.req.param('digest')) return c.notFound();
    const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
    const accepted = c.req.header('accept-encoding') ?? '';
    const encoding = encodings.find((name) => new RegExp(`\\b${name}\\b`).test(accepted));
    if (encoding === undefined) return c.body(asset.plain, 200, { ...headers, vary: 'accept-encoding' });
    const body = await asset.compressed(encoding);
    return c.body(body, 200, { ...headers, 'content-encoding': encoding, vary: 'accept-encoding' });
  });
  const all = [...assets.values()].map(({ digest }) => digest).join(' ');
  return { address: (name) => `/assets/${assets.get(name)!.digest}/${name}`, build: digestOf(all), routes };
}

/** The smaller one first. Browsers ask for `br` by https and of their own machine alone. */
const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

/** All files take 20 ms with brotli instead of 370; those of a first page are 34 KB instead of 31. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];
const compress: Readonly<Record<Encoding, (plain: Uint8Array) => Promise<Buffer>>> = {
  br: (plain) => brotli(plain, quality),
  gzip: (plain) => gzipped(plain),
};

/** By encoding and digest, so that several servers of one process, as the tests have them, compress a file once. */
const compressedByDigest = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

function readAsset(name: string, url: string): Asset {
  const plain = new Uint8Array(readFileSync(fileURLToPath(url)));
  const digest = digestOf(plain);
  return {
    digest,
    type: types[extname(name)]!,
    plain,
    compressed(encoding) {
      const key = `${encoding} ${digest}`;
      const known = compressedByDigest.get(key) ?? compress[encoding](plain).then((bytes) => new Uint8Array(bytes));
      compressedByDigest.set(key, known);
      return known;
    },
  };
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
