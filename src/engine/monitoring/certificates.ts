/** Watches the certificates that checks come across: warns before they expire, says when their key changed. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Certificate } from '../core/probe.ts';
import type { AlertEvent } from '../alerting/queue.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Store } from '../../db/store/store.ts';
import { type CertificateRow, certificates } from '../../db/tables/certificates.ts';
import type { NoticeSender } from './notice-sender.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface CertificatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: () => Config;
  readonly notices: NoticeSender;
}

/** What is known of the certificate of a monitor. */
interface Known {
  readonly certificate: Certificate;
  readonly seenAt: number;
  /** The expiry that was warned of. */
  readonly warnedForAt: number | null;
  /** The keys it had: servers behind one name may have one each. */
  readonly keys: readonly string[];
}

const dayMs = 86_400_000;
const rememberedKeys = 8;

export class Certificates {
  private readonly options: CertificatesOptions;
  private readonly known: Map<string, Known>;

  constructor(options: CertificatesOptions) {
    this.options = options;
    const rows = certificates.list(options.store.sql);
    this.known = new Map(rows.map((row) => [row.monitor, knownOf(row)]));
  }

  /** Writes when something changed, and once a day. */
  see({ id, monitor }: WatchedMonitor, certificate: Certificate): void {
    const { clock, config, notices } = this.options;
    const at = clock.now();
    const before = this.known.get(id) ?? null;
    const isWatched = 'check_cert' in monitor && monitor.check_cert;
    const isDue =
      before === null || !isAlike(before.certificate, certificate) || Math.abs(at - before.seenAt) >= dayMs;
    const isExpiring = certificate.validToAt - at <= config().alerts.cert_expiry_days * dayMs;
    const isWarned = !isWatched || !isExpiring || before?.warnedForAt === certificate.validToAt;
    if (!isDue && isWarned) return;
    const isNewKey = before !== null && !before.keys.includes(certificate.spkiSha256);
    const events: AlertEvent[] = [];
    const { subject, issuer, validToAt: expiresAt, spkiSha256 } = certificate;
    const about = { monitor: id, at, expiresAt, subject, issuer };
    if (isNewKey && isWatched) {
      const previousSpkiSha256 = before.certificate.spkiSha256;
      events.push({ kind: 'cert_changed', ...about, spkiSha256, previousSpkiSha256 });
    }
    if (!isWarned) events.push({ kind: 'cert_expiring', ...about });
    this.known.set(id, {
      certificate,
      seenAt: at,
      warnedForAt: isWarned ? (before?.warnedForAt ?? null) : expiresAt,
      keys: [spkiSha256, ...(before?.keys ?? []).filter((key) => key !== spkiSha256)].slice(
        0,
        rememberedKeys,
      ),
    });
    notices.send(events, operationsOf(id, { certificate, at, isWarned }));
  }
}

function operationsOf(
  monitor: string,
  seen: { readonly certificate: Certificate; readonly at: number; readonly isWarned: boolean },
): Operation[] {
  const { subject, issuer, validFromAt, validToAt, spkiSha256, isTrusted } = seen.certificate;
  const see = { monitor, subject, issuer, validFromAt, validToAt, spkiSha256, isTrusted, at: seen.at };
  return seen.isWarned
    ? [certificates.see(see)]
    : [certificates.see(see), certificates.warned({ monitor, validToAt })];
}

function knownOf({ seenAt, warnedForAt, ...row }: CertificateRow): Known {
  return { certificate: { ...row, chain: [] }, seenAt, warnedForAt, keys: [row.spkiSha256] };
}

function isAlike(a: Certificate, b: Certificate): boolean {
  return (
    a.spkiSha256 === b.spkiSha256 &&
    a.validToAt === b.validToAt &&
    a.validFromAt === b.validFromAt &&
    a.subject === b.subject &&
    a.issuer === b.issuer &&
    a.isTrusted === b.isTrusted
  );
}
