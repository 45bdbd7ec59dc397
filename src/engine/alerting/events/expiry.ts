/** Certificates and domains that expire. Instants are epoch ms. */
import { timestampText } from '../../core/instant.ts';
import type { Envelope, Moment, Named, NoticeRow } from './event.ts';
import { type EventFields, numberIn, textIn, timestampOrNull } from './stored.ts';

interface CertExpiringEvent extends Moment {
  readonly kind: 'cert_expiring';
  readonly monitor: string;
  readonly expiresAt: number;
  /** Since when it is presented again, when it was replaced before its warning was sent; default: it was not. */
  readonly againAt?: number;
  readonly subject: string | null;
  readonly issuer: string | null;
}

interface CertChangedEvent extends Moment {
  readonly kind: 'cert_changed';
  readonly monitor: string;
  readonly expiresAt: number;
  readonly subject: string | null;
  readonly issuer: string | null;
  readonly spkiSha256: string;
  readonly previousSpkiSha256: string | null;
}

/** Its certificate was read before and cannot be now, though it answers: its expiry would go unnoticed. */
interface CertUnreadableEvent extends Moment {
  readonly kind: 'cert_unreadable';
  readonly monitor: string;
  /** The first of the checks that found none. */
  readonly sinceAt: number;
  /** Of the certificate that was read last. */
  readonly lastExpiresAt: number;
  readonly reason: string;
}

interface DomainExpiringEvent extends Moment {
  readonly kind: 'domain_expiring';
  readonly monitor: string;
  readonly domain: string;
  readonly expiresAt: number;
}

export interface CertExpiring extends Envelope {
  readonly event: 'cert_expiring';
  readonly monitor: Named;
  readonly expiresAt: number;
  /** Whole days; 0 is today, negative is over. */
  readonly daysLeft: number;
  readonly subject: string | null;
  readonly issuer: string | null;
}

/** The key behind the certificate is another one. */
export interface CertChanged extends Envelope {
  readonly event: 'cert_changed';
  readonly monitor: Named;
  readonly expiresAt: number;
  readonly subject: string | null;
  readonly issuer: string | null;
  /** Lower-case hex of the SHA-256 of the public key. */
  readonly spkiSha256: string;
  readonly previousSpkiSha256: string | null;
}

/** The expiry of the certificate can no longer be watched. */
export interface CertUnreadable extends Envelope {
  readonly event: 'cert_unreadable';
  readonly monitor: Named;
  /** The first check that found no certificate it can read. */
  readonly sinceAt: number;
  /** Until when the one that was read last is valid; null: not known. */
  readonly lastExpiresAt: number | null;
  readonly reason: string | null;
}

export interface DomainExpiring extends Envelope {
  readonly event: 'domain_expiring';
  readonly monitor: Named;
  readonly domain: string;
  readonly expiresAt: number;
  readonly daysLeft: number;
}

const warning = {
  subject: 'monitor',
  severity: 'warning',
  isMutable: true,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
} as const;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const daysUntil = (expiresAt: number, nowAt: number) => Math.floor((expiresAt - nowAt) / dayMs);

/** `over`: what ends later now has taken the place of what was warned of. */
const whenRenewed = (nowEndsAt: number | null, fields: EventFields) =>
  nowEndsAt !== null && nowEndsAt > (numberIn(fields, 'expiresAt') ?? Infinity) ? 'over' : null;

const holderOf = (fields: EventFields) => ({
  subject: textIn(fields, 'subject'),
  issuer: textIn(fields, 'issuer'),
});

const certExpiring: NoticeRow<CertExpiring, CertExpiringEvent> = {
  ...warning,
  event: 'cert_expiring',
  raisedBy: ['cert_expiring'],
  keyOf: ({ monitor, expiresAt, againAt }) => {
    const key = `${monitor}.cert_expiring.${expiresAt}`;
    // At most once an hour, while two take turns.
    return againAt === undefined ? key : `${key}.${Math.floor(againAt / hourMs)}`;
  },
  suppressedBy: (fields, { certExpiresAt }) => whenRenewed(certExpiresAt(), fields),
  read: ({ fields, about, nowAt }) => {
    const expiresAt = numberIn(fields, 'expiresAt');
    if (expiresAt === null) return null;
    const daysLeft = daysUntil(expiresAt, nowAt);
    return { monitor: about, expiresAt, daysLeft, ...holderOf(fields) };
  },
  webhook: ({ daysLeft, expiresAt }) => ({ days_left: daysLeft, expires_at: timestampText(expiresAt) }),
};

const certChanged: NoticeRow<CertChanged, CertChangedEvent> = {
  ...warning,
  event: 'cert_changed',
  raisedBy: ['cert_changed'],
  keyOf: ({ monitor, at }) => `${monitor}.cert_changed.${at}`,
  read: ({ fields, about }) => {
    const expiresAt = numberIn(fields, 'expiresAt');
    if (expiresAt === null) return null;
    return {
      monitor: about,
      expiresAt,
      ...holderOf(fields),
      spkiSha256: textIn(fields, 'spkiSha256') ?? '',
      previousSpkiSha256: textIn(fields, 'previousSpkiSha256'),
    };
  },
  webhook: ({ expiresAt, spkiSha256, previousSpkiSha256 }) => ({
    expires_at: timestampText(expiresAt),
    spki_sha256: spkiSha256,
    previous_spki_sha256: previousSpkiSha256,
  }),
};

const certUnreadable: NoticeRow<CertUnreadable, CertUnreadableEvent> = {
  ...warning,
  event: 'cert_unreadable',
  outlastsQuietHours: true,
  raisedBy: ['cert_unreadable'],
  keyOf: ({ monitor, sinceAt }) => `${monitor}.cert_unreadable.${sinceAt}`,
  /** It was read again. */
  suppressedBy: (fields, { unreadableSince }) =>
    unreadableSince() === numberIn(fields, 'sinceAt') ? null : 'over',
  read: ({ fields, about, at }) => ({
    monitor: about,
    sinceAt: numberIn(fields, 'sinceAt') ?? at,
    lastExpiresAt: numberIn(fields, 'lastExpiresAt'),
    reason: textIn(fields, 'reason'),
  }),
  webhook: ({ reason, sinceAt, lastExpiresAt }) => ({
    reason,
    since: timestampText(sinceAt),
    last_seen_expires_at: timestampOrNull(lastExpiresAt),
  }),
};

const domainExpiring: NoticeRow<DomainExpiring, DomainExpiringEvent> = {
  ...warning,
  event: 'domain_expiring',
  raisedBy: ['domain_expiring'],
  keyOf: ({ monitor, expiresAt }) => `${monitor}.domain_expiring.${expiresAt}`,
  suppressedBy: (fields, { domainExpiresAt }) => whenRenewed(domainExpiresAt(), fields),
  read: ({ fields, about, nowAt }) => {
    const expiresAt = numberIn(fields, 'expiresAt');
    if (expiresAt === null) return null;
    const daysLeft = daysUntil(expiresAt, nowAt);
    return {
      monitor: about,
      expiresAt,
      daysLeft,
      domain: textIn(fields, 'domain') ?? '',
    };
  },
  webhook: ({ domain, daysLeft, expiresAt }) => ({
    domain,
    days_left: daysLeft,
    expires_at: timestampText(expiresAt),
  }),
};

export const expiries = [certExpiring, certChanged, certUnreadable, domainExpiring] as const;
