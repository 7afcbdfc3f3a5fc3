// The questions of an init: each is answered by its flag, by an earlier init that was stopped, by its safe default, or by
// a person.
import { CommandFailed, UsageError } from '../errors.ts';
import type { CliWorld } from '../world.ts';
import type { Answers, AnswersFile, QuestionId } from './answers-file.ts';
import type { Prompts } from './prompts.ts';

/** An answer that does not do. The message says why and what to do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** `usage`: the answer itself is wrong; `failed`: a side refused it. */
  readonly kind: 'usage' | 'failed';

  constructor(message: string, kind: 'usage' | 'failed' = 'usage') {
    super(message);
    this.kind = kind;
  }
}

export interface Question<Answer> {
  readonly id: QuestionId;
  /** A name for it, for people: "the address of the service". */
  readonly what: string;
  /** The answer that `--yes` takes. Left out: no answer is safe. */
  readonly safe?: string;
  /** The variable that has the safe answer. */
  readonly safeFrom?: string;
  /** The answer that a text means. Throws Refused. */
  readonly parse: (text: string) => Answer | Promise<Answer>;
  readonly ask: (prompts: Prompts) => Promise<string>;
  /** A secret: it is not kept for a later init, and not shown. */
  readonly isSecret?: true;
}

export interface Session {
  readonly world: CliWorld;
  /** Undefined: nobody is asked (`--yes`). */
  readonly prompts: Prompts | undefined;
  /** Tells a person; nothing in a `--json` run. */
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly answer: <Answer>(question: Question<Answer>) => Promise<Answer>;
  /** Whether the answer is given by a flag or an earlier init. */
  readonly isGiven: (id: QuestionId) => boolean;
  readonly isFlag: (id: QuestionId) => boolean;
  /** Has the question asked again, as if an earlier init had not answered it. */
  readonly forget: (id: QuestionId) => void;
}

export interface SessionDep {
  readonly world: CliWorld;
  readonly prompts: Prompts | undefined;
  readonly flags: Answers;
  /** Answers of an init that was stopped. */
  readonly earlier: Answers;
  readonly file: AnswersFile | undefined;
  readonly tell: (text: string) => void;
}

export function createSession({ world, prompts, flags, earlier: answeredBefore, file, tell }: SessionDep): Session {
  const earlier: Partial<Record<QuestionId, string>> = { ...answeredBefore };
  const kept: Partial<Record<QuestionId, string>> = { ...earlier };
  return {
    world,
    prompts,
    say: (text) => (prompts ? prompts.say(text) : tell(text)),
    warn: (text) => (prompts ? prompts.warn(text) : tell(text)),
    isFlag: (id) => flags[id] !== undefined,
    isGiven: (id) => (flags[id] ?? earlier[id]) !== undefined,
    forget(id) {
      delete earlier[id];
      delete kept[id];
      file?.write(kept);
    },
    async answer(question) {
      const { id, isSecret } = question;
      const { text, answer } = await answered(question);
      if (!isSecret && kept[id] !== text) {
        kept[id] = text;
        file?.write(kept);
      }
      return answer;
    },
  };

  async function answered<Answer>(question: Question<Answer>): Promise<{ text: string; answer: Answer }> {
    const { id, what, safe, parse, ask } = question;
    const flag = flags[id];
    if (flag !== undefined) return { text: flag, answer: await byName(`--${id}`, flag, parse) };
    const before = earlier[id];
    if (before !== undefined) {
      try {
        const answer = await parse(before);
        if (!question.isSecret) prompts?.say(`${capital(what)}: ${before} (answered before)`);
        return { text: before, answer };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        prompts?.warn(`${before}, answered before, does not do any more: ${error.message}`);
      }
    }
    if (!prompts) {
      if (safe === undefined) {
        throw new UsageError(`--${id} is missing: ${what}. With --yes nothing is asked; without it you are asked`);
      }
      return { text: safe, answer: await byName(question.safeFrom ?? `--${id}`, safe, parse) };
    }
    for (;;) {
      world.stop.throwIfAborted();
      const text = await ask(prompts);
      try {
        return { text, answer: await parse(text) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        prompts.warn(error.message);
      }
    }
  }
}

/** `name`: of the flag or variable that has the answer. */
async function byName<Answer>(name: string, text: string, parse: Question<Answer>['parse']): Promise<Answer> {
  try {
    return await parse(text);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const message = `${name}: ${error.message}`;
    throw error.kind === 'usage' ? new UsageError(message) : new CommandFailed(message, { cause: error });
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
