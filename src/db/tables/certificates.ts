/** The certificates that monitors presented. */
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { flag, instant, monitorId, sentence, text } from './fields.ts';
import { declareWrite } from './write.ts';

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

/** A monitor presented this certificate. Answers whether its key is another one than before. */
export const seeCertificate = declareWrite(
  'certificate.see',
  {
    monitor: monitorId,
    subject: sentence,
    issuer: sentence,
    validFromAt: instant,
    validToAt: instant,
    spkiSha256: text(64),
    isTrusted: flag,
    at: instant,
  },
  (sql, certificate) => {
    const before = sql.get(
      'SELECT spki_sha256 FROM certificates WHERE monitor = ?',
      [certificate.monitor],
      (row) => row.text('spki_sha256'),
    );
    sql.run(
      `INSERT INTO certificates
         (monitor, subject, issuer, valid_from_at, valid_to_at, spki_sha256, is_trusted, seen_at, changed_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
       ON CONFLICT (monitor) DO UPDATE SET
         subject = ?2, issuer = ?3, valid_from_at = ?4, valid_to_at = ?5, is_trusted = ?7, seen_at = ?8,
         unreadable_since_at = NULL,
         changed_at = CASE WHEN spki_sha256 = ?6 THEN changed_at ELSE ?8 END, spki_sha256 = ?6`,
      certificate.monitor,
      certificate.subject,
      certificate.issuer,
      certificate.validFromAt,
      certificate.validToAt,
      certificate.spkiSha256,
      certificate.isTrusted ? 1 : 0,
      certificate.at,
    );
    return before !== null && before !== certificate.spkiSha256;
  },
);

/** A warning about this expiry went out: the next one is due for another expiry only. */
export const warnedOfCertificate = declareWrite(
  'certificate.warned',
  { monitor: monitorId, validToAt: instant },
  (sql, { monitor, validToAt }) =>
    sql.run('UPDATE certificates SET warned_for_at = ? WHERE monitor = ?', validToAt, monitor) > 0,
);

/** It was notified that the certificate cannot be read since then: it is again only after it was seen. */
export const unreadableCertificate = declareWrite(
  'certificate.unreadable',
  { monitor: monitorId, sinceAt: instant },
  (sql, { monitor, sinceAt }) =>
    sql.run('UPDATE certificates SET unreadable_since_at = ? WHERE monitor = ?', sinceAt, monitor) > 0,
);

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
