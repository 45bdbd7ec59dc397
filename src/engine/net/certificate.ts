/** What a TLS server presented, in the words of a probe result. */
import { createHash, X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Certificate, CertificateLink } from '../core/probe.ts';
import { type NetFault, faultOf, printable } from './faults.ts';
import { dayText } from '../core/instant.ts';

/** Long enough for any real chain; a hostile one may be of any length. */
const maxLinks = 10;

/** How many names of a certificate a sentence holds. */
const maxNames = 3;

/** Null when the server presented none, or one whose dates cannot be read. Call it once the handshake is done. */
export function certificateOf(socket: TLSSocket): Certificate | null {
  const links = chainOf(socket);
  const chain = links.filter(hasDates);
  const [leaf] = chain;
  if (leaf === undefined || leaf !== links[0]) return null;
  // Not getPeerX509Certificate: in Node 20, getPeerCertificate is empty once that was called.
  const { raw } = socket.getPeerCertificate();
  return { spkiSha256: keyDigest(raw), isTrusted: socket.authorized, chain, ...leaf };
}

export interface Verification {
  readonly host: string;
  /** The wall clock: it decides which certificate of the chain has run out. */
  readonly nowAt: number;
  /** Where the trusted authorities come from, in words. */
  readonly sources: string;
}

/** Why what a server presented is not trusted for `host`; null when it is. */
export function distrust(socket: TLSSocket, { host, nowAt, sources }: Verification): NetFault | null {
  if (socket.authorized) return null;
  const code = verdictOf(socket);
  const failed = (message: string): NetFault => ({ outcome: 'failed', category: 'tls', message });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return failed(`the certificate is for ${namesOf(socket)}, not ${host}`);
  }
  for (const [depth, link] of chainOf(socket).entries()) {
    const which = depth === 0 ? 'the certificate' : `the certificate of its issuer ${link.subject}`;
    if (code === 'CERT_HAS_EXPIRED' && link.validToAt < nowAt) {
      return failed(`${which} expired on ${dayText(link.validToAt)}`);
    }
    if (code === 'CERT_NOT_YET_VALID' && link.validFromAt > nowAt) {
      return failed(`${which} is not valid before ${dayText(link.validFromAt)}`);
    }
  }
  return unknownAuthority(code, { host, sources }) ?? faultOf({ code, message: code }, host);
}

/** Whether the last certificate of the chain came with it, by the code of the verdict. */
const unknownAuthorities: Readonly<Record<string, 'whole' | 'perhaps not whole'>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'whole',
  UNABLE_TO_GET_ISSUER_CERT: 'perhaps not whole',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'perhaps not whole',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'perhaps not whole',
};

const ownAuthority = 'add a private authority with NODE_EXTRA_CA_CERTS';

/** What to say of a chain that leads to none of the trusted authorities; null for a verdict about something else. */
export function unknownAuthority(
  code: string,
  { host, sources }: Pick<Verification, 'host' | 'sources'>,
  cure = `${ownAuthority} or, for one monitor, tls_ca_file; for one channel or output, ca_file`,
): NetFault | null {
  const chain = unknownAuthorities[code];
  if (chain === undefined) return null;
  const gap = chain === 'whole' ? '' : ', or without its intermediate certificates';
  const message = `the certificate of ${host} comes from an unknown authority${gap} (trusted: ${sources}); ${cure}`;
  return { outcome: 'failed', category: 'tls', message };
}

/** What an error of a connection that verifies certificates itself says about TLS; null: it is about something else. */
export function tlsTrouble(
  error: unknown,
  { host, sources }: Pick<Verification, 'host' | 'sources'>,
): string | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  const fault = unknownAuthority(code, { host, sources }, ownAuthority) ?? faultOf(error, host);
  return fault.category === 'tls' ? fault.message : null;
}

/** Node's types say Error, but it is the code of the verdict (a text) since Node 0.11. */
function verdictOf(socket: TLSSocket): string {
  const verdict = socket.authorizationError as Error | string | undefined;
  return typeof verdict === 'string' ? verdict : (verdict?.message ?? 'CERT_UNTRUSTED');
}

/** OpenSSL hands over dates that make no sense as `Bad time value`. */
function hasDates({ validFromAt, validToAt }: CertificateLink): boolean {
  return Number.isFinite(validFromAt) && Number.isFinite(validToAt);
}

function chainOf(socket: TLSSocket): readonly CertificateLink[] {
  const links: CertificateLink[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // Without a certificate Node gives an empty object; a root is its own issuer.
  while (next?.valid_to !== undefined && links.length < maxLinks) {
    links.push({
      subject: nameOf(next.subject, next.subjectaltname),
      issuer: nameOf(next.issuer),
      validFromAt: Date.parse(next.valid_from),
      validToAt: Date.parse(next.valid_to),
    });
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return links;
}

type DistinguishedName = Readonly<Partial<Record<string, string | readonly string[]>>> | undefined;

/** `R11 (Let's Encrypt)`: the common name, else the first alternative one, with the organisation. */
function nameOf(name: DistinguishedName, alternatives = ''): string {
  const part = (key: string) => [name?.[key] ?? []].flat()[0];
  const common = part('CN') ?? alternativeNames(alternatives)[0] ?? part('OU');
  const organisation = part('O');
  if (common === undefined) return printable(organisation ?? 'no name');
  return printable(
    organisation === undefined || organisation === common ? common : `${common} (${organisation})`,
  );
}

/** `example.org, www.example.org and 3 more`. */
function namesOf(socket: TLSSocket): string {
  const { subject, subjectaltname } = socket.getPeerCertificate();
  const names = alternativeNames(subjectaltname ?? '');
  const shown = names.slice(0, maxNames).map((name) => printable(name));
  if (names.length === 0) return nameOf(subject);
  if (names.length > maxNames) return `${shown.join(', ')} and ${names.length - maxNames} more`;
  return shown.join(', ');
}

/** Node writes them as `DNS:a, DNS:b, IP Address:192.0.2.1`. */
function alternativeNames(text: string): readonly string[] {
  return text
    .slice(0, 10_000)
    .split(', ')
    .map((entry) => entry.replace(/^(?:DNS|IP Address|URI|email):/, ''))
    .filter((entry) => entry !== '');
}

function keyDigest(der: Buffer): string {
  try {
    const spki = new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(spki).digest('hex');
  } catch {
    // A kind of key that this OpenSSL cannot read: no pin matches it.
    return '';
  }
}
