import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/* The container image can be built from a digest: one argument decides on every base image. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('every stage of the image begins with NODE_IMAGE, which compose and docs/install.md can pin', () => {
  // One builds, and one is the image.
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}']);
  const { services } = parse(read('compose.yaml')) as { services: { leadsheet: { build: { args: object } } } };
  expect(services.leadsheet.build.args).toEqual({ NODE_IMAGE: '${NODE_IMAGE:-node:24-slim}' });
  expect(read('docs/install.md')).toContain('NODE_IMAGE=node:24-slim@{{.Manifest.Digest}}');
});

test('the image has what the package has: nothing else of the folder gets into it', () => {
  const [build = '', image = ''] = read('Dockerfile').split('\nFROM ').slice(-2);
  expect(build).toMatch(/^RUN npm pack .* -C \/package /m);
  expect([...image.matchAll(/^(?:COPY|ADD) .*$/gm)].map(([line]) => line)).toEqual(['COPY --from=build /package ./']);
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  const lets = read('.dockerignore').split('\n');
  // The program is built inside.
  const opposite = (each: string) => (each.startsWith('!') ? each.slice(1) : `!${each}`);
  expect(files.filter((each) => each !== 'dist' && !lets.includes(opposite(each)))).toEqual([]);
});
