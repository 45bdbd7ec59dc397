/** Suspects this node's clock before it reports a certificate as expired. Instants are epoch ms. */
import type { Certificate, CertificateLink, ProbeResult } from '../../core/probe.ts';
import type { WatchedMonitor } from '../watched-monitor.ts';

/** The time by which certificates are judged, and the evidence for it. */
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
  const links = linksOf(certificate);
  const isValidAt = (at: number) =>
    links.every(({ validFromAt, validToAt }) => validFromAt <= at && at <= validToAt);
  return !isValidAt(wallAt) && isValidAt(vouchedAt);
}

function linksOf(certificate: Certificate): readonly CertificateLink[] {
  return certificate.chain.length === 0 ? [certificate] : certificate.chain;
}

/** After a long stop the other targets are checked first: for this long no such certificate is held against one, or the clock. */
const settlingMs = 300_000;

export interface ExpirySuspicionOptions {
  readonly monotonic: () => number;
  readonly evidence: () => ClockEvidence;
}

/** A certificate that expired in a long stop, and the host that showed it. */
interface Expired {
  readonly host: string;
  readonly key: string;
}

/**
 * A clock that was set far off while this node ran is at fault. One that only says that the node was stopped for long
 * mostly is right: it is at fault where certificates of several hosts have expired at once. Those of one host may have been
 * issued together. Whatever the clock says, it is no earlier than the day on which a certificate was issued that is trusted.
 */
export class ExpirySuspicion {
  private readonly options: ExpirySuspicionOptions;
  private readonly startedMs: number;
  /** What expired in a long stop, by the monitor that was shown it last. */
  private readonly expired = new Map<string, Expired>();
  /** When the latest of the trusted certificates that were seen was issued. */
  private issuedAt = -Infinity;

  constructor(options: ExpirySuspicionOptions) {
    this.options = options;
    this.startedMs = options.monotonic();
  }

  /** Whether the clock is at fault that a check failed; `not_yet_known`: it says nothing for now. */
  isClockAtFault(
    { id, host }: Pick<WatchedMonitor, 'id' | 'host'>,
    result: ProbeResult,
  ): boolean | 'not_yet_known' {
    const { evidence, monotonic } = this.options;
    const { certificate } = result;
    this.expired.delete(id);
    if (certificate === null) return false;
    if (result.outcome !== 'failed' && certificate.isTrusted)
      this.issuedAt = Math.max(this.issuedAt, certificate.validFromAt);
    if (linksOf(certificate).some(({ validToAt }) => validToAt < this.issuedAt)) return false;
    const { wallAt, vouchedAt, stoppedMs } = evidence();
    if (isExpiredByClockAlone(result, { wallAt, vouchedAt: vouchedAt + stoppedMs })) return true;
    if (stoppedMs === 0 || !isExpiredByClockAlone(result, { wallAt, vouchedAt })) return false;
    this.expired.set(id, { host: host ?? id, key: certificate.spkiSha256 });
    if (monotonic() - this.startedMs < settlingMs) return 'not_yet_known';
    return areOfSeveralHosts(this.expired.values());
  }

  forget(monitor: string): void {
    this.expired.delete(monitor);
  }
}

/** Whether two of these have neither the host nor the key in common. */
function areOfSeveralHosts(all: Iterable<Expired>): boolean {
  // One host mostly shows one key to any number of monitors.
  const expired = [...new Map([...all].map((one) => [`${one.host} ${one.key}`, one])).values()];
  return expired.some((one) => expired.some(({ host, key }) => host !== one.host && key !== one.key));
}
