// Requests and responses whose body is a text at hand. Undici makes a stream of bytes of each text, and for a request a signal that
// follows the caller's.

/** The request as a socket would bring it: a text has a `content-length`, so that nothing has to read the body to bound it. */
export function createTextRequest(input: string | URL, { method, headers, body, signal }: RequestInit = {}): Request {
  const text = typeof body === 'string' ? body.toWellFormed() : null;
  const its = new Headers(headers);
  if (text !== null) its.set('content-length', String(Buffer.byteLength(text)));
  const from = signal ?? new AbortController().signal;
  return new TextRequest(its, text, new URL(input).href, (method ?? 'GET').toUpperCase(), from) as object as Request;
}

export function createTextResponse(text: string | null, { status = 200, headers }: ResponseInit = {}): Response {
  return new TextResponse(new Headers(headers), text?.toWellFormed() ?? null, status) as object as Response;
}

export function createJsonResponse(json: unknown, { headers, ...init }: ResponseInit = {}): Response {
  const its = new Headers(headers);
  if (!its.has('content-type')) its.set('content-type', 'application/json');
  return createTextResponse(JSON.stringify(json), { ...init, headers: its });
}

/** As this module is loaded: the adapter of a server replaces both, and its classes do not have the members of these. */
const [RealRequest, RealResponse] = [Request, Response];

/** What it does not have itself is asked of `whole`, a real one that is made then. It passes for an instance of the real class. */
function lightBody<Whole extends Request | Response>(real: { readonly prototype: Whole }) {
  abstract class LightBody {
    readonly headers: Headers;
    readonly content: string | null;
    #isRead = false;
    #whole: Whole | undefined;

    constructor(headers: Headers, content: string | null) {
      this.headers = headers;
      this.content = content;
      if (content !== null && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8');
    }

    abstract make(): Whole;

    get whole(): Whole {
      return (this.#whole ??= this.make());
    }

    /** The same, to read its body. */
    get unread(): Whole {
      if (this.#isRead) throw new TypeError('Body is unusable: Body has already been read');
      return this.whole;
    }

    get body(): Whole['body'] {
      return this.content === null ? null : this.unread.body;
    }

    get bodyUsed(): boolean {
      return this.#isRead || this.#whole?.bodyUsed === true;
    }

    async text(): Promise<string> {
      // Undici drops a byte order mark.
      if (this.#whole || this.#isRead || this.content?.startsWith('\uFEFF')) return this.unread.text();
      this.#isRead = this.content !== null;
      return this.content ?? '';
    }
  }
  const { prototype } = LightBody;
  for (const name of Object.getOwnPropertyNames(real.prototype)) {
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: LightBody) {
        const found: unknown = Reflect.get(real.prototype, name, this.whole);
        // Its methods read or copy the body.
        return typeof found === 'function' ? (found.bind(this.unread) as unknown) : found;
      },
    });
  }
  Object.setPrototypeOf(prototype, real.prototype);
  return LightBody;
}

class TextRequest extends lightBody(RealRequest) {
  readonly url: string;
  readonly method: string;
  readonly signal: AbortSignal;

  constructor(headers: Headers, content: string | null, url: string, method: string, signal: AbortSignal) {
    super(headers, content);
    this.url = url;
    this.method = method;
    this.signal = signal;
  }

  override make(): Request {
    const { url, method, headers, content, signal } = this;
    return new RealRequest(url, { method, headers, body: content, signal });
  }
}

class TextResponse extends lightBody(RealResponse) {
  readonly status: number;

  constructor(headers: Headers, content: string | null, status: number) {
    super(headers, content);
    this.status = status;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  override make(): Response {
    const { status, headers, content } = this;
    return new RealResponse(content, { status, headers });
  }
}
