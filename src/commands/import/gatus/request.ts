/** Turns the request of an endpoint of Gatus into settings. */
import { credentialName } from '../../../engine/config/redact.ts';
import { hideCredentials, secretHeader } from '../credentials.ts';
import type { Remarks } from '../item.ts';
import { printable } from '../names.ts';
import { composed, isComposed, type ComposedText, type TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { hasVariables, plainText, withVariables } from './environment.ts';
import { flagAt, isGiven, type Loose, recordAt, textAt } from './tree.ts';

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
  const isGraphql = flagAt(endpoint, 'graphql', false);
  if (isGraphql) headers.set('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(recordAt(endpoint, 'headers'))) {
    for (const before of headers.keys())
      if (before.toLowerCase() === name.toLowerCase()) headers.delete(before);
    headers.set(name, headerValue(name, String(value), owner));
  }
  const method = textAt(endpoint, 'method').toUpperCase();
  const body = bodyOf(endpoint, { isGraphql, secrets, remarks });
  const client = recordAt(endpoint, 'client');
  return [
    ['target', target],
    ...(method === '' || method === 'GET' ? [] : ([['method', method]] as const)),
    ...(headers.size === 0 ? [] : ([['headers', headers]] as const)),
    ...(body === '' ? [] : ([['body', body]] as const)),
    ...(flagAt(client, 'insecure', false) ? ([['tls_verify', false]] as const) : []),
    ...(isGiven(client, 'proxy-url')
      ? ([['proxy', proxyOf(textAt(client, 'proxy-url'), owner)]] as const)
      : []),
  ];
}

function headerValue(
  name: string,
  value: string,
  owner: Parameters<typeof secretHeader>[2],
): string | ComposedText {
  if (hasVariables(value) || !credentialName.test(name)) return withVariables(value, owner.secrets);
  return secretHeader(name, plainText(value), owner);
}

function proxyOf(
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
    remarks.approximate('its body changes with every request: here it is sent as it is written');
  }
  const body = withVariables(written, secrets);
  if (!isGraphql || written === '') return body;
  const parts = isComposed(body) ? body.parts : [body];
  const inJson = parts.map((part) => (typeof part === 'string' ? JSON.stringify(part).slice(1, -1) : part));
  return composed('{"query":"', ...inJson, '"}');
}
