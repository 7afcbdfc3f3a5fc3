// The files that pages load: read once, named by their content, and compressed once.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { Hono } from 'hono';

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

const sources = {
  'pico.css': import.meta.resolve('@picocss/pico/css/pico.min.css'),
  'console.css': new URL('static/console.css', import.meta.url).href,
  'console.js': new URL('static/console.js', import.meta.url).href,
} as const;

export type AssetName = keyof typeof sources;

export interface Assets {
  /** The address of a file; another content has another address. */
  readonly address: (name: AssetName) => string;
  readonly routes: Hono;
}

interface Asset {
  readonly digest: string;
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

/** Reads the files. They come with the package, so a file that is missing is a fault of the installation. */
export function loadAssets(): Assets {
  const assets = new Map(Object.entries(sources).map(([name, url]) => [name, readAsset(name, url)]));
  const routes = new Hono();
  routes.get('/:digest/:name', (c) => {
    const asset = assets.get(c.req.param('name'));
    if (!asset || asset.digest !== c.req.param('digest')) return c.notFound();
    const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
    const isBrotli = /\bbr\b/.test(c.req.header('accept-encoding') ?? '');
    return isBrotli
      ? c.body(asset.compressed, 200, { ...headers, 'content-encoding': 'br', vary: 'accept-encoding' })
      : c.body(asset.plain, 200, { ...headers, vary: 'accept-encoding' });
  });
  return { address: (name) => `/assets/${assets.get(name)!.digest}/${name}`, routes };
}

function readAsset(name: string, url: string): Asset {
  const plain = new Uint8Array(readFileSync(fileURLToPath(url)));
  return {
    digest: createHash('sha256').update(plain).digest('hex').slice(0, 16),
    type: name.endsWith('.css') ? types.css : types.js,
    plain,
    compressed: new Uint8Array(brotliCompressSync(plain)),
  };
}
