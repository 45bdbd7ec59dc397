/** The rows of `[[monitors]]` about certificates. */
import { optional, setting } from '../row.ts';
import { fingerprint } from '../types/fingerprint.ts';
import { flag } from '../types/flag.ts';
import { text } from '../types/text.ts';

export const tlsRows = {
  check_cert: setting(flag, true, {
    doc: 'Whether to warn before the certificate expires.',
    example: 'true',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Whether the certificate must be trusted and bear the right name.',
    example: 'true',
  }),
  tls_ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'A PEM file of authorities to trust besides those of the host, relative to this file.',
    example: '"ca.pem"',
  }),
  cert_pin: optional(fingerprint, {
    doc: 'The SHA-256 of the public key that the certificate must have, in hex. Another key makes it degraded.',
    example: '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
  }),
};
