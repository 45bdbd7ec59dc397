/** Hosts, addresses and ports. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { bad, good, goodBut, notA, type ValueReading, type ValueType } from './value.ts';

export interface HostPort {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Splits `host:port` or `[v6]:port`; null when the text is neither. */
export function parseHostPort(written: string): HostPort | null {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(written);
  if (match === null) return null;
  const [, bracketed, plain, digits] = match;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : null;
  return plain !== undefined && isHost(plain) ? { host: plain, port } : null;
}

/**
 * Whether a text is an IP address or a host name that is safe to hand to other programs: no hyphen at the start,
 * letters, digits, hyphens, underscores and dots only (other scripts are written as `xn--…`).
 */
export function isHost(written: string): boolean {
  if (isIP(written) !== 0) return true;
  if (written.length > 253) return false;
  const labels = written.replace(/\.$/, '').split('.');
  const isNamed = labels.every((label) => /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label));
  // A last label of digits only is a mistyped address: 10.0.0, 192.168.1.256.
  return isNamed && !/^\d+$/.test(labels.at(-1) ?? '');
}

function asText(name: string, raw: unknown): ValueReading<string> {
  if (typeof raw !== 'string') return notA(name, raw);
  return raw === '' ? bad('must not be empty') : good(raw.trim());
}

function address(name: string, hint: string, isRight: (written: string) => boolean): ValueType<string> {
  return {
    name,
    schema: { type: 'string', minLength: 1 },
    isSecret: false,
    read: (raw) => {
      const reading = asText(name, raw);
      if (!reading.isGood) return reading;
      if (reading.value.startsWith('-')) return bad('must not begin with a hyphen');
      return isRight(reading.value) ? reading : bad(`must be ${name}`, hint);
    },
  };
}

/** A host name or an IP address, without port or brackets. */
export const host = address('a host name or an IP address', 'for example example.com or 192.0.2.1', isHost);

/** A name for EHLO (RFC 5321, 4.1.1.1): an address may be written as the literal that goes over the wire. */
export const ehloName = address(
  'a host name or an IP address',
  'for example status.example.com, 192.0.2.1 or [192.0.2.1]',
  (written) => isHost(written) || isAddressLiteral(written),
);

function isAddressLiteral(written: string): boolean {
  const [, six, address = ''] = /^\[(IPv6:)?([^[\]]+)\]$/i.exec(written) ?? [];
  return six === undefined ? isIPv4(address) : isIPv6(address);
}

const hasPort = (written: string): boolean => (parseHostPort(written)?.port ?? 0) > 0;

const strictHostPort = address('host:port', 'for example example.com:443 or [2001:db8::1]:443', hasPort);

/**
 * `host:port`; the port is 1 to 65535. An IPv6 address belongs in brackets; without them the port is what follows the
 * last colon, with a warning.
 */
export const hostPort: ValueType<string> = {
  ...strictHostPort,
  read: (raw) => {
    const [, host = '', port = ''] = (typeof raw === 'string' && /^(.*):(\d+)$/.exec(raw.trim())) || [];
    const bracketed = `[${host}]:${port}`;
    return isIPv6(host) && hasPort(bracketed)
      ? goodBut(bracketed, `is taken for ${bracketed}`, 'write an IPv6 address in brackets')
      : strictHostPort.read(raw);
  },
};

/** The address a server listens on: `host:port`, where port 0 means any free one. */
export const bindAddress = address(
  'host:port',
  'for example 127.0.0.1:8787 or [::1]:8787',
  (written) => parseHostPort(written) !== null,
);

/** Where a name server answers: `host:port`, with an IPv6 address in brackets. */
export const nameServer = address('host:port', 'for example 9.9.9.9:53 or [2620:fe::fe]:53', hasPort);

/** An IP address or a range of them in CIDR notation. */
export const addressRange = address('an IP address or a CIDR range', 'for example 10.0.0.0/8', (written) => {
  const [ip = '', bits, ...rest] = written.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
});

/** A name of the DNS, as asked of a name server: service names may have underscores, reverse names digits. */
export const domainName = address('a domain name', 'for example example.com', (written) => {
  const labels = written.replace(/\.$/, '').split('.');
  return (
    written.length <= 253 &&
    labels.every((label) => /^[A-Za-z0-9_*](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label))
  );
});
