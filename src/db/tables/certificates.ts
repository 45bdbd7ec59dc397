/** The certificates that monitors presented. */
import { seeCertificate, unreadableCertificate, warnedOfCertificate } from './mutations/observed.ts';
import type { SqlRow, SqlReader } from '../store/sql.ts';

export interface CertificateRow {
  readonly monitor: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validFromAt: number;
  readonly validToAt: number;
  readonly spkiSha256: string;
  readonly isTrusted: boolean;
  readonly seenAt: number;
  /** Since when the key is this one. */
  readonly changedAt: number;
  /** The expiry a warning went out for; null: none did. */
  readonly warnedForAt: number | null;
  /** Since when it cannot be read, once that was notified; null: it can. */
  readonly unreadableSinceAt: number | null;
}

export const certificates = {
  see: seeCertificate,
  warned: warnedOfCertificate,
  unreadable: unreadableCertificate,

  list: (sql: SqlReader): CertificateRow[] =>
    sql.all('SELECT * FROM certificates ORDER BY monitor', [], certificateOf),

  find: (sql: SqlReader, monitor: string): CertificateRow | null =>
    sql.get('SELECT * FROM certificates WHERE monitor = ?', [monitor], certificateOf),
};

function certificateOf(row: SqlRow): CertificateRow {
  return {
    monitor: row.text('monitor'),
    subject: row.text('subject'),
    issuer: row.text('issuer'),
    validFromAt: row.number('valid_from_at'),
    validToAt: row.number('valid_to_at'),
    spkiSha256: row.text('spki_sha256'),
    isTrusted: row.number('is_trusted') === 1,
    seenAt: row.number('seen_at'),
    changedAt: row.number('changed_at'),
    warnedForAt: row.numberOrNull('warned_for_at'),
    unreadableSinceAt: row.numberOrNull('unreadable_since_at'),
  };
}
