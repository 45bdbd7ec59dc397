/** A certificate authority of the test's own. */
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Credentials {
  /** In PEM form. */
  readonly cert: string;
  readonly key: string;
  /** Lower-case hex of the SHA-256 of the public key. */
  readonly spkiSha256: string;
}

interface Leaf {
  /** The alternative names: DNS names and IP addresses. */
  readonly names: readonly string[];
  /** Until when it is valid, from now; -1 for one that expired yesterday. */
  readonly days?: number;
}

export interface Authority {
  /** The PEM file of its certificate. */
  readonly file: string;
  readonly issue: (leaf: Leaf) => Credentials;
  /** A certificate that is its own authority. */
  readonly selfSigned: (leaf: Leaf) => Credentials;
  readonly remove: () => void;
}

export function createAuthority(name = 'Test Authority'): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-authority-'));
  const at = (file: string) => join(folder, file);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    ['req', '-x509', ...newKey, '-subj', `/O=Tests/CN=${name}`, '-days', '2', '-keyout', at('ca.key')],
    ['-out', at('ca.pem')],
  );
  let serial = 1;

  const credentials = (cert: string, keyFile: string): Credentials => {
    const { publicKey } = new X509Certificate(cert);
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const spkiSha256 = createHash('sha256').update(spki).digest('hex');
    return { cert, key: readFileSync(keyFile, 'utf8'), spkiSha256 };
  };
  return {
    file: at('ca.pem'),
    issue: ({ names, days = 1 }) => {
      serial += 1;
      const [key, request] = [at(`${serial}.key`), at(`${serial}.csr`)];
      const [cert, extensions] = [at(`${serial}.pem`), at(`${serial}.ext`)];
      writeFileSync(extensions, alternativeNames(names));
      openssl(['req', '-new', ...newKey, '-subj', `/CN=${names[0] ?? ''}`, '-keyout', key, '-out', request]);
      openssl(
        ['x509', '-req', '-in', request, '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-out', cert],
        ['-set_serial', String(serial), '-days', String(days), '-extfile', extensions],
      );
      return credentials(readFileSync(cert, 'utf8'), key);
    },
    selfSigned: ({ names, days = 1 }) => {
      serial += 1;
      const [key, cert] = [at(`${serial}.key`), at(`${serial}.pem`)];
      openssl(
        ['req', '-x509', ...newKey, '-subj', `/CN=${names[0] ?? ''}`, '-addext', alternativeNames(names)],
        ['-days', String(days), '-keyout', key, '-out', cert],
      );
      return credentials(readFileSync(cert, 'utf8'), key);
    },
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/** The same certificate, valid from and until the 99th of the 99th month; its signature is that of the old dates. */
export function withoutDates(credentials: Credentials): Credentials {
  const der = Buffer.from(credentials.cert.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const text = der.toString('latin1').replace(/\x17\x0d\d{4}(?=\d{8}Z)/g, '\x17\x0d9999');
  const base64 = Buffer.from(text, 'latin1').toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { ...credentials, cert };
}

function openssl(...args: readonly (readonly string[])[]): void {
  const { status, stderr } = spawnSync('openssl', args.flat(), { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}

function alternativeNames(names: readonly string[]): string {
  return `subjectAltName=${names.map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join(',')}`;
}
