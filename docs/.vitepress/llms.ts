// The text of llms.txt (https://llmstxt.org): each page with its first sentence, for programs that read docs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, navigation } from './navigation.ts';

/** `root`: the folder of the repository. */
export function llmsText(root: string): string {
  const parts = navigation.map(({ text, items }) => {
    const lines = items.map((item) => {
      const link = item.link === '/' ? '/' : `${item.link}.html`;
      return `- [${item.text}](${link}): ${firstSentence(readFileSync(join(root, fileOf(item.link)), 'utf8'))}\n`;
    });
    return `## ${text}\n\n${lines.join('')}`;
  });
  const about =
    'Keeps the contacts of an outreach service (a CRM) and the rows of a Google Sheet equal, in both directions.';
  return [`# leadsheet\n\n> ${about}\n`, ...parts].join('\n');
}

/** Of the first paragraph below the title. */
function firstSentence(page: string): string {
  const paragraphs = page.split(/\n\n+/).map((each) => each.replaceAll('\n', ' ').trim());
  const first = paragraphs.find((each) => /^[\p{L}`[]/u.test(each)) ?? '';
  const plain = first.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  // A colon within code ends no sentence.
  return /^(?:`[^`]*`|[^`])*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
