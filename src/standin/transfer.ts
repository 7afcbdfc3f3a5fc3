// Sends answers as the real services do: compressed if the caller accepts that, and in pieces of any size.
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

/** How answers travel. */
export interface Transfer {
  /** Bytes of the next piece of a body, at least 1. Left out: a body is sent in one piece, and the network cuts it. */
  readonly pieceBytes?: () => number;
}

const packable = /^(?:application\/json|text\/(?!event-stream))/;

const pack = promisify(gzip);

/** The same answer in its form on the network. `drop` closes the connection of an answer that breaks off. */
export async function toTransferred(
  request: Request,
  answer: Response,
  { pieceBytes }: Transfer,
  drop: () => void,
): Promise<Response> {
  const type = answer.headers.get('content-type') ?? '';
  if (answer.body === null || answer.headers.has('content-encoding') || !packable.test(type)) return answer;
  const isPacked = acceptsGzip(request);
  if (!isPacked && !pieceBytes) return answer;
  let body: Uint8Array;
  try {
    body = new Uint8Array(await answer.arrayBuffer());
  } catch {
    drop();
    return new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  }
  const headers = new Headers(answer.headers);
  if (isPacked && body.length > 0) {
    headers.set('content-encoding', 'gzip');
    headers.set('vary', 'Accept-Encoding');
    headers.delete('content-length');
    // The fastest level: the stand-ins should not cost more than what they are compared with.
    body = await pack(body, { level: constants.Z_BEST_SPEED });
  }
  const { status, statusText } = answer;
  return new Response(pieceBytes ? inPieces(body, pieceBytes) : body, { status, statusText, headers });
}

/** RFC 9110, 12.5.3: an encoding with the weight 0 is refused. */
function acceptsGzip(request: Request): boolean {
  return (request.headers.get('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .some((each) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(each));
}

function inPieces(body: Uint8Array, pieceBytes: () => number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      // Each piece gets a write of its own, because the network joins writes of one turn.
      await new Promise(setImmediate);
      if (at >= body.length) return controller.close();
      const end = at + Math.max(1, pieceBytes());
      controller.enqueue(body.subarray(at, end));
      at = end;
    },
  });
}
