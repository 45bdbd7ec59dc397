/** Bounds how many connections are open, so that clients who only hold them cannot lock others out. */
import type { Socket } from 'node:net';

export interface Connections {
  /** Takes a new connection in; over the bound, the one that has been waited for the longest makes room. */
  readonly admit: (socket: Socket) => void;
  /** While `work` runs, the connection is not the client's to hold, and makes room for nobody. */
  readonly during: <T>(socket: Socket, work: () => Promise<T>) => Promise<T>;
  /** While `work` runs, part of work that does, it is the client that keeps us waiting. */
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
  const shifted = async <T>(socket: Socket, by: 1 | -1, work: () => Promise<T>): Promise<T> => {
    shift(socket, by);
    try {
      return await work();
    } finally {
      shift(socket, by === 1 ? -1 : 1);
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
    during: (socket, work) => shifted(socket, 1, work),
    awaiting: (socket, work) => shifted(socket, -1, work),
  };
}
