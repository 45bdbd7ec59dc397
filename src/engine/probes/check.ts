/** Checks a monitor: probes it, with retries before its failure is trusted. */
import { ownFaultKey } from '../core/own-fault.ts';
import type { CheckResult, ProbeResult } from '../core/probe.ts';
import { faultResult, printable, ProbeFault, unableFault } from '../net/faults.ts';
import { isOwnAddress, isOwnServer } from '../net/own-addresses.ts';
import { type ProbedMonitor, probeMonitor } from './probe.ts';
import type { ProbeContext } from './probe-context.ts';
import { redactResult } from './probe-redact.ts';

const betweenAttemptsMs = 1000;

/**
 * Probes up to `1 + probe_retries` times, 1 s apart, each time with a deadline of its own, until the target
 * answers (healthy or degraded). The last attempt counts; no secret is left in it.
 *
 * Rejects only when `ctx.signal` is aborted, with its reason: whatever else breaks is an `unknown` result.
 */
export async function check(monitor: ProbedMonitor, ctx: ProbeContext): Promise<CheckResult> {
  const { clock, signal, redact } = ctx;
  const startedAt = clock.now();
  for (let attempts = 1; ; attempts += 1) {
    const result = await attemptSafely(monitor, ctx);
    const isAnswered = result.outcome === 'healthy' || result.outcome === 'degraded';
    if (isAnswered || attempts > monitor.probe_retries) {
      const isOwn = answersFromHere(monitor, result, ctx);
      const notified = redactResult(result, redact);
      return { startedAt, attempts, result: isOwn ? { ...notified, isOwnAddress: true } : notified };
    }
    await clock.sleep(betweenAttemptsMs, signal);
  }
}

async function attemptSafely(monitor: ProbedMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  try {
    return await probeMonitor(monitor, ctx);
  } catch (error) {
    ctx.signal.throwIfAborted();
    const detail = printable(ctx.redact(error instanceof Error ? error.message : String(error)), 200);
    const message = `the probe could not be carried out: ${detail}`;
    return faultResult(new ProbeFault(unableFault(ownFaultKey('program'), message)));
  }
}

/** Whether it was this machine that answered, so that the answer says nothing of a network. */
function answersFromHere(
  monitor: ProbedMonitor,
  { address }: ProbeResult,
  { clock, nameServers }: ProbeContext,
): boolean {
  if (monitor.kind !== 'dns' || address !== null) return isOwnAddress(address, clock);
  const servers = monitor.dns_resolver === null ? nameServers : [monitor.dns_resolver];
  return isOwnServer(servers, clock);
}
