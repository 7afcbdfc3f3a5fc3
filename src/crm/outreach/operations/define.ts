import * as z from 'zod';

/** One operation of the service, declared once: the client, the stand-in, the command line and the docs read it here. */
export interface Operation<Input = unknown, Answer = unknown> {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the service's base address; `{name}` is a path parameter. */
  readonly path: `/${string}`;
  readonly pathParameters: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /**
   * What a second, identical call does. `read`: nothing at all. `harmless`: leaves the service as the first one left it,
   * so a lost answer may be followed by another try. `harmful`: enrols, sends or creates once more; never repeated.
   */
  readonly repeat: 'read' | 'harmless' | 'harmful';
  readonly answer: AnswerRule<Answer>;
  /** How `filter` travels in the query string; the service is not of one mind (see encodeQuery). */
  readonly filterStyle?: FilterStyle;
  /** What the client sends when the caller names no value: everything the service has been seen to default oddly. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Turns what a caller may say into what the service understands, before validation. */
  readonly prepare?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** An answer known without asking, or undefined. */
  readonly answerLocally?: (input: Readonly<Record<string, unknown>>) => Answer | undefined;
  /** What the operation sets in motion beyond its answer, for the docs. */
  readonly effects?: string;
  /** Phantom: carries the input type; never present at run time. */
  readonly input?: (input: Input) => void;
}

export type FilterStyle = 'flat' | 'bracket' | 'json';

/** How the answers of an operation read. */
export interface AnswerRule<Answer> {
  /** Statuses of success that have been seen; any 2xx is accepted. */
  readonly success: readonly number[];
  /** Refusals this operation is documented with, beyond those every operation has (400, 401, 403, 429, 5xx). */
  readonly refusals: readonly number[];
  /** The body of a success as documented; undefined where none is promised. */
  readonly schema?: z.ZodType;
  /** Bytes of a success, unpacked: more is no answer to this operation (answers.ts says why these). */
  readonly bytesMax: number;
  /** Reads the JSON of a success. Throws NotThisAnswer when it is something else. */
  readonly read: (json: unknown, status: number) => Answer;
  /**
   * What a success without a body means: `again` (a loaded service sends blank 200s; ask again), `unknown` (a write
   * happened or not: outcome unknown), or this very answer.
   */
  readonly blank: 'again' | 'unknown' | { readonly answer: Answer };
  /** The meaning of a refusal in the service's own words, where it is an answer after all: a lookup's or a second delete's 404. */
  readonly refused?: (refusal: { readonly status: number; readonly message: string }) => { answer: Answer } | undefined;
}

/** A 2xx whose JSON is not what the operation answers. */
export class NotThisAnswer extends Error {
  override readonly name = 'NotThisAnswer';
}

/** Path parameters go into the address, where "..", "/" or "?" would name something else. */
const pathSegment = z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be an identifier: letters, digits, - and _ only');

function pathParameters(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return z.strictObject(Object.fromEntries(names.map((name) => [name, pathSegment])));
}

type PathInput<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathInput<Rest>
  : unknown;
type ShapeInput<Shape> = Shape extends z.ZodObject ? Readonly<z.input<Shape>> : unknown;

type Declaration<Path extends `/${string}`, Query, Body, Answer> = Omit<
  Operation<unknown, Answer>,
  'path' | 'pathParameters' | 'query' | 'body' | 'input'
> & { readonly path: Path; readonly query?: Query; readonly body?: Body };

/** Declares an operation; its input is one flat object: path parameters, query and body fields share no name. */
export function operation<
  const Path extends `/${string}`,
  Answer,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodObject | undefined = undefined,
>(
  declaration: Declaration<Path, Query, Body, Answer>,
): Operation<PathInput<Path> & ShapeInput<Query> & ShapeInput<Body>, Answer> {
  const { query, body, ...rest } = declaration;
  return {
    ...rest,
    pathParameters: pathParameters(declaration.path),
    ...(query && { query }),
    ...(body && { body }),
  };
}
