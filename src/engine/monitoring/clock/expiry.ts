/** Doubts this node's clock before it believes that a certificate has expired. Instants are epoch ms. */
import type { ProbeResult } from '../../core/probe.ts';

/** What the clock says that certificates are judged by, and what monotonic time vouches for. */
export interface ClockEvidence {
  readonly wallAt: number;
  readonly vouchedAt: number;
}

/** What no clock is off by for want of trust alone: a stop, a day without a step. */
const toleratedMs = 86_400_000;

/**
 * Whether a check failed because of a certificate that is valid at the time which is vouched for: then the clock was
 * set far off, and that says nothing about the target.
 */
export function isExpiredByClockAlone(
  { outcome, reason, certificate }: ProbeResult,
  { wallAt, vouchedAt }: ClockEvidence,
): boolean {
  if (outcome !== 'failed' || reason?.category !== 'tls' || certificate === null) return false;
  if (Math.abs(wallAt - vouchedAt) <= toleratedMs) return false;
  const links = certificate.chain.length === 0 ? [certificate] : certificate.chain;
  const isValidAt = (at: number) =>
    links.every(({ validFromAt, validToAt }) => validFromAt <= at && at <= validToAt);
  return !isValidAt(wallAt) && isValidAt(vouchedAt);
}
