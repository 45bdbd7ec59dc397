/** Ends connections whose client does not take its answers in time. */
import type { Clock } from '../../engine/core/clock.ts';
import type { Connection } from './connections.ts';

export interface WriteTimeout {
  /** An answer is on its way; until it has left, its client is waited for. */
  readonly waitFor: (connection: Connection) => void;
  /** An answer has left. */
  readonly left: (connection: Connection) => void;
  readonly end: () => void;
}

export interface WriteTimeoutOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly answerMs: number;
  readonly connections: () => Iterable<Connection>;
}

/** How often connections are looked at while an answer is on its way. */
const lookMs = 2000;

/**
 * The time without a byte is no bound: who reads a byte now and then, or goes on sending, holds a connection for ever.
 * So each answer has to leave within `answerMs` after the one before it. Time is counted in looks.
 */
export function createWriteTimeout({ clock, answerMs, connections }: WriteTimeoutOptions): WriteTimeout {
  const mostLooks = answerMs / lookMs;
  const stopping = new AbortController();
  let looks = 0;
  let isLooking = false;
  const look = async () => {
    for (isLooking = true; isLooking; ) {
      await clock.sleep(lookMs, stopping.signal);
      looks += 1;
      isLooking = false;
      for (const { socket, leaving, leavesSince } of connections()) {
        if (leaving <= 0) continue;
        isLooking = true;
        if (looks - leavesSince > mostLooks) socket.destroy();
      }
    }
  };
  return {
    waitFor: (connection) => {
      if (connection.leaving === 0) connection.leavesSince = looks;
      connection.leaving += 1;
      if (!isLooking) look().catch(() => undefined);
    },
    left: (connection) => {
      connection.leaving -= 1;
      connection.leavesSince = looks;
    },
    end: () => {
      stopping.abort(new Error('the server has stopped'));
    },
  };
}
