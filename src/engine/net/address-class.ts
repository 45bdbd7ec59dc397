/** Tells the addresses of the internet from those of a machine, of a network of one's own and of the inside of a cloud. */
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../core/hosts.ts';

/** Where an address leads: `public` is the internet. */
export type AddressClass = 'public' | 'loopback' | 'link_local' | 'private' | 'metadata' | 'reserved';

/** An address of each class in a sentence, which must not say which one it is. */
export const classWords: Readonly<Record<AddressClass, string>> = {
  public: 'a public address',
  loopback: 'a loopback address',
  link_local: 'a link-local address',
  private: 'a private address',
  metadata: 'the metadata service of a cloud',
  reserved: 'a reserved address',
};

/** Under these addresses clouds tell a machine its credentials: AWS, Azure, Google, Oracle, Alibaba. */
const metadata = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
]);
const metadata6 = new Set(['fd00:ec2:0:0:0:0:0:254', 'fd00:ec2:0:0:0:0:0:23', 'fd20:ce:0:0:0:0:0:254']);

/** The first that fits counts (IANA, "IPv4 Special-Purpose Address Registry"). */
const ranges: readonly (readonly [base: string, bits: number, named: AddressClass])[] = [
  // "This host" (RFC 1122): Linux connects 0.0.0.0 to itself.
  ['0.0.0.0', 8, 'loopback'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link_local'],
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  // Behind the NAT of a provider (RFC 6598), where overlay networks have their addresses, too.
  ['100.64.0.0', 10, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['224.0.0.0', 3, 'reserved'],
];

/** The class of an IP address, an IPv6 one with or without zone and brackets. */
export function addressClass(written: string): AddressClass {
  const [address = ''] = written.replace(/^\[|\]$/g, '').split('%');
  if (isIPv4(address)) return classOfIPv4(address);
  return isIPv6(address) ? classOfGroups(groupsOf(address)) : 'reserved';
}

/** Names that only a network of one's own resolves. */
const ownNames = /^[^.]+$|\.(?:local|lan|home|internal|intranet|corp|private|home\.arpa)$/;

/** The class of an IP address, or what a name alone says of where it leads. */
export function hostClass(written: string): AddressClass {
  const host = written
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIPv4(host) || isIPv6(host.split('%')[0] ?? '')) return addressClass(host);
  if (isLoopback(host)) return 'loopback';
  if (host === 'metadata.google.internal') return 'metadata';
  return ownNames.test(host) ? 'private' : 'public';
}

const numberOf = (address: string) =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0);

function classOfIPv4(address: string): AddressClass {
  if (metadata.has(address)) return 'metadata';
  const number = numberOf(address);
  const found = ranges.find(([base, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(number / size) === Math.floor(numberOf(base) / size);
  });
  return found?.[2] ?? 'public';
}

function classOfGroups(groups: readonly number[]): AddressClass {
  const embedded = embeddedIPv4(groups);
  if (embedded !== null) return classOfIPv4(embedded);
  if (metadata6.has(groups.map((group) => group.toString(16)).join(':'))) return 'metadata';
  const [first = 0] = groups;
  if (groups.slice(0, 7).every((group) => group === 0)) return 'loopback';
  if (first >> 6 === 0xfe80 >> 6) return 'link_local';
  if (first >> 6 === 0xfec0 >> 6 || first >> 9 === 0xfc00 >> 9) return 'private';
  // A NAT64 of the network itself (RFC 8215).
  if (first === 0x64 && groups[1] === 0xff9b) return 'private';
  // All that is global is in 2000::/3 (RFC 4291, section 2.4).
  return first >> 13 === 1 ? 'public' : 'reserved';
}

/** The IPv4 address that an IPv6 one leads to; null: none. */
function embeddedIPv4(groups: readonly number[]): string | null {
  const [first = 0, second = 0, third = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  // Mapped (RFC 4291), translated (RFC 7915) and NAT64 (RFC 6052).
  if (['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'].includes(prefix)) return dotted(high, low);
  // Compatible (RFC 4291): :: and ::1 are addresses of their own.
  if (prefix === '0:0:0:0:0:0' && (high > 0 || low > 1)) return dotted(high, low);
  // 6to4 (RFC 3056), and Teredo (RFC 4380), where the address of the client is inverted.
  if (first === 0x2002) return dotted(second, third);
  if (first === 0x2001 && second === 0) return dotted(high ^ 0xffff, low ^ 0xffff);
  return null;
}

/** Two groups of an IPv6 address as an IPv4 address. */
export function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. */
export function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = groupsIn(head);
  const after = groupsIn(tail ?? '');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...new Array<number>(gap).fill(0), ...after].slice(0, 8);
}

function groupsIn(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
