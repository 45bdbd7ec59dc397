/** Opens a TCP connection to the first address of a host that accepts it (RFC 8305, "Happy Eyeballs"). */
import { callAfter } from '../core/clock.ts';
import { secondsText } from '../core/duration.ts';
import { connect, isIP, type Socket } from 'node:net';
import { type Deadline } from './deadline.ts';
import { type NetFault, faultOf, ProbeFault } from './faults.ts';
import type { Resolver } from './resolve.ts';
import type { Addresses, AddressFamily, Lookup, ResolvedAddress } from './address.ts';
import { traced, type ProbeTracer } from './tracer.ts';

export interface Dialling {
  /** A name or an IP literal, an IPv6 one with or without its brackets. */
  readonly host: string;
  readonly port: number;
  readonly resolver: Resolver;
  readonly deadline: Deadline;
  /** Default: both. */
  readonly families?: readonly AddressFamily[];
  readonly tracer?: ProbeTracer | undefined;
  /** Leaves of the resolved addresses those that may be connected to; throws a ProbeFault where none is left. */
  readonly screen?: AddressScreen | undefined;
}

/** Decides which addresses may be connected to. */
export type AddressScreen = (addresses: Addresses) => Addresses;

export interface Dialled {
  /** Connected, without Nagle's delay. Its errors are swallowed until the caller listens for them. */
  readonly socket: Socket;
  /** The IP address that took the connection. */
  readonly address: string;
  /** Null when `host` is an IP literal. */
  readonly dnsMs: number | null;
  /** From the first attempt to the connection that won. */
  readonly connectMs: number;
}

/** RFC 8305, section 5: the recommended head start of each address over the next. */
const staggerMs = 250;

/**
 * Rejects with a ProbeFault that names the address tried last, or with the caller's reason when called off.
 * Where several addresses fail in different ways, the fault is that of the address that says most.
 */
export async function dial(dialling: Dialling): Promise<Dialled> {
  const { host, port, resolver, deadline, families, tracer, screen } = dialling;
  const { clock } = deadline;
  const startedAt = clock.monotonic();
  const isLiteral = isIP(host) !== 0 || host.startsWith('[');
  const addresses = await traced(isLiteral ? undefined : tracer, 'dns', () =>
    resolver.resolve(host, new LookupWithin(deadline, families)),
  );
  tracer?.({ kind: 'addresses', host, addresses });
  const resolvedAt = clock.monotonic();
  const dnsMs = isLiteral ? null : resolvedAt - startedAt;
  const name = addresses.length === 1 ? undefined : `${host}:${port}`;
  const queue = interleave(screen === undefined ? addresses : screen(addresses));
  const { socket, address } = await traced(tracer, 'connect', () =>
    race({ queue, port, deadline, dnsMs, name, tracer }),
  );
  tracer?.({ kind: 'connected', address });
  return { socket, address, dnsMs, connectMs: clock.monotonic() - resolvedAt };
}

/** An IP literal is looked up without a signal, so none is made for it. */
class LookupWithin implements Lookup {
  private readonly deadline: Deadline;
  readonly families: readonly AddressFamily[] | undefined;
  readonly remainingMs = () => this.deadline.remainingMs();

  constructor(deadline: Deadline, families: readonly AddressFamily[] | undefined) {
    this.deadline = deadline;
    this.families = families;
  }

  get signal(): AbortSignal {
    return this.deadline.signal;
  }
}

/** `127.0.0.1:443`, `[::1]:443`. */
export function peerName(address: string, port: number): string {
  return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

interface Race {
  readonly queue: ResolvedAddress[];
  readonly port: number;
  readonly deadline: Deadline;
  readonly dnsMs: number | null;
  /** What to call the target when no single address stands for it. */
  readonly name: string | undefined;
  readonly tracer: ProbeTracer | undefined;
}

interface Loss {
  readonly fault: NetFault;
  readonly address: string;
  readonly rank: number;
}

function race(terms: Race): Promise<{ socket: Socket; address: string }> {
  const { queue, port, deadline, dnsMs, name, tracer } = terms;
  const { clock } = deadline;
  return new Promise((resolve, reject) => {
    const open = new Set<Socket>();
    const losses: Loss[] = [];
    let stopHeadStart = (): void => undefined;
    let last = '';

    const settle = () => {
      stopHeadStart();
      stopListening();
      for (const socket of open) socket.destroy();
    };
    const onEnd = () => {
      settle();
      const late = `no connection to ${name ?? peerName(last, port)} within ${secondsText(deadline.timeoutMs)}`;
      reject(withContext(deadline.missed(late), last));
    };
    const withContext = (error: Error, address: string) =>
      error instanceof ProbeFault
        ? new ProbeFault(heardOf(error.fault, losses), { address, timings: { dnsMs } })
        : error;

    const attempt = ({ address, family }: ResolvedAddress) => {
      last = address;
      const socket = connect({ host: address, port, noDelay: true });
      open.add(socket);
      const lose = (error: NodeJS.ErrnoException) => {
        if (!open.delete(socket)) return;
        socket.destroy();
        const fault = faultOf(error, peerName(address, port));
        tracer?.({ kind: 'unreached', address, message: fault.message });
        losses.push({ fault, address, rank: rank(error.code ?? '', fault, family) });
        if (next() || open.size > 0) return;
        settle();
        const [worst] = losses.toSorted((a, b) => a.rank - b.rank);
        if (worst) reject(withContext(new ProbeFault(worst.fault, { cause: error }), worst.address));
      };
      socket.on('error', lose);
      socket.once('connect', () => {
        if (isItself(socket, port)) {
          lose(Object.assign(new Error('self-connection'), { code: 'ECONNREFUSED' }));
          return;
        }
        if (!open.delete(socket)) return;
        settle();
        resolve({ socket, address });
      });
    };
    const next = (): boolean => {
      stopHeadStart();
      const address = queue.shift();
      if (address === undefined) return false;
      if (queue.length > 0) stopHeadStart = callAfter(clock, staggerMs, next);
      attempt(address);
      return true;
    };

    const stopListening = deadline.onOver(onEnd);
    if (deadline.isOver) onEnd();
    else next();
  });
}

/** One address of several that refused is an answer of the host, whatever the others did. */
function heardOf(fault: NetFault, losses: readonly Loss[]): NetFault {
  if (fault.isSilence !== true || losses.every((loss) => !isAnswer(loss.fault))) return fault;
  return { ...fault, isSilence: false };
}

const isAnswer = ({ outcome, isSilence }: NetFault) => outcome === 'failed' && isSilence !== true;

/** IPv6 first, then in turns (RFC 8305, section 4). */
function interleave(addresses: Addresses): ResolvedAddress[] {
  const ipv6 = addresses.filter(({ family }) => family === 6);
  const ipv4 = addresses.filter(({ family }) => family === 4);
  const queue: ResolvedAddress[] = [];
  for (let turn = 0; queue.length < addresses.length; turn += 1) {
    for (const address of [ipv6[turn], ipv4[turn]]) if (address !== undefined) queue.push(address);
  }
  return queue;
}

/** Without these this host cannot ask, whatever it saw of the other addresses. */
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** No route for one family (an IPv4-only host, say) says less than what the target did on the other. */
const unroutable = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
]);

/** The lower, the more it says. EADDRNOTAVAIL is a switched-off IPv6, but on IPv4 it is the want of a local port. */
function rank(code: string, fault: NetFault, family: AddressFamily): number {
  if (exhausted.has(code) || (code === 'EADDRNOTAVAIL' && family === 4)) return 0;
  if (!unroutable.has(code)) return 1;
  return fault.outcome === 'failed' ? 2 : 3;
}

/** TCP's simultaneous open lets a free port of this host connect to itself: nobody is listening there. */
export function isItself(socket: Socket, port: number): boolean {
  return socket.localPort === port && socket.localAddress === socket.remoteAddress;
}
