/** Turns a name that Uptime Kuma resolves into settings. */
import { isIP } from 'node:net';
import type { KumaMonitor } from './data.ts';
import { bracketed, type Making, type KumaSettings } from './making.ts';

export function dnsSettings(monitor: KumaMonitor, { remarks }: Making): KumaSettings {
  const { hostname, dnsType, dnsServer, port, conditions } = monitor;
  const servers = dnsServer
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  const server = servers.find((one) => isIP(one) !== 0);
  if (servers.length > 1)
    remarks.approximate(`asks ${servers.length} name servers: ${server ?? 'that of the system'} here`);
  else if (servers.length === 1 && server === undefined) {
    remarks.approximate(
      'names its name server: the one of the system is asked here, which resolves the name',
    );
  }
  if (conditions !== '') remarks.drop('has conditions on the records: dns_expected wants all of them');
  return [
    ['kind', 'dns'],
    ['target', reverseName(hostname.trim(), dnsType)],
    ...(dnsType === 'A' ? [] : ([['dns_record', dnsType]] as const)),
    ...(server === undefined ? [] : ([['dns_resolver', `${bracketed(server)}:${port ?? 53}`]] as const)),
  ];
}

/** Kuma asks for the name of an address; a name server is asked for that address, turned around, under arpa. */
function reverseName(target: string, type: string): string {
  if (type !== 'PTR' || isIP(target) !== 4) return target;
  return `${target.split('.').reverse().join('.')}.in-addr.arpa`;
}
