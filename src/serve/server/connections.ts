/** Bounds how many connections are open, so that clients who only hold them cannot lock others out. */
import type { Socket } from 'node:net';

export interface Connections {
  /** Takes a new connection in; over the bound, the one that has been waited for the longest makes room. */
  readonly admit: (socket: Socket) => void;
  /** From now on the connection is not the client's to hold, and makes room for nobody. */
  readonly begin: (socket: Socket) => void;
  /** As often as it was begun. */
  readonly end: (socket: Socket) => void;
  /** While `work` runs, part of what was begun, it is the client that keeps us waiting. */
  readonly awaiting: <T>(socket: Socket, work: () => Promise<T>) => Promise<T>;
}

export function createConnections(max: number): Connections {
  // Sets keep their order: the first has had nothing of ours to do for the longest.
  const waiting = new Set<Socket>();
  const working = new Map<Socket, number>();
  const shift = (socket: Socket, by: 1 | -1) => {
    const works = (working.get(socket) ?? 0) + by;
    if (works > 0) {
      working.set(socket, works);
      waiting.delete(socket);
    } else {
      working.delete(socket);
      if (!socket.destroyed) waiting.add(socket);
    }
  };
  return {
    admit: (socket) => {
      waiting.add(socket);
      socket.once('close', () => {
        waiting.delete(socket);
        working.delete(socket);
      });
      if (waiting.size + working.size <= max) return;
      const [longest] = waiting;
      if (longest === undefined) return;
      waiting.delete(longest);
      longest.destroy();
    },
    begin: (socket) => {
      shift(socket, 1);
    },
    end: (socket) => {
      shift(socket, -1);
    },
    awaiting: async (socket, work) => {
      shift(socket, -1);
      try {
        return await work();
      } finally {
        shift(socket, 1);
      }
    },
  };
}
