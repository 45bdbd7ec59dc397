/** Remembers which requests of a connection have no whole answer yet. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Pending {
  /** Answers how many the connection has now, this one included. */
  readonly add: (message: IncomingMessage, response: ServerResponse) => number;
  /**
   * Calls `work` when every request that arrived whole has its answer, at once when one did not: then it is that one
   * which cannot go on.
   */
  readonly after: (socket: Duplex, work: () => void) => void;
}

export function createPending(): Pending {
  const exchanges = new WeakMap<Duplex, Map<ServerResponse, IncomingMessage>>();
  return {
    add: (message, response) => {
      const { socket } = message;
      const open = exchanges.get(socket) ?? new Map<ServerResponse, IncomingMessage>();
      exchanges.set(socket, open.set(response, message));
      response.once('close', () => open.delete(response));
      return open.size;
    },
    after: (socket, work) => {
      const open = [...(exchanges.get(socket) ?? [])];
      const isCut = open.some(([, message]) => !message.complete);
      let left = isCut ? 0 : open.length;
      if (left === 0) {
        work();
        return;
      }
      for (const [response] of open) {
        response.once('close', () => {
          left -= 1;
          if (left === 0) work();
        });
      }
    },
  };
}
