/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../problem.ts';

const maxBytes = 65_536;

/**
 * A body that is a little too large is read to its end, or the connection would be reset before the answer is read;
 * beyond this it is not.
 */
const maxDrained = 1_048_576;

const nothing = Buffer.alloc(0);

/** The whole body, at once when there is none (RFC 9112, section 6.3). Rejects as `readToEnd` does. */
export function readBody(message: IncomingMessage): Promise<Buffer> | Buffer {
  const { 'transfer-encoding': coding, 'content-length': length } = message.headers;
  return coding === undefined && Number(length ?? 0) === 0 ? nothing : readToEnd(message);
}

/** Rejects with a 413, or with a 400 when the connection ends before the body does. */
async function readToEnd(message: IncomingMessage): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > maxDrained) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Ending the loop early must not end the connection: the answer is still to be sent on it.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      if (size > maxDrained) break;
    }
  } catch {
    throw new HttpProblem(400, 'The body of the request did not come to its end.');
  }
  if (size > maxBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

function tooLarge(): HttpProblem {
  return new HttpProblem(413, 'The body of a request may have 64 KiB at most.', { connection: 'close' });
}
