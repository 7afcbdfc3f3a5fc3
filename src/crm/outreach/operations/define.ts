// The type of an operation, and the function that declares one.
import * as z from 'zod';

/** One operation of the service, declared once for the client, the stand-in, the command line and the docs. */
export interface Operation<Input = unknown, Answer = unknown> {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the service's base address; `{name}` is a path parameter. */
  readonly path: `/${string}`;
  readonly pathParameters: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /**
   * The effect of a second, identical call. `read`: nothing changes. `harmless`: the service stays as the first call
   * left it, so a lost answer may be followed by another try. `harmful`: the call enrols, sends or creates once more;
   * it is never repeated.
   */
  readonly repeat: 'read' | 'harmless' | 'harmful';
  readonly answer: AnswerRule<Answer>;
  /** How `filter` is written in the query string; the areas of the service differ (see encodeQuery). */
  readonly filterStyle?: FilterStyle;
  /** Values sent when the caller gives none: every field whose default has varied between services. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Turns the forms a caller may use into those of the service, before validation. */
  readonly prepare?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** An answer that is known without a call, or undefined. */
  readonly answerLocally?: (input: Readonly<Record<string, unknown>>) => Answer | undefined;
  /** Effects of the operation beyond its answer, for the docs. */
  readonly effects?: string;
  /**
   * The thing that a person has to confirm, because it deletes, or has something sent: "deletes the contact". A verb and the rest of
   * the sentence. `leadsheet api` asks before such a call.
   */
  readonly confirm?: string;
  /** Phantom: carries the input type; absent at run time. */
  readonly input?: (input: Input) => void;
}

export type FilterStyle = 'flat' | 'bracket' | 'json';

/** How the answers of an operation are read. */
export interface AnswerRule<Answer> {
  /** The known statuses of success; any 2xx is accepted. */
  readonly success: readonly number[];
  /** Documented refusals of this operation, beyond those of every operation (400, 401, 403, 429, 5xx). */
  readonly refusals: readonly number[];
  /** The documented body of a success; undefined: none is documented. */
  readonly schema?: z.ZodType;
  /** Bytes of a success, unpacked: a larger answer is refused (answers.ts has the reasons). */
  readonly bytesMax: number;
  /** Reads the JSON of a success. Throws NotThisAnswer for any other. */
  readonly read: (json: unknown, status: number) => Answer;
  /**
   * The meaning of a success without a body: `again` (a loaded service sends blank 200s; ask again), `unknown` (a write
   * happened or not: outcome unknown), or this very answer.
   */
  readonly blank: 'again' | 'unknown' | { readonly answer: Answer };
  /** The meaning of a refusal that is an answer: the 404 of a lookup or of a second delete. */
  readonly refused?: (refusal: { readonly status: number; readonly message: string }) => { answer: Answer } | undefined;
}

/** A 2xx whose JSON is no answer of the operation. */
export class NotThisAnswer extends Error {
  override readonly name = 'NotThisAnswer';
}

/** Path parameters go into the address, where "..", "/" or "?" would change the path. */
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

/** Declares an operation. Its input is one flat object: path parameters, query and body fields share no name. */
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
