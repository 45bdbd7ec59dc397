/** Clients of an HTTP server that only hold its connections. */
import { connect, type Socket } from 'node:net';

/**
 * Says nothing; says a header, or a body, a byte a second; asks for much and reads nothing; asks on and on at once.
 */
export const slownesses = ['idle', 'headers', 'body', 'deaf', 'greedy'] as const;

export type Slowness = (typeof slownesses)[number];

export interface CrowdPlan {
  readonly port: number;
  /** A path that is long to read, and one that takes a body from anybody. */
  readonly longPath: string;
  readonly bodyPath: string;
  readonly counts: Readonly<Record<Slowness, number>>;
  /** How many of those that were sent away come back in a second. */
  readonly returnsASecond: number;
}

export interface Crowd {
  /** How many connections are open, as the clients see it. */
  readonly open: () => number;
  /** How often the server ended a connection. */
  readonly ended: () => number;
  /** The longest time that a connection lasted until the server ended it, in ms; null: none was ended. */
  readonly longest: (slowness: Slowness) => number | null;
  readonly disperse: () => void;
}

const tickMs = 100;

/** Clients come as fast as they come back, or all at once when they do not. */
export function gatherCrowd(plan: CrowdPlan): Crowd {
  const { counts, returnsASecond } = plan;
  const waiting = slownesses.flatMap((slowness) => Array<Slowness>(counts[slowness]).fill(slowness));
  const open = new Map<Socket, Slowness>();
  const longest = new Map<Slowness, number>();
  let ended = 0;
  let ticks = 0;
  const come = (slowness: Slowness) => {
    const socket = connect({ port: plan.port, host: '127.0.0.1' });
    const comesAt = performance.now();
    open.set(socket, slowness);
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      begin(socket, slowness, plan);
    });
    socket.once('close', () => {
      if (!open.delete(socket)) return;
      ended += 1;
      longest.set(slowness, Math.max(longest.get(slowness) ?? 0, performance.now() - comesAt));
      if (returnsASecond > 0) waiting.push(slowness);
    });
  };
  const atOnce = returnsASecond === 0 ? waiting.length : (returnsASecond * tickMs) / 1000;
  const timer = setInterval(() => {
    for (const slowness of waiting.splice(0, atOnce)) come(slowness);
    ticks += 1;
    if (ticks % (1000 / tickMs) !== 0) return;
    // Who reads nothing notices only by writing that it was sent away.
    for (const [socket, slowness] of open) if (slowness !== 'idle' && socket.writable) socket.write('b');
  }, tickMs);
  return {
    open: () => open.size,
    ended: () => ended,
    longest: (slowness) => longest.get(slowness) ?? null,
    disperse: () => {
      clearInterval(timer);
      const sockets = [...open.keys()];
      open.clear();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** How many requests follow each other without an answer being read: what is allowed, and what is not. */
const pipelined = { deaf: 16, greedy: 2000 };

function begin(socket: Socket, slowness: Slowness, { longPath, bodyPath }: CrowdPlan): void {
  switch (slowness) {
    case 'idle':
      socket.resume();
      return;
    case 'headers':
      socket.resume();
      socket.write(`GET ${longPath} HTTP/1.1\r\nHost: slow\r\nX-Slow: `);
      return;
    case 'body':
      socket.resume();
      socket.write(`POST ${bodyPath} HTTP/1.1\r\nHost: slow\r\nContent-Length: 60000\r\n\r\n`);
      return;
    case 'deaf':
    case 'greedy':
      socket.pause();
      socket.write(`GET ${longPath} HTTP/1.1\r\nHost: slow\r\n\r\n`.repeat(pipelined[slowness]));
  }
}
