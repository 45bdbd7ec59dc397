/** Ends connections whose client does not take its answers in time. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../engine/core/clock.ts';

export interface Patience {
  /** An answer is on its way; until it has left, its client is waited for. */
  readonly waitFor: (socket: Socket, response: ServerResponse) => void;
  /** Looks at connections from now on. */
  readonly begin: () => void;
  readonly end: () => void;
}

interface Waiting {
  answers: number;
  /** When the last of its answers had left, or the first was begun. */
  sinceMs: number;
}

/** How often connections are looked at. */
const sweepMs = 2000;

/**
 * The time without a byte is no bound: who reads a byte now and then, or goes on sending, holds a connection for ever.
 * So each answer has to leave within `answerMs` after the one before it.
 */
export function createPatience(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  { answerMs }: { readonly answerMs: number },
): Patience {
  const waiting = new Map<Socket, Waiting>();
  const stopping = new AbortController();
  const sweep = async () => {
    for (;;) {
      await clock.sleep(sweepMs, stopping.signal);
      const latestMs = clock.monotonic() - answerMs;
      for (const [socket, { sinceMs }] of waiting) if (sinceMs <= latestMs) socket.destroy();
    }
  };
  return {
    waitFor: (socket, response) => {
      const known = waiting.get(socket);
      if (known === undefined) waiting.set(socket, { answers: 1, sinceMs: clock.monotonic() });
      else known.answers += 1;
      // Comes when the last byte was handed to the system, or with the end of the connection.
      response.once('close', () => {
        const one = waiting.get(socket);
        if (one === undefined) return;
        one.answers -= 1;
        one.sinceMs = clock.monotonic();
        if (one.answers === 0) waiting.delete(socket);
      });
    },
    begin: () => {
      sweep().catch(() => undefined);
    },
    end: () => {
      stopping.abort(new Error('the server has stopped'));
    },
  };
}
