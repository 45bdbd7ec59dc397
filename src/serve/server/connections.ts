/** Limits the number of connections, so that clients who only hold them open cannot lock others out. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey, socketAddress } from '../client/address.ts';

/** An address, or an IPv6 /64, that connections come from. */
interface Origin {
  readonly key: string;
  open: number;
  /** How many of the open ones wait for their client. */
  waiting: number;
}

/** A connection and what there is to do on it. */
export interface Connection {
  readonly socket: Socket;
  readonly remoteAddress: string;
  readonly origin: Origin;
  /** A request on it had a right token. */
  hasProof: boolean;
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
  /**
   * Takes a new connection in; over the bound, one that waits makes room: of the address with most of those, one without
   * a right token before others, then the one that has been waited for the longest.
   */
  readonly admit: (socket: Socket) => void;
  /** Null: it has made room, or is closed. */
  readonly of: (socket: object) => Connection | null;
  readonly all: () => Iterable<Connection>;
  /** From now on a request is not the client's to delay, and its connection makes room for nobody. */
  readonly begin: (connection: Connection) => void;
  /** As often as it was begun. */
  readonly end: (connection: Connection) => void;
  /** A right token came on it: it makes room after others of its address, and that address after others with as many. */
  readonly prove: (connection: Connection) => void;
}

/** So many addresses that a right token came from are remembered. */
const maxProven = 4096;

export function createConnections(max: number): Connections {
  const known = new Map<object, Connection>();
  const origins = new Map<string, Origin>();
  const proven = new Set<string>();
  let waits = 0;
  const originOf = (remoteAddress: string): Origin => {
    const key = clientKey(socketAddress(remoteAddress));
    const origin = origins.get(key) ?? { key, open: 0, waiting: 0 };
    origins.set(key, origin);
    return origin;
  };
  const forget = (connection: Connection) => {
    if (!known.delete(connection.socket)) return;
    const { origin, working } = connection;
    origin.open -= 1;
    if (working === 0) origin.waiting -= 1;
    if (origin.open === 0) origins.delete(origin.key);
  };
  return {
    admit: (socket) => {
      const origin = originOf(socket.remoteAddress ?? '');
      const connection = newConnection(socket, origin, (waits += 1));
      known.set(socket, connection);
      origin.open += 1;
      origin.waiting += 1;
      socket.once('close', () => {
        forget(connection);
      });
      if (known.size <= max) return;
      const first = firstToGo(known.values(), proven);
      if (first === null) return;
      forget(first);
      first.socket.destroy();
    },
    of: (socket) => known.get(socket) ?? null,
    all: () => known.values(),
    begin: (connection) => {
      if (connection.working === 0 && known.has(connection.socket)) connection.origin.waiting -= 1;
      connection.working += 1;
    },
    end: (connection) => {
      connection.working -= 1;
      if (connection.working === 0 && known.has(connection.socket)) connection.origin.waiting += 1;
      connection.waitsSince = waits += 1;
    },
    prove: (connection) => {
      if (connection.hasProof) return;
      connection.hasProof = true;
      proven.add(connection.origin.key);
      if (proven.size <= maxProven) return;
      for (const oldest of proven) {
        proven.delete(oldest);
        break;
      }
    },
  };
}

function newConnection(socket: Socket, origin: Origin, waitsSince: number): Connection {
  const whenAnswered = () => undefined;
  return {
    socket,
    remoteAddress: socket.remoteAddress ?? '',
    origin,
    hasProof: false,
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
function firstToGo(connections: Iterable<Connection>, proven: ReadonlySet<string>): Connection | null {
  let first: Connection | null = null;
  let most = 0;
  for (const connection of connections) {
    if (connection.working > 0) continue;
    const { origin } = connection;
    // An address that a right token came from keeps a place beside the connections of any number of others.
    const weight = origin.waiting - (proven.has(origin.key) ? 1 : 0);
    if (first === null || weight > most || (weight === most && goesBefore(connection, first))) {
      first = connection;
      most = weight;
    }
  }
  return first;
}

/** For connections of addresses with as many: without a right token, then with no request on it, then by its wait. */
function goesBefore(one: Connection, other: Connection): boolean {
  if (one.hasProof !== other.hasProof) return other.hasProof;
  if (one.hasProof && one.open > 0 !== other.open > 0) return other.open > 0;
  return one.waitsSince < other.waitsSince;
}

/**
 * Calls `work` when every request that arrived whole has its answer, at once when one did not: then it is that one
 * which cannot go on.
 */
export function afterAnswers(connection: Connection | null, work: () => void): void {
  if (connection === null || connection.open === 0 || connection.latest?.complete !== true) work();
  else connection.whenAnswered = work;
}
