/** Counts connections and limits their number, so that clients who only hold them open cannot lock others out. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A connection and what there is to do on it. */
export interface Connection {
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Requests that have no whole answer yet. */
  open: number;
  /** Of those, how many wait for us and not for their client. */
  working: number;
  /** Of those, how many have their answer on its way. */
  leaving: number;
  /** The request that came last: no other can be there in part. */
  latest: IncomingMessage | null;
  /** When it began to wait for its client, as a number that grows from one connection to the next. */
  waitsSince: number;
  /** When its first answer was begun, or the last one had left: by the looks of `write-timeout.ts`. */
  leavesSince: number;
  /** What comes after the last answer. */
  whenAnswered: () => void;
}

export interface Connections {
  /** Takes a new connection in; over the bound, the one that has been waited for the longest makes room. */
  readonly admit: (socket: Socket) => void;
  /** Null: it has made room, or is closed. */
  readonly of: (socket: object) => Connection | null;
  readonly all: () => Iterable<Connection>;
  /** From now on a request is not the client's to delay, and its connection makes room for nobody. */
  readonly begin: (connection: Connection) => void;
  /** As often as it was begun. */
  readonly end: (connection: Connection) => void;
}

export function createConnections(max: number): Connections {
  const known = new Map<object, Connection>();
  let waits = 0;
  return {
    admit: (socket) => {
      known.set(socket, newConnection(socket, (waits += 1)));
      socket.once('close', () => known.delete(socket));
      if (known.size <= max) return;
      const longest = longestWaiting(known.values());
      if (longest === null) return;
      known.delete(longest.socket);
      longest.socket.destroy();
    },
    of: (socket) => known.get(socket) ?? null,
    all: () => known.values(),
    begin: (connection) => {
      connection.working += 1;
    },
    end: (connection) => {
      connection.working -= 1;
      connection.waitsSince = waits += 1;
    },
  };
}

function newConnection(socket: Socket, waitsSince: number): Connection {
  const whenAnswered = () => undefined;
  return {
    socket,
    remoteAddress: socket.remoteAddress ?? '',
    open: 0,
    working: 0,
    leaving: 0,
    latest: null,
    waitsSince,
    leavesSince: 0,
    whenAnswered,
  };
}

/** All are looked at: that costs less, once there are too many, than to keep them in order with every request. */
function longestWaiting(connections: Iterable<Connection>): Connection | null {
  let longest: Connection | null = null;
  for (const connection of connections) {
    if (connection.working > 0) continue;
    if (longest === null || connection.waitsSince < longest.waitsSince) longest = connection;
  }
  return longest;
}

/**
 * Calls `work` when every request that arrived whole has its answer, at once when one did not: then it is that one
 * which cannot go on.
 */
export function afterAnswers(connection: Connection | null, work: () => void): void {
  if (connection === null || connection.open === 0 || connection.latest?.complete !== true) work();
  else connection.whenAnswered = work;
}
