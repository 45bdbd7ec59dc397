/** Doubts this node's clock before it believes that a certificate has expired. Instants are epoch ms. */
import type { ProbeResult } from '../../core/probe.ts';

/** What the clock says that certificates are judged by, and what speaks for it. */
export interface ClockEvidence {
  readonly wallAt: number;
  /** What monotonic time vouches for. */
  readonly vouchedAt: number;
  /** How long the stops were, by the clock alone, that were too long to be vouched for. */
  readonly stoppedMs: number;
}

/** What no clock is off by for want of trust alone: a stop, a day without a step. */
const toleratedMs = 86_400_000;

/**
 * Whether a check failed because of a certificate that is valid at the time which is vouched for: then the clock was
 * set far off, and that says nothing about the target.
 */
function isExpiredByClockAlone(
  { outcome, reason, certificate }: ProbeResult,
  { wallAt, vouchedAt }: Omit<ClockEvidence, 'stoppedMs'>,
): boolean {
  if (outcome !== 'failed' || reason?.category !== 'tls' || certificate === null) return false;
  if (Math.abs(wallAt - vouchedAt) <= toleratedMs) return false;
  const links = certificate.chain.length === 0 ? [certificate] : certificate.chain;
  const isValidAt = (at: number) =>
    links.every(({ validFromAt, validToAt }) => validFromAt <= at && at <= validToAt);
  return !isValidAt(wallAt) && isValidAt(vouchedAt);
}

/** After a long stop the other targets are checked first: for this long no such certificate is held against one. */
const settlingMs = 300_000;

export interface ExpiryDoubtOptions {
  readonly monotonic: () => number;
  readonly evidence: () => ClockEvidence;
}

/**
 * A clock that was set far off while this node ran is at fault. One that only says that the node was stopped for long
 * mostly is right: it is at fault where several certificates have expired at once.
 */
export class ExpiryDoubt {
  private readonly options: ExpiryDoubtOptions;
  private readonly startedMs: number;
  /** The keys of the certificates that expired in a long stop, by the monitor that was shown them last. */
  private readonly expired = new Map<string, string>();

  constructor(options: ExpiryDoubtOptions) {
    this.options = options;
    this.startedMs = options.monotonic();
  }

  /** Whether the clock is at fault that a check failed; `not_yet_known`: it says nothing for now. */
  isClockAtFault(monitor: string, result: ProbeResult): boolean | 'not_yet_known' {
    const { evidence, monotonic } = this.options;
    const { wallAt, vouchedAt, stoppedMs } = evidence();
    this.expired.delete(monitor);
    if (isExpiredByClockAlone(result, { wallAt, vouchedAt: vouchedAt + stoppedMs })) return true;
    if (stoppedMs === 0 || !isExpiredByClockAlone(result, { wallAt, vouchedAt })) return false;
    this.expired.set(monitor, result.certificate?.spkiSha256 ?? '');
    if (new Set(this.expired.values()).size > 1) return true;
    return monotonic() - this.startedMs < settlingMs ? 'not_yet_known' : false;
  }

  forget(monitor: string): void {
    this.expired.delete(monitor);
  }
}
