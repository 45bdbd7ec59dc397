/** Makes certificates for servers on loopback. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for localhost and 127.0.0.1 that is its own authority and ends in `days` days. */
export function selfSigned(days: number): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-certificate-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const { status, stderr } = spawnSync(
      'openssl',
      [
        ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-days', String(days), '-keyout', key, '-out', cert],
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`openssl: ${stderr}`);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
