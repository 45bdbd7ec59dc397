/**
 * Watches the certificates seen by checks: warns before they expire, when the key changes, and when none can be read.
 */
import type { Config, Monitor } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { aText, readList } from '../core/decode.ts';
import type { Certificate, ProbeResult } from '../core/probe.ts';
import type { AlertEvent } from '../alerting/events/catalogue.ts';
import { fieldsOf, numberIn } from '../alerting/events/stored.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Store } from '../../db/store/store.ts';
import { type CertificateRow, certificates } from '../../db/tables/certificates.ts';
import { meta } from '../../db/tables/meta.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { NoticeSender } from './notice-sender.ts';
import type { Rename } from './renames.ts';
import type { WatchedMonitor } from './watched-monitor.ts';

export interface CertificatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: () => Config;
  readonly notices: NoticeSender;
}

/** What is known of the certificate of a monitor. */
interface KnownCertificate {
  readonly certificate: Certificate;
  readonly seenAt: number;
  /** The expiry that was warned of. */
  readonly warnedForAt: number | null;
  /** The keys it had: servers behind one name may have one each. */
  readonly keys: readonly string[];
  /** Since when it cannot be read, once that was notified. */
  readonly unreadableSinceAt: number | null;
}

/** The checks that were answered, and found no certificate that can be read, since the last one that did. */
interface Missed {
  readonly sinceAt: number;
  readonly checks: number;
}

const dayMs = 86_400_000;
const rememberedKeys = 8;

/** How many in a row are no accident. */
const missedChecks = 3;

export class Certificates {
  private readonly options: CertificatesOptions;
  private readonly known: Map<string, KnownCertificate>;
  private readonly missed = new Map<string, Missed>();

  constructor(options: CertificatesOptions) {
    this.options = options;
    const { sql } = options.store;
    const kept = meta.certificateKeys.read(sql);
    const rows = certificates.list(sql);
    this.known = new Map(rows.map((row) => [row.monitor, knownOf(row, readList(kept(row.monitor), aText))]));
  }

  /** A monitor has another id, in the store already. */
  rename({ from, to }: Rename): void {
    const moved = this.known.get(from);
    const replaced = this.known.get(to);
    const missed = this.missed.get(from);
    for (const each of [this.known, this.missed]) for (const id of [from, to]) each.delete(id);
    if (moved !== undefined) this.known.set(to, moved);
    if (missed !== undefined) this.missed.set(to, missed);
    const isKept = hasSeveral(moved);
    const operations = [
      ...(isKept || hasSeveral(replaced) ? [meta.certificateKeys.set(to, isKept ? moved.keys : null)] : []),
      ...(isKept ? [meta.certificateKeys.set(from, null)] : []),
    ];
    this.options.notices.send([], operations);
  }

  /** A check came back. One that failed, or could not be made, says nothing of the certificate that it did not see. */
  look(watchedMonitor: WatchedMonitor, { certificate, outcome }: ProbeResult): void {
    if (certificate !== null) this.see(watchedMonitor, certificate);
    else if (outcome === 'healthy' || outcome === 'degraded') this.miss(watchedMonitor);
  }

  /** Notifies once, at the third in a row. */
  private miss({ id, monitor }: WatchedMonitor): void {
    const { clock, notices } = this.options;
    const before = this.known.get(id);
    if (before === undefined || before.unreadableSinceAt !== null || !isWatched(monitor)) return;
    if (!presentsCertificate(monitor)) return;
    const at = clock.now();
    const { sinceAt, checks } = this.missed.get(id) ?? { sinceAt: at, checks: 0 };
    this.missed.set(id, { sinceAt, checks: checks + 1 });
    if (checks + 1 < missedChecks) return;
    this.missed.delete(id);
    this.known.set(id, { ...before, unreadableSinceAt: sinceAt });
    const reason = `the target answered ${missedChecks} checks in a row without a certificate that can be read`;
    const lastExpiresAt = before.certificate.validToAt;
    notices.send(
      [{ kind: 'cert_unreadable', monitor: id, at, sinceAt, lastExpiresAt, reason }],
      [certificates.unreadable({ monitor: id, sinceAt })],
    );
  }

  /** Writes when something changed, and once a day. */
  private see({ id, monitor }: WatchedMonitor, certificate: Certificate): void {
    this.missed.delete(id);
    const { clock, config, notices } = this.options;
    const at = clock.now();
    const before = this.known.get(id) ?? null;
    const isNotified = isWatched(monitor);
    const isDue =
      before === null ||
      before.unreadableSinceAt !== null ||
      !isAlike(before.certificate, certificate) ||
      Math.abs(at - before.seenAt) >= dayMs;
    const isExpiring = certificate.validToAt - at <= config().alerts.cert_expiry_days * dayMs;
    const isWarned = !isNotified || !isExpiring || before?.warnedForAt === certificate.validToAt;
    if (!isDue && isWarned) return;
    const isBack = before !== null && before.certificate.validToAt !== certificate.validToAt;
    const isAgain = isBack && isNotified && isExpiring && this.isUnsent(id, certificate.validToAt);
    const isNewKey = before !== null && !before.keys.includes(certificate.spkiSha256);
    const events: AlertEvent[] = [];
    const { subject, issuer, validToAt: expiresAt, spkiSha256 } = certificate;
    const about = { monitor: id, at, expiresAt, subject, issuer };
    if (isNewKey && isNotified) {
      const previousSpkiSha256 = before.certificate.spkiSha256;
      events.push({ kind: 'cert_changed', ...about, spkiSha256, previousSpkiSha256 });
    }
    if (isAgain) events.push({ kind: 'cert_expiring', ...about, againAt: at });
    else if (!isWarned) events.push({ kind: 'cert_expiring', ...about });
    const warnedForAt = isWarned ? (before?.warnedForAt ?? null) : expiresAt;
    const keys = keysWith(spkiSha256, before?.keys ?? []);
    this.known.set(id, { certificate, seenAt: at, warnedForAt, keys, unreadableSinceAt: null });
    const kept = isNewKey ? [meta.certificateKeys.set(id, keys)] : [];
    notices.send(events, [...operationsOf(id, { certificate, at, isWarned }), ...kept]);
  }

  /** Whether all warnings of this expiry were dropped, because another certificate was presented when they were due. */
  private isUnsent(id: string, expiresAt: number): boolean {
    const warnings = outbox
      .ofMonitor(this.options.store.sql, id, 'cert_expiring')
      .filter(({ payload }) => numberIn(fieldsOf(payload), 'expiresAt') === expiresAt);
    return warnings.length > 0 && warnings.every(({ state }) => state === 'dropped');
  }
}

/** Whether its operator wants to know of its certificate. */
function isWatched(monitor: Monitor): boolean {
  return 'check_cert' in monitor && monitor.check_cert;
}

/** Whether a check of it that succeeds has seen a certificate: the target itself is asked for TLS. */
function presentsCertificate(monitor: Monitor): boolean {
  if (monitor.kind === 'http') return new URL(monitor.target).protocol === 'https:';
  return monitor.kind === 'tcp' && monitor.starttls !== null;
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

function knownOf(
  { seenAt, warnedForAt, unreadableSinceAt, ...row }: CertificateRow,
  keys: readonly string[],
): KnownCertificate {
  const certificate = { ...row, chain: [] };
  return { certificate, seenAt, warnedForAt, keys: keysWith(row.spkiSha256, keys), unreadableSinceAt };
}

/** The last one first. */
function keysWith(key: string, before: readonly string[]): readonly string[] {
  return [key, ...before.filter((other) => other !== key)].slice(0, rememberedKeys);
}

/** One key alone is in the row of the certificate. */
const hasSeveral = (known: KnownCertificate | undefined): known is KnownCertificate =>
  known !== undefined && known.keys.length > 1;

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
