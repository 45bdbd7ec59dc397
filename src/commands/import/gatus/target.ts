/** Reads what an endpoint of Gatus asks, off its address. */
import { isIP } from 'node:net';
import type { Remarks } from '../item.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { withVariables } from './environment.ts';
import { isGiven, type Loose, recordAt, textAt } from './tree.ts';

export type GatusTarget =
  | {
      readonly kind: 'http' | 'tcp' | 'icmp' | 'dns';
      /** As Gatus calls it. */
      readonly type: string;
      readonly settings: readonly (readonly [key: string, value: TomlValue])[];
    }
  | { readonly kind: 'none'; readonly type: string; readonly why: string };

interface Tools {
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

export function targetOf(endpoint: Loose, { secrets, remarks }: Tools): GatusTarget {
  const url = textAt(endpoint, 'url').trim();
  if (isGiven(endpoint, 'dns')) return dnsTarget(endpoint, url, { secrets, remarks });
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/is.exec(url) ?? [];
  const type = scheme.toLowerCase();
  const place = rest.replace(/\/+$/, '');
  const target = (text: string) =>
    ['target', withVariables(text, secrets, type === 'icmp' ? 'text' : 'address')] as const;
  switch (type) {
    case 'http':
    case 'https':
      // Headers, credentials and the address itself are made together.
      return { kind: 'http', type, settings: [] };
    case 'tcp':
      if (isGiven(endpoint, 'body')) remarks.drop('sends a body over the connection');
      return { kind: 'tcp', type, settings: [target(place)] };
    case 'icmp':
      return { kind: 'icmp', type, settings: [target(place.replace(/^\[(.*)\]$/, '$1'))] };
    case 'starttls':
      return { kind: 'tcp', type, settings: [target(place), ['starttls', 'smtp']] };
    case 'tls':
      remarks.approximate('uses TLS: here only the connection is made, and its certificate is not read');
      return { kind: 'tcp', type, settings: [target(place)] };
    case '':
      if (/^\$/.test(url)) {
        remarks.approximate('its address is a variable: taken to be one of http');
        return { kind: 'http', type: 'variable', settings: [] };
      }
      return { kind: 'none', type: 'unknown', why: 'has no address that can be read' };
    default:
      return { kind: 'none', type, why: `${type} is nothing statusd can probe` };
  }
}

function dnsTarget(endpoint: Loose, url: string, { secrets, remarks }: Tools): GatusTarget {
  const dns = recordAt(endpoint, 'dns');
  const type = textAt(dns, 'query-type').toUpperCase() || 'A';
  const server = url.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '');
  const host = server.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const port = /:(\d+)$/.exec(isIP(server) === 6 ? '' : server)?.[1] ?? '53';
  const isAddress = isIP(host) !== 0;
  if (!isAddress) remarks.approximate('names its name server: the one of the system is asked here');
  return {
    kind: 'dns',
    type: 'dns',
    settings: [
      ['target', withVariables(textAt(dns, 'query-name').trim().replace(/\.$/, ''), secrets)],
      ...(type === 'A' ? [] : ([['dns_record', type]] as const)),
      ...(isAddress ? ([['dns_resolver', `${isIP(host) === 6 ? `[${host}]` : host}:${port}`]] as const) : []),
    ],
  };
}
