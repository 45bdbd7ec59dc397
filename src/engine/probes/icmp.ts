/** Probes a host with one ICMP echo request, sent by the system's `ping`. */
import { secondsText } from '../core/duration.ts';
import { isIP } from 'node:net';
import type { IcmpMonitor } from '../config/config.ts';
import { ownFaultKey, type OwnFaultKind } from '../core/own-fault.ts';
import { noTimings, type ProbeResult } from '../core/probe.ts';
import { type Deadline } from '../net/deadline.ts';
import { run } from './exec-run.ts';
import { type NetFault, faultOf, printable, ProbeFault, unableFault } from '../net/faults.ts';
import { type Echo, readPing } from './icmp-output.ts';
import { attempt } from './probe-attempt.ts';
import type { ProbeContext } from './probe-context.ts';
import { inFamilies } from './probe-families.ts';
import type { Addresses } from '../net/address.ts';
import type { ResolvedAddress } from '../net/address.ts';
import type { AddressFamily } from '../net/address.ts';
import { traced } from '../net/tracer.ts';

/** Healthy when a reply comes back; its round-trip time is the latency. A host that cannot ping is `unknown`. */
export function probeIcmp(monitor: IcmpMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  return inFamilies(monitor.dual_stack, (families) =>
    attempt(monitor, ctx, (deadline) => pingHost({ host: monitor.target, families }, ctx, deadline)),
  );
}

interface Destination {
  readonly host: string;
  readonly families: readonly AddressFamily[];
}

async function pingHost(
  { host, families }: Destination,
  ctx: ProbeContext,
  deadline: Deadline,
): Promise<ProbeResult> {
  const { clock, signal } = deadline;
  const remainingMs = () => deadline.remainingMs();
  const tracer = ctx.openTracer?.(families);
  const isName = isIP(host) === 0;
  const startedAt = clock.monotonic();
  const addresses = await traced(isName ? tracer : undefined, 'dns', () =>
    ctx.resolver.resolve(host, { signal, remainingMs, families }),
  );
  tracer?.({ kind: 'addresses', host, addresses });
  const dnsMs = isName ? clock.monotonic() - startedAt : null;
  let firstError: ProbeFault | undefined;
  for (const { address } of oneOfEach(addresses)) {
    const sentAt = clock.monotonic();
    const echo = await traced(tracer, 'ping', () => ping(address, ctx.searchPath, deadline));
    const elapsedMs = clock.monotonic() - sentAt;
    const timings = { ...noTimings, dnsMs, totalMs: (dnsMs ?? 0) + elapsedMs };
    if (echo.kind === 'reply') {
      tracer?.({ kind: 'connected', address });
      return { ...replied, latencyMs: echo.rttMs ?? elapsedMs, timings, address };
    }
    const late = deadline.missed(`${address} did not reply within ${secondsText(deadline.timeoutMs)}`);
    if (!(late instanceof ProbeFault)) throw late;
    const fault = new ProbeFault(echo.kind === 'silence' ? late.fault : faultOfEcho(echo, address), {
      address,
      timings,
    });
    tracer?.({ kind: 'unreached', address, message: fault.message });
    if (echo.kind !== 'error') throw fault;
    firstError ??= fault;
  }
  throw firstError ?? new Error('a host without an address');
}

const replied = {
  outcome: 'healthy',
  reason: null,
  answer: null,
  assertions: [],
  certificate: null,
} as const;

/** IPv4 first, the family that a host is most likely to have a route for; IPv6 is tried where it has none. */
function oneOfEach(addresses: Addresses): readonly ResolvedAddress[] {
  return ([4, 6] as const).flatMap((family) => addresses.find((address) => address.family === family) ?? []);
}

async function ping(address: string, searchPath: string, deadline: Deadline): Promise<Echo> {
  // Its own patience (`-W`, in seconds; in milliseconds on a BSD) must not be shorter than the deadline.
  const patience =
    process.platform === 'linux' ? ['-W', String(Math.ceil(deadline.remainingMs() / 1000) + 1)] : [];
  const args = ['-n', '-c', '1', ...patience, address];
  const env = { PATH: searchPath, LANG: 'C', LC_ALL: 'C' };
  const { ending, stdout, stderr, isCut } = await run({ file: 'ping', args, cwd: '/', env }, deadline);
  switch (ending.kind) {
    case 'exited':
      return readPing(ending.code, { stdout, stderr });
    case 'out_of_time':
      // A ping that floods its output is broken: that says nothing of the target.
      return isCut ? { kind: 'confusion', text: 'it printed more than 64 KiB' } : { kind: 'silence' };
    case 'killed':
      return { kind: 'confusion', text: `killed by ${ending.signal}` };
    case 'not_started':
      return ofStart(ending.code);
  }
}

/** A `ping` with a file capability that this process may not gain is refused as a whole, with EPERM. */
function ofStart(code: string): Echo {
  switch (code) {
    case 'ENOENT':
      return { kind: 'no_ping' };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'not_allowed' };
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return { kind: 'error', code };
    default:
      return { kind: 'confusion', text: code };
  }
}

function faultOfEcho(echo: Exclude<Echo, { kind: 'reply' | 'silence' }>, address: string): NetFault {
  switch (echo.kind) {
    case 'unreachable': {
      const message = `${address} is unreachable: ${printable(echo.by)} says "${printable(echo.why)}"`;
      return { outcome: 'failed', category: 'connection', message, isSilence: true };
    }
    case 'error':
      return faultOf({ code: echo.code }, address);
    case 'no_ping':
      return own(
        'ping',
        'there is no ping on this host: install it (iputils-ping on Debian, iputils on others)',
      );
    case 'not_allowed':
      return own(
        'ping_denied',
        'ping may not send on this host: give it the capability (setcap cap_net_raw+ep on its file; NET_RAW for a container) or widen the sysctl net.ipv4.ping_group_range',
      );
    case 'confusion':
      return own('ping', `ping failed on this host: ${printable(echo.text, 200)}`);
  }
}

const own = (kind: OwnFaultKind, message: string): NetFault => unableFault(ownFaultKey(kind), message);
