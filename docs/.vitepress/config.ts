// The site of the docs: the pages as they are, by the role of the reader, with a search that needs no server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../scripts/slug.ts';
import { llmsText } from './llms.ts';
import { navigation } from './navigation.ts';

const root = join(import.meta.dirname, '../..');

export default defineConfig({
  title: 'leadsheet',
  description: 'Keeps the contacts of an outreach service and the rows of a Google Sheet equal, in both directions.',
  lang: 'en',
  // The README and its neighbours are pages, too.
  srcDir: root,
  srcExclude: ['**/node_modules/**', 'test/**', 'state/**', 'dist/**', '.github/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: join(root, 'docs/.vitepress/dist'),
  cacheDir: join(root, 'docs/.vitepress/cache'),
  cleanUrls: true,
  // npm run docs:check looks at links and headings, also of files that are no pages.
  ignoreDeadLinks: true,
  themeConfig: {
    search: {
      provider: 'local',
      // Every word counts, and short ones whole: "undo a run" is not about all that begins with an a.
      options: {
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            fuzzy: false,
            prefix: (term: string) => term.length > 2,
            boost: { title: 6, titles: 2, text: 1 },
            // Pages for people who use it come before those for people who look back or work on it.
            boostDocument: (id: string) =>
              /\/(?:CHANGELOG|decisions|testing|ARCHITECTURE|performance|SPEC)\b/.test(id) ? 0.2 : 1,
          },
        },
      },
    },
    nav: navigation.map(({ text, items }) => ({
      text,
      link: items.at(0)?.link ?? '/',
      activeMatch: items.map(({ link }) => `^${link}$`).join('|'),
    })),
    sidebar: navigation.map(({ text, items }) => ({ text, items: [...items] })),
    outline: [2, 3],
  },
  markdown: {
    anchor: { slugify: slugOf },
    config(md) {
      // A file of the repository is no page of the site: its name stays, without a link.
      md.core.ruler.push('files-without-links', ({ tokens }) => {
        for (const { children } of tokens) {
          let isFile = false;
          for (const token of children ?? []) {
            if (token.type === 'link_open') isFile = isNoPage(token.attrGet('href') ?? '');
            if (isFile && (token.type === 'link_open' || token.type === 'link_close')) {
              token.type = 'text';
              token.tag = '';
              token.content = '';
            }
          }
        }
      });
    },
  },
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, 'llms.txt'), llmsText(root));
  },
});

function isNoPage(href: string): boolean {
  if (/^(?:[a-z]+:|#)/i.test(href)) return false;
  return !/\.md(?:#.*)?$/.test(href);
}
