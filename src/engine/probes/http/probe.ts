/** Probes an HTTP target: asks once, over a connection of its own, and reports what was answered. */
import type { HttpMonitor } from '../../config/config.ts';
import { credentialName } from '../../config/redact.ts';
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
import { loadHttpClient } from '../../net/http/client.ts';
import { type BodyText, bodyText } from '../../net/http/decode.ts';
import { follow, type Visit } from './follow.ts';
import { PhaseTimes } from '../../net/http/phase-times.ts';
import { isSameSite, type RedirectRules } from '../../net/http/redirect.ts';
import { firstRequest, type HttpRequest, usualHeaders } from '../../net/http/request.ts';

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
    // Loaded and compiled before the clock starts: what that takes is not the time of the target.
    const plan = plans.get(monitor) ?? (await planOf(monitor, ctx));
    if (plan.needsClient) await loadHttpClient();
    if (plan.isSecure) await ctx.trust.authorities(monitor.tls_ca_file);
    return await inFamilies(monitor.dual_stack && monitor.proxy === null, (families) =>
      attempt(monitor, ctx, (deadline) => ask(monitor, { ctx, plan, families, deadline })),
    );
  } catch (error) {
    ctx.signal.throwIfAborted();
    return faultResult(new ProbeFault(faultOf(error, new URL(monitor.target).host), { cause: error }));
  }
}

/** What is the same for every check of a monitor. */
interface Plan {
  readonly isSecure: boolean;
  /** Its request is not plain, or goes through a proxy. */
  readonly needsClient: boolean;
  readonly first: HttpRequest;
  readonly rules: RedirectRules;
  readonly judge: (answered: HttpAnswered) => Judgement;
  /** Whether it is judged by what the body says. */
  readonly readsBody: boolean;
}

const plans = new WeakMap<HttpMonitor, Plan>();

/** Rejects with a PatternError. */
async function planOf(monitor: HttpMonitor, { version }: HttpContext): Promise<Plan> {
  const { keyword, json_query: query, number_regex: number } = monitor;
  const userAgent = `statusd/${version}`;
  const first = firstRequest(monitor, userAgent);
  const plan: Plan = {
    isSecure: first.url.protocol === 'https:',
    needsClient: monitor.proxy !== null || monitor.body !== null || !['GET', 'HEAD'].includes(monitor.method),
    first,
    rules: {
      headersElsewhere: monitor.redirect_headers ? null : usualHeaders(userAgent),
      allowsPrivate: monitor.allow_private_redirects,
    },
    judge: await compileAssertions(monitor),
    readsBody: keyword !== null || query !== null || number !== null,
  };
  plans.set(monitor, plan);
  return plan;
}

interface Asking {
  readonly ctx: HttpContext;
  readonly plan: Plan;
  readonly families: readonly AddressFamily[];
  readonly deadline: Deadline;
}

async function ask(monitor: HttpMonitor, asking: Asking): Promise<ProbeResult> {
  const { ctx, plan, families, deadline } = asking;
  const { clock } = deadline;
  const startedAt = clock.monotonic();
  const times = new PhaseTimes();
  const tracer = ctx.openTracer?.(families);
  const maxBodyBytes = monitor.max_body_kb * 1024;
  const certificate = targetCertificate(monitor, times, plan);
  try {
    const judgeTls = certificate.judge;
    const visit = await follow(plan.first, {
      ctx,
      families,
      deadline,
      monitor,
      times,
      tracer,
      judgeTls,
      maxBodyBytes,
      followsRedirects: monitor.follow_redirects,
      rules: plan.rules,
    });
    const { response } = visit;
    const totalMs = clock.monotonic() - startedAt;
    const read = () => bodyText(response, maxBodyBytes, deadline);
    const { redact } = ctx;
    const seen = plan.readsBody ? await read() : null;
    const { assertions, reason } = plan.judge({ head: response, body: seen ?? unread, redact });
    const isAway = !isSameSite(plan.first.url, visit.request.url);
    const unmet = reason === null || !isAway ? reason : withWithheld(reason, monitor);
    const verdict = verdictOf(visit, { unmet, pin: certificate.pin() });
    // An answer of another origin is not what the target says to everyone; a tracer shows it to who runs the probe.
    const isKept = tracer !== undefined || (verdict.outcome !== 'healthy' && !isAway);
    return {
      latencyMs: response.end.kind === 'broken' ? null : totalMs,
      timings: times.timings(totalMs),
      answer: isKept ? answerOf({ head: response, body: seen ?? (await read()), redact }) : null,
      assertions,
      certificate: times.certificate,
      address: times.address,
      outcome: verdict.outcome,
      reason: verdict.reason,
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

/** Of a body that nobody judges by. */
const unread: BodyText = { kind: 'text', text: '', isCut: false };

/**
 * Judges every certificate on the way by `tls_verify`, but only the first by `cert_pin`, and only where the target
 * is https: what it redirects to has a key of its own.
 */
function targetCertificate(monitor: HttpMonitor, times: PhaseTimes, { isSecure }: Plan) {
  let isTarget = isSecure;
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

/** Why another origin did not answer as expected, with the headers that it was not sent. */
function withWithheld(reason: Reason, { headers, redirect_headers }: HttpMonitor): Reason {
  if (redirect_headers || Object.keys(headers).every((name) => credentialName.test(name))) return reason;
  const hint = 'another origin was not sent the headers of the monitor; redirect_headers = true sends them';
  return { ...reason, message: `${reason.message} (${hint})` };
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
