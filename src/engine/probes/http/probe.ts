/** Probes an HTTP target: asks once, over a connection of its own, and reports what was answered. */
import type { HttpMonitor } from '../../config/config.ts';
import type { ProbeResult, Reason } from '../../core/probe.ts';
import type { Deadline } from '../../net/deadline.ts';
import { faultOf, faultResult, ProbeFault } from '../../net/faults.ts';
import { attempt } from '../probe-attempt.ts';
import { judgeCertificate } from '../../net/judge-certificate.ts';
import type { ProbeContext } from '../probe-context.ts';
import { inFamilies } from '../probe-families.ts';
import type { AddressFamily } from '../../net/address.ts';
import type { Secured } from '../../net/tls.ts';
import { answerOf } from './answer.ts';
import { type HttpAnswered, compileAssertions, type Judgement } from './assertions.ts';
import { type HttpClient, loadHttpClient } from '../../net/http/client.ts';
import { bodyText } from '../../net/http/decode.ts';
import { follow, type Visit } from './follow.ts';
import { PhaseTimes } from '../../net/http/phase-times.ts';
import { expectsRedirect, firstRequest } from '../../net/http/request.ts';

type HttpContext = Pick<
  ProbeContext,
  'clock' | 'signal' | 'resolver' | 'trust' | 'redact' | 'version' | 'openTracer'
>;

/**
 * The latency is the time to the end of the body, or of what `max_body_kb` allows of it; the timings are sums over
 * all connections where redirects are followed or HTTP/1.1 is refused, and through a proxy they are those of the way to the proxy, with
 * the tunnel counted as connecting. The certificate is that of the target itself, not of where it redirects to.
 * A proxy that fails is a failure of the target. `dual_stack` counts without a proxy only.
 *
 * Rejects only with the reason of `ctx.signal`, when the probe is called off.
 */
export async function probeHttp(monitor: HttpMonitor, ctx: HttpContext): Promise<ProbeResult> {
  try {
    // Loaded and compiled before the clock starts: the target is not to blame for what that takes.
    const client = await loadHttpClient();
    if (new URL(monitor.target).protocol === 'https:') await ctx.trust.authorities(monitor.tls_ca_file);
    const judge = await compileAssertions(monitor);
    return await inFamilies(monitor.dual_stack && monitor.proxy === null, (families) =>
      attempt(monitor, ctx, (deadline) => ask(monitor, { ctx, client, judge, families, deadline })),
    );
  } catch (error) {
    ctx.signal.throwIfAborted();
    return faultResult(new ProbeFault(faultOf(error, new URL(monitor.target).host), { cause: error }));
  }
}

interface Asking {
  readonly ctx: HttpContext;
  readonly client: HttpClient;
  readonly judge: (answered: HttpAnswered) => Judgement;
  readonly families: readonly AddressFamily[];
  readonly deadline: Deadline;
}

async function ask(monitor: HttpMonitor, asking: Asking): Promise<ProbeResult> {
  const { ctx, judge, deadline } = asking;
  const { clock } = deadline;
  const startedAt = clock.monotonic();
  const times = new PhaseTimes();
  const tracer = ctx.openTracer?.(asking.families);
  const maxBodyBytes = monitor.max_body_kb * 1024;
  const first = firstRequest(monitor, `statusd/${ctx.version}`);
  const certificate = targetCertificate(monitor, times);
  try {
    const followsRedirects = !expectsRedirect(monitor);
    const judgeTls = certificate.judge;
    const visit = await follow(first, {
      ...asking,
      monitor,
      times,
      tracer,
      judgeTls,
      maxBodyBytes,
      followsRedirects,
    });
    const { response } = visit;
    const totalMs = clock.monotonic() - startedAt;
    const body = await bodyText(response, maxBodyBytes, deadline);
    const { redact } = ctx;
    const { assertions, reason } = judge({ head: response, body, redact });
    const verdict = verdictOf(visit, { unmet: reason, pin: certificate.pin() });
    const isHealthy = verdict.outcome === 'healthy';
    return {
      ...verdict,
      latencyMs: response.end.kind === 'broken' ? null : totalMs,
      timings: times.timings(totalMs),
      answer: isHealthy && tracer === undefined ? null : answerOf({ head: response, body, redact }),
      assertions,
      certificate: times.certificate,
      address: times.address,
    };
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error;
    return {
      ...faultResult(error),
      timings: times.timings(clock.monotonic() - startedAt),
      certificate: times.certificate,
      address: times.address,
    };
  }
}

/**
 * Judges every certificate on the way by `tls_verify`, but only the first by `cert_pin`, and only where the target
 * is https: what it redirects to has a key of its own.
 */
function targetCertificate(monitor: HttpMonitor, times: PhaseTimes) {
  let isTarget = new URL(monitor.target).protocol === 'https:';
  let pin: Reason | null = null;
  return {
    judge: (secured: Secured) => {
      const { tls_verify, cert_pin } = monitor;
      if (isTarget) times.certificate = secured.certificate;
      const reason = judgeCertificate(secured, { tls_verify, cert_pin: isTarget ? cert_pin : null });
      if (isTarget) pin = reason;
      isTarget = false;
    },
    /** Why the key is not the pinned one; null when it is. */
    pin: () => pin,
  };
}

type Verdict = Pick<ProbeResult, 'outcome' | 'reason'>;

function verdictOf(
  { request, response, refusal }: Visit,
  { unmet, pin }: { readonly unmet: Reason | null; readonly pin: Reason | null },
): Verdict {
  if (refusal !== null) {
    return {
      outcome: 'failed',
      reason: { category: 'redirect', message: `${request.url.origin} ${refusal}` },
    };
  }
  if (response.end.kind === 'broken') {
    const { outcome, category, message } = response.end.fault;
    return { outcome, reason: { category, message } };
  }
  if (unmet !== null) return { outcome: 'failed', reason: unmet };
  return pin === null ? { outcome: 'healthy', reason: null } : { outcome: 'degraded', reason: pin };
}
