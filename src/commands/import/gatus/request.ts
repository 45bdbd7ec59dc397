/** Turns the request of an endpoint of Gatus into settings. */
import { credentialName } from '../../../engine/config/redact.ts';
import { hideCredentials, secretHeader } from '../credentials.ts';
import type { Remarks } from '../item.ts';
import { printable } from '../names.ts';
import { composed, type ComposedText, isComposed, type TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import {
  flagAt,
  hasVariables,
  isGiven,
  type Loose,
  plainText,
  recordAt,
  textAt,
  withVariables,
} from './tree.ts';
import { isIP } from 'node:net';

interface Tools {
  readonly id: string;
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

export function requestSettings(endpoint: Loose, tools: Tools): (readonly [string, TomlValue])[] {
  const { secrets, id, remarks } = tools;
  const owner = { id, secrets, whose: `of the endpoint "${printable(textAt(endpoint, 'name'))}"` };
  const url = textAt(endpoint, 'url').trim();
  const { target, login } = hasVariables(url)
    ? { target: withVariables(url, secrets, 'address'), login: null }
    : hideCredentials(plainText(url), owner);
  const headers = new Map<string, TomlValue>(login === null ? [] : [['Authorization', login]]);
  const isGraphql = flagAt(endpoint, 'graphql', { fallback: false, remarks });
  if (isGraphql) headers.set('Content-Type', 'application/json');
  const own = recordAt(endpoint, 'headers');
  for (const name of Object.keys(own)) {
    for (const before of headers.keys())
      if (before.toLowerCase() === name.toLowerCase()) headers.delete(before);
    headers.set(name, headerValue(name, textAt(own, name), owner));
  }
  const method = textAt(endpoint, 'method').toUpperCase();
  const body = bodyOf(endpoint, { isGraphql, secrets, remarks });
  const client = recordAt(endpoint, 'client');
  return [
    ['target', target],
    ...(method === '' || method === 'GET' ? [] : ([['method', method]] as const)),
    ...(headers.size === 0 ? [] : ([['headers', headers]] as const)),
    ...(body === '' ? [] : ([['body', body]] as const)),
    ...(flagAt(client, 'insecure', { fallback: false, remarks }) ? ([['tls_verify', false]] as const) : []),
    ...(isGiven(client, 'proxy-url')
      ? ([['proxy', proxyOf(textAt(client, 'proxy-url'), owner)]] as const)
      : []),
  ];
}

/** The value of a header, with what is secret in it as a variable. */
export function headerValue(
  name: string,
  value: string,
  owner: Parameters<typeof secretHeader>[2],
): string | ComposedText {
  if (hasVariables(value) || !credentialName.test(name)) return withVariables(value, owner.secrets);
  return secretHeader(name, plainText(value), owner);
}

/** The address of a proxy; with a login in it it is a secret. */
export function proxyOf(
  address: string,
  { id, whose, secrets }: Parameters<typeof secretHeader>[2],
): string | ComposedText {
  if (hasVariables(address)) return withVariables(address, secrets, 'address');
  if (!/\/\/[^/]*@/.test(address)) return address;
  return secrets.keep(address, { label: `${id} proxy`, origin: `client.proxy-url ${whose}` });
}

interface Wish {
  readonly isGraphql: boolean;
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

function bodyOf(endpoint: Loose, { isGraphql, secrets, remarks }: Wish): string | ComposedText {
  const written = textAt(endpoint, 'body')
    .replaceAll('[ENDPOINT_NAME]', () => textAt(endpoint, 'name'))
    .replaceAll('[ENDPOINT_GROUP]', () => textAt(endpoint, 'group'))
    .replaceAll('[ENDPOINT_URL]', () => textAt(endpoint, 'url'));
  if (/\[(?:RANDOM_STRING_\d+|LOCAL_ADDRESS)\]/.test(written)) {
    remarks.approximate('its body changes with every request: statusd sends it as written');
  }
  const body = withVariables(written, secrets);
  if (!isGraphql || written === '') return body;
  const parts = isComposed(body) ? body.parts : [body];
  const inJson = parts.map((part) => (typeof part === 'string' ? JSON.stringify(part).slice(1, -1) : part));
  return composed('{"query":"', ...inJson, '"}');
}

type GatusTarget =
  | {
      readonly kind: 'http' | 'tcp' | 'icmp' | 'dns';
      /** As Gatus calls it. */
      readonly type: string;
      readonly settings: readonly (readonly [key: string, value: TomlValue])[];
    }
  | { readonly kind: 'none'; readonly type: string; readonly why: string };

interface TargetTools {
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

/** Reads what an endpoint of Gatus asks, off its address. */
export function targetOf(endpoint: Loose, { secrets, remarks }: TargetTools): GatusTarget {
  const url = textAt(endpoint, 'url').trim();
  if (isGiven(endpoint, 'dns')) return dnsTarget(endpoint, url, secrets);
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
      remarks.approximate('uses TLS: statusd only connects, and does not read its certificate');
      return { kind: 'tcp', type, settings: [target(place)] };
    case '':
      if (/^\$/.test(url)) {
        remarks.approximate('its address is a variable: assumed to be an http address');
        return { kind: 'http', type: 'variable', settings: [] };
      }
      return { kind: 'none', type: 'unknown', why: 'has no address that can be read' };
    default:
      return { kind: 'none', type, why: `${type} is nothing statusd can probe` };
  }
}

function dnsTarget(endpoint: Loose, url: string, secrets: Secrets): GatusTarget {
  const dns = recordAt(endpoint, 'dns');
  const type = textAt(dns, 'query-type').toUpperCase() || 'A';
  const server = url.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '');
  const host = server.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const port = /:(\d+)$/.exec(isIP(server) === 6 ? '' : server)?.[1] ?? '53';
  return {
    kind: 'dns',
    type: 'dns',
    settings: [
      ['target', withVariables(textAt(dns, 'query-name').trim().replace(/\.$/, ''), secrets)],
      ...(type === 'A' ? [] : ([['dns_record', type]] as const)),
      ['dns_resolver', withVariables(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`, secrets, 'address')],
    ],
  };
}
