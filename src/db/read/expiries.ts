/** When certificates and domains of monitors expire. */
import type { SqlReader } from '../store/sql.ts';

/** Epoch ms by config id, of the certificate that each monitor showed last. */
export function readCertificateExpiries(sql: SqlReader): Map<string, number> {
  return new Map(
    sql.all('SELECT monitor, valid_to_at FROM certificates', [], (row) => [
      row.text('monitor'),
      row.number('valid_to_at'),
    ]),
  );
}

/** Epoch ms by config id, of the registration of each monitor's domain; those never found out are left out. */
export function readDomainExpiries(sql: SqlReader): Map<string, number> {
  return new Map(
    sql.all('SELECT monitor, expires_at FROM domains WHERE expires_at IS NOT NULL', [], (row) => [
      row.text('monitor'),
      row.number('expires_at'),
    ]),
  );
}
