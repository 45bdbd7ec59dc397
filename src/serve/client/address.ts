/** Addresses as keys: one for each client, however it is written. */
import { isIPv4, isIPv6 } from 'node:net';
import { dotted, groupsOf } from '../../engine/net/address-class.ts';

/** An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) as what it is; zone and brackets are dropped. Null: no address. */
export function plainAddress(written: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(written)?.[1] ?? written;
  const [address = ''] = bare.split('%');
  if (isIPv4(address)) return address;
  const withPort = /^([0-9.]+):\d{1,5}$/.exec(address)?.[1];
  if (withPort !== undefined) return isIPv4(withPort) ? withPort : null;
  if (!isIPv6(address)) return null;
  return mappedIPv4(address) ?? address;
}

/** The address at the other end of a connection; one that is gone has 0.0.0.0. */
export function socketAddress(remoteAddress: string): string {
  return (isIPv4(remoteAddress) ? remoteAddress : plainAddress(remoteAddress)) ?? '0.0.0.0';
}

/** What a client is counted by: an IPv4 address, or the /64 of an IPv6 address, which one household has for itself. */
export function clientKey(address: string): string {
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function mappedIPv4(address: string): string | null {
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return null;
  const [high = 0, low = 0] = groups.slice(6);
  return dotted(high, low);
}
