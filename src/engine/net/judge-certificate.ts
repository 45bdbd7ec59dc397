/** Judges the certificate that a TLS server presented by the settings of a monitor. */
import type { Certificate, Reason } from '../core/probe.ts';
import { ProbeFault } from './faults.ts';
import type { Secured } from './tls.ts';

export interface CertificateRules {
  readonly tls_verify: boolean;
  /** Lower-case hex of the SHA-256 of the public key (SPKI). */
  readonly cert_pin: string | null;
}

/**
 * Throws a ProbeFault for a certificate that must be trusted but is not. Otherwise answers why a trusted one is
 * only good enough for `degraded`: its key is not the pinned one. Null when nothing is wrong with it.
 */
export function judgeCertificate(
  { certificate, distrust }: Pick<Secured, 'certificate' | 'distrust'>,
  { tls_verify, cert_pin }: CertificateRules,
): Reason | null {
  if (tls_verify && distrust !== null) throw new ProbeFault(distrust, { certificate });
  if (cert_pin === null || certificate?.spkiSha256 === cert_pin) return null;
  return { category: 'certificate_key', message: pinMessage(certificate) };
}

function pinMessage(certificate: Certificate | null): string {
  if (certificate === null) return 'there is no certificate that can be read to hold against cert_pin';
  return `the certificate has another key than cert_pin names: ${certificate.spkiSha256 || 'one of an unknown kind'}`;
}
