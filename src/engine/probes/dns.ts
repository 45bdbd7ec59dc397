/** Probes a name of the DNS: do its name servers give the records that are expected? */
import { secondsText } from '../core/duration.ts';
import { promises } from 'node:dns';
import { isIP, isIPv4 } from 'node:net';
import type { DnsMonitor } from '../config/config.ts';
import { parseHostPort } from '../config/types/address.ts';
import { noTimings, type ProbeResult } from '../core/probe.ts';
import { type Deadline } from '../net/deadline.ts';
import { type DnsQuestion, faultOfDns, noAnswer, serverName } from '../net/dns-faults.ts';
import { areSame, askRecords, reverseName } from '../net/dns-records.ts';
import { peerName } from '../net/dial.ts';
import { printable, ProbeFault } from '../net/faults.ts';
import { answerBody } from './probe-answer.ts';
import { attempt } from './probe-attempt.ts';
import type { ProbeContext } from './probe-context.ts';
import { traced } from '../net/tracer.ts';

/**
 * Asks `dns_resolver`, or the name servers of this host, for one type of record. The outcome is `unknown`
 * when the name servers of this host do not answer; when `dns_resolver` does not, it has failed.
 */
export function probeDns(monitor: DnsMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  return attempt(monitor, ctx, async (deadline) => {
    const { clock, signal } = deadline;
    const { target, dns_record: type, dns_resolver: server } = monitor;
    const name = type === 'PTR' && isIPv4(target) ? reverseName(target) : target;
    const dnsQuestion: DnsQuestion = {
      name,
      type,
      server,
      addresses: await addressesOf(server, ctx, deadline),
    };

    const resolver = createDnsResolver(dnsQuestion, ctx, deadline);
    const cancel = () => {
      resolver.cancel();
    };
    signal.addEventListener('abort', cancel, { once: true });
    const startedAt = clock.monotonic();
    try {
      const late = () => noAnswer(dnsQuestion, deadline);
      const records = await traced(ctx.openTracer?.([]), 'query', () =>
        deadline.bound(askRecords(resolver, name, type), late),
      );
      return judge(monitor, {
        asked: dnsQuestion,
        records,
        tookMs: clock.monotonic() - startedAt,
        redact: ctx.redact,
      });
    } catch (error) {
      if (signal.aborted || error instanceof ProbeFault) throw error;
      const spent = secondsText(Math.round(clock.monotonic() - startedAt));
      throw await deadline.bound(faultOfDns(dnsQuestion, error, spent), () =>
        noAnswer(dnsQuestion, deadline),
      );
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  });
}

/** Where a name server answers, once its own name is looked up. A name without an address is a fault of the server. */
async function addressesOf(
  server: string | null,
  ctx: ProbeContext,
  deadline: Deadline,
): Promise<DnsQuestion['addresses']> {
  const parsed = server === null ? null : parseHostPort(server);
  if (server === null || parsed === null) return null;
  const { host, port } = parsed;
  if (isIP(host) !== 0) return [server];
  const { signal } = deadline;
  const remainingMs = () => deadline.remainingMs();
  try {
    const found = await traced(ctx.openTracer?.([]), 'dns', () =>
      ctx.resolver.resolve(host, { signal, remainingMs }),
    );
    return found.map(({ address }) => peerName(address, port));
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error;
    const message = `the name server ${server} cannot be looked up: ${error.fault.message}`;
    throw new ProbeFault({ ...error.fault, message }, { ...error.context, cause: error });
  }
}

const tries = 2;

/** c-ares doubles the wait from one round over the servers to the next: all rounds fit in the time there is. */
function createDnsResolver(
  { addresses }: DnsQuestion,
  ctx: ProbeContext,
  deadline: Deadline,
): promises.Resolver {
  const servers = addresses ?? ctx.nameServers;
  const count = servers?.length ?? new promises.Resolver().getServers().length;
  const timeout = Math.max(
    50,
    Math.floor((deadline.remainingMs() * 0.9) / (2 ** tries - 1) / Math.max(1, count)),
  );
  const resolver = new promises.Resolver({ timeout, tries });
  if (servers !== null) resolver.setServers(servers);
  return resolver;
}

/** The address behind the name of the server that was asked; null where the setting or this host says it. */
function addressOf({ server, addresses }: DnsQuestion): string | null {
  const [first] = addresses ?? [];
  return first === undefined || first === server ? null : (parseHostPort(first)?.host ?? null);
}

interface DnsObservation {
  readonly asked: DnsQuestion;
  readonly records: readonly string[];
  readonly tookMs: number;
  readonly redact: (text: string) => string;
}

function judge(monitor: DnsMonitor, { asked, records, tookMs, redact }: DnsObservation): ProbeResult {
  const { name, type } = asked;
  const expected = monitor.dns_expected;
  const isMet = expected === null || areSame(type, expected, records);
  const listed = (list: readonly string[]) => printable(redact(list.join(', ')), 500);
  const actual = listed(records);
  const mismatch = `the ${type} records of ${name} are ${actual}, not ${listed(expected ?? [])}`;
  return {
    outcome: isMet ? 'healthy' : 'failed',
    reason: isMet ? null : { category: 'content', message: mismatch },
    latencyMs: tookMs,
    timings: { ...noTimings, dnsMs: tookMs, totalMs: tookMs },
    answer: {
      statusLine: `NOERROR ${name} ${type}`,
      headers: [['server', serverName(asked)]],
      body: answerBody(records, { redact }),
    },
    assertions: expected === null ? [] : [{ key: 'dns_expected', isMet, expected: listed(expected), actual }],
    certificate: null,
    address: addressOf(asked),
  };
}
