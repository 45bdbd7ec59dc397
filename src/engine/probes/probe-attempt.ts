/** One attempt at a monitor: under its deadline, ending in a result. */
import type { Monitor } from '../config/config.ts';
import type { ProbeResult } from '../core/probe.ts';
import { type Deadline, withDeadline } from '../net/deadline.ts';
import { faultResult, ProbeFault } from '../net/faults.ts';
import type { ProbeContext } from './probe-context.ts';

/** A fault becomes a result. Rejects with the reason of `ctx.signal` when the probe is called off. */
export async function attempt(
  { timeout_secs }: Pick<Monitor, 'timeout_secs'>,
  { clock, signal }: Pick<ProbeContext, 'clock' | 'signal'>,
  work: (deadline: Deadline) => Promise<ProbeResult>,
): Promise<ProbeResult> {
  try {
    return await withDeadline({ clock, signal, timeoutMs: timeout_secs * 1000 }, work);
  } catch (error) {
    if (error instanceof ProbeFault) return faultResult(error);
    throw error;
  }
}
