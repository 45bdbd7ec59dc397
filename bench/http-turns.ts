/** The client that measures servers: turns of requests on connections that stay open. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const connections = 8;
const requestsInTurn = 2500;

export function requestFor(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n\r\n`;
}

/** One request on a connection that stays open; resolves with the whole answer. */
export function exchange(socket: Socket, request: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let missing = Infinity;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      if (missing === Infinity) {
        const end = chunk.indexOf('\r\n\r\n');
        const head = chunk.subarray(0, end).toString('latin1');
        const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
        if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
          reject(new Error(head));
          return;
        }
        missing = end + 4 + Number(length);
      }
      missing -= chunk.length;
      if (missing > 0) return;
      socket.off('data', onData);
      resolve(Buffer.concat(chunks));
    };
    socket.on('data', onData);
    socket.write(request);
  });
}

/** How long a server has used a processor so far, which says more than the clock on a busy machine. */
export async function cpuMsOf(server: ChildProcess): Promise<number> {
  server.send('cpu');
  const [{ cpuMs }] = (await once(server, 'message')) as [{ cpuMs: number }];
  return cpuMs;
}

/** In a server that is measured: answers how long it has used a processor. */
export function printCpu(): void {
  process.on('message', (message) => {
    if (message !== 'cpu') return;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 });
  });
}

/** What node is started with for the same, where the code is not ours to change. The child needs a channel. */
export const cpuArguments = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { isMainThread } from 'node:worker_threads';
    if (isMainThread && process.send) {
      process.on('message', () => {
        const { user, system } = process.cpuUsage();
        process.send({ cpuMs: (user + system) / 1000 });
      });
      process.channel.unref();
    }
  `)}`,
] as const;

export interface Turn {
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly spansMs: readonly number[];
}

/** One turn of requests for a path. */
export async function load(server: ChildProcess, port: number, path: string): Promise<Turn> {
  const request = requestFor(path);
  const spansMs: number[] = [];
  let left = requestsInTurn;
  const cpuBeforeMs = await cpuMsOf(server);
  const startedMs = performance.now();
  const client = async () => {
    const socket = connect(port, '127.0.0.1');
    while (left > 0) {
      left -= 1;
      const sentMs = performance.now();
      await exchange(socket, request);
      spansMs.push(performance.now() - sentMs);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsedMs = performance.now() - startedMs;
  return { cpuMs: (await cpuMsOf(server)) - cpuBeforeMs, elapsedMs, spansMs };
}

/** The turns of a server put together. */
export function figuresOf(list: readonly Turn[]): Figures {
  const spansMs = list.flatMap((turn) => turn.spansMs).sort((a, b) => a - b);
  return {
    perSecond: medianOf(list.map(perSecondIn)),
    cpuUs: (list.reduce((sum, turn) => sum + turn.cpuMs, 0) * 1000) / spansMs.length,
    p99Ms: spansMs[Math.floor(spansMs.length * 0.99)] ?? Number.NaN,
  };
}

/** How many of the requests a second of `floor` there were, in the median turn: what else the machine does meets single turns. */
export function shareOf(own: readonly Turn[], floor: readonly Turn[]): number {
  return medianOf(own.map((turn, index) => perSecondIn(turn) / perSecondIn(floor[index] ?? turn)));
}

function perSecondIn({ spansMs, elapsedMs }: Turn): number {
  return (spansMs.length * 1000) / elapsedMs;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Figures {
  /** In the median turn. */
  readonly perSecond: number;
  /** Of the server's processor, a request. */
  readonly cpuUs: number;
  readonly p99Ms: number;
}
