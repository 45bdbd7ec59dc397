/** Makes one small HTTP request. */
import type { IncomingMessage } from 'node:http';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

const maxBytes = 256 * 1024;

/** What the server answers within `patienceMs`. Rejects with `daemon_unreachable`. */
export async function askHealth(url: URL, patienceMs: number): Promise<HealthAnswer> {
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { signal, agent: false, headers: { accept: 'application/json' } }, resolve).on(
        'error',
        reject,
      );
    });
    return { status: response.statusCode ?? 0, text: await bodyOf(response) };
  } catch (error) {
    const why = signal.aborted ? `no answer within ${patienceMs / 1000} s` : reasonOf(error);
    throw new StatusdError('daemon_unreachable', `no daemon answers at ${url.origin}: ${why}`, {
      hint: 'Is `statusd serve` running with this configuration?',
      cause: error,
    });
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the answer is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'the connection is refused' : cleanLine(message);
}
