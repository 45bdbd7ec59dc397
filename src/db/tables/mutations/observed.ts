/** The changes to what was seen beside samples: certificates, domains, peers. */
import { statusCodes } from '../../samples/sample.ts';
import { flag, instant, orNull, status, text, whole } from './fields.ts';
import { document, monitorId, sentence } from './names.ts';
import { declareWrite } from './write.ts';

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

/** The registration of a monitor's domain was looked up; a failed look-up keeps the expiry known before. */
export const seeDomain = declareWrite(
  'domain.see',
  {
    monitor: monitorId,
    domain: text(255),
    expiresAt: orNull(instant),
    error: orNull(sentence),
    at: instant,
  },
  (sql, found) => {
    sql.run(
      `INSERT INTO domains (monitor, domain, expires_at, error, checked_at) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (monitor) DO UPDATE SET
         expires_at = CASE WHEN domain = ?2 THEN coalesce(?3, expires_at) ELSE ?3 END,
         domain = ?2, error = ?4, checked_at = ?5`,
      found.monitor,
      found.domain,
      found.expiresAt,
      found.error,
      found.at,
    );
    return null;
  },
);

export const warnedOfDomain = declareWrite(
  'domain.warned',
  { monitor: monitorId, expiresAt: instant },
  (sql, { monitor, expiresAt }) =>
    sql.run('UPDATE domains SET warned_for_at = ? WHERE monitor = ?', expiresAt, monitor) > 0,
);

/** What is known of a peer now; its state is understood by its owner only. */
export const savePeer = declareWrite(
  'peer.state',
  { id: monitorId, state: document, heardAt: instant },
  (sql, { id, state, heardAt }) => {
    sql.run(
      'INSERT OR REPLACE INTO peers (id, heard_at, state) VALUES (?, ?, ?)',
      id,
      heardAt,
      JSON.stringify(state),
    );
    return null;
  },
);

/** What a peer saw of a monitor, the last time it was asked. */
export const savePeerVerdict = declareWrite(
  'peer.verdict',
  {
    peer: monitorId,
    monitor: monitorId,
    at: instant,
    status,
    latencyMs: orNull(whole(0, 2 ** 31)),
    error: orNull(sentence),
    skewMs: orNull(whole(-(2 ** 52), 2 ** 52)),
  },
  (sql, verdict) => {
    sql.run(
      `INSERT OR REPLACE INTO peer_verdicts (peer, monitor, at, status, latency_ms, error, skew_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      verdict.peer,
      verdict.monitor,
      verdict.at,
      statusCodes[verdict.status],
      verdict.latencyMs,
      verdict.error,
      verdict.skewMs,
    );
    return null;
  },
);

/** Nothing is kept of a peer any more. */
export const forgetPeer = declareWrite('peer.forget', { id: monitorId }, (sql, { id }) => {
  sql.run('DELETE FROM peers WHERE id = ?', id);
  sql.run('DELETE FROM peer_verdicts WHERE peer = ?', id);
  return null;
});
