// Keeps the answers of an init beside the configuration until it is written, so that a stopped init can go on. It holds no
// secret and no contact.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../private-file.ts';

/** The id of a question is its flag without the dashes, and its name in the file of answers. */
export type QuestionId =
  | 'account'
  | 'base-url'
  | 'token-file'
  | 'key-file'
  | 'spreadsheet'
  | 'tab'
  | 'header-row'
  | 'list'
  | 'name'
  | 'column'
  | 'match'
  | 'status-column'
  | 'conflict'
  | 'blank'
  | 'row-deleted'
  | 'contact-deleted'
  | 'dotenv'
  | 'service-file';

export type Answers = Readonly<Partial<Record<QuestionId, string>>>;

const stored = z.strictObject({
  version: z.literal(1),
  /** ISO 8601. */
  at: z.string(),
  answers: z.record(z.string(), z.string()),
});

export interface AnswersFile {
  readonly path: string;
  /** Undefined: there are none, or another version wrote them. */
  read(): { readonly at: string; readonly answers: Answers } | undefined;
  write(answers: Answers): void;
  remove(): void;
}

/** `name`: of the sync that is added; undefined: a new configuration is made. */
export function openAnswersFile(
  config: string,
  name: string | undefined,
  dep: { readonly now: () => number; readonly randomId: () => string },
): AnswersFile {
  const path = join(dirname(config), `.leadsheet-init${name === undefined ? '' : `-${name}`}.json`);
  return {
    path,
    read() {
      try {
        const { at, answers } = stored.parse(JSON.parse(readFileSync(path, 'utf8')));
        return { at, answers };
      } catch {
        return undefined;
      }
    },
    write(answers) {
      mkdirSync(dirname(path), { recursive: true });
      const content = { version: 1, at: new Date(dep.now()).toISOString(), answers };
      writePrivateFile(path, `${JSON.stringify(content, undefined, 2)}\n`, dep.randomId);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
