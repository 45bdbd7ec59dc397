/** Turns the request of an HTTP monitor of Uptime Kuma into settings. */
import { anObject, parseJson } from '../../../engine/core/decode.ts';
import { ownValue } from '../record.ts';
import { acceptedStatus } from '../status-codes.ts';
import { hideCredentials, secretHeader } from '../credentials.ts';
import { composed, type TomlValue } from '../toml-value.ts';
import type { KumaMonitor, KumaSettings, MonitorInputs } from './data.ts';
import type { Remarks } from '../item.ts';
import { equals, literal, pathText, quotePattern, readPath, whenAll } from '../json-path.ts';

export function httpSettings(monitor: KumaMonitor, making: MonitorInputs): KumaSettings {
  const { method, type } = monitor;
  const { target, headers } = requestOf(monitor, making);
  return [
    ['kind', 'http'],
    ['target', target],
    ...(method.toUpperCase() === 'GET' ? [] : ([['method', method.toUpperCase()]] as const)),
    ...(headers.size === 0 ? [] : ([['headers', headers]] as const)),
    ...bodySettings(monitor),
    ...statusSettings(monitor, making),
    ...(type === 'keyword' ? keywordSettings(monitor) : []),
    ...(type === 'json-query' ? jsonQuerySettings(monitor, making.remarks) : []),
    ...tlsSettings(monitor),
    ...proxySettings(monitor, making),
  ];
}

/** Headers in the order in which Kuma has them win over each other: what it adds, then the user's own. */
function requestOf(monitor: KumaMonitor, making: MonitorInputs) {
  const { remarks } = making;
  const { target, login } = hideCredentials(monitor.url.trim(), making);
  const headers = new Map<string, TomlValue>();
  const contentType =
    monitor.body.trim() === '' ? undefined : ownValue(contentTypes, monitor.bodyEncoding || 'json');
  if (contentType !== undefined) headers.set('Content-Type', contentType);
  const authorization = authorizationOf(monitor, making) ?? login;
  if (authorization !== null) headers.set('Authorization', authorization);
  const own = monitor.headers.trim() === '' ? {} : parseJson(monitor.headers);
  if (!anObject(own)) remarks.drop('its headers are not a JSON object');
  for (const [name, value] of Object.entries(anObject(own) ? own : {})) {
    for (const before of headers.keys())
      if (before.toLowerCase() === name.toLowerCase()) headers.delete(before);
    headers.set(name, secretHeader(name, String(value), making));
  }
  if (monitor.isCacheBusted) remarks.drop('adds a random parameter to the address');
  if (/^ipv[46]$/.test(monitor.ipFamily)) remarks.drop(`uses ${monitor.ipFamily.replace('ip', 'IP')} only`);
  return { target, headers };
}

const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

function authorizationOf(
  { authMethod, user, password }: KumaMonitor,
  making: MonitorInputs,
): TomlValue | null {
  const { secrets, id, whose, remarks } = making;
  switch (authMethod) {
    case '':
    case 'null':
      return null;
    case 'basic': {
      const encoded = Buffer.from(`${user}:${password}`).toString('base64');
      const origin = `basic_auth_user:basic_auth_pass ${whose}, in base64`;
      return composed('Basic ', secrets.keep(encoded, { label: `${id} basic auth`, origin }));
    }
    case 'oauth2-cc':
      remarks.drop('gets an OAuth 2 token first: put a long-lived token into its headers');
      return null;
    case 'mtls':
      remarks.drop('uses a client certificate');
      return null;
    default:
      remarks.drop(`logs in by ${authMethod}`);
      return null;
  }
}

function bodySettings({ body }: KumaMonitor): KumaSettings {
  return body.trim() === '' ? [] : [['body', body]];
}

function statusSettings(
  { statusCodes, maxRedirects }: KumaMonitor,
  { remarks }: MonitorInputs,
): KumaSettings {
  const ranges = statusCodes.flatMap((written) => {
    const [, from, to] = /^\s*(\d{3})\s*(?:-\s*(\d{3})\s*)?$/.exec(written) ?? [];
    return from === undefined ? [] : [{ from: Number(from), to: Number(to ?? from) }];
  });
  if (ranges.length < statusCodes.length) remarks.drop('some of its status codes are invalid');
  const isFollowing = maxRedirects > 0;
  const wanted = ranges.length === 0 ? [{ from: 200, to: 299 }] : ranges;
  const isFine = (code: number) => wanted.some(({ from, to }) => code >= from && code <= to);
  if (isFollowing && maxRedirects < 10) {
    remarks.approximate(`follows at most ${maxRedirects} redirects: statusd follows up to 10`);
  }
  return acceptedStatus(isFine, isFollowing);
}

function keywordSettings({ keyword, isKeywordInverted }: KumaMonitor): KumaSettings {
  if (keyword === '') return [];
  return [['keyword', keyword], ...(isKeywordInverted ? ([['keyword_invert', true]] as const) : [])];
}

/** Kuma says nothing of the expiry of a certificate it does not verify. */
function tlsSettings({ isTlsIgnored, isExpiryNotified, url }: KumaMonitor): KumaSettings {
  if (!/^https:/i.test(url.trim())) return [];
  return [
    ...(isTlsIgnored ? ([['tls_verify', false]] as const) : []),
    ...(isTlsIgnored || !isExpiryNotified ? ([['check_cert', false]] as const) : []),
  ];
}

function proxySettings(
  { proxyId }: KumaMonitor,
  { proxies, secrets, id, whose, remarks }: MonitorInputs,
): KumaSettings {
  const proxy = proxies.find((one) => one.id === proxyId && one.isActive);
  if (proxyId === null || proxy === undefined) return [];
  const scheme = proxy.protocol === 'socks5h' || proxy.protocol === 'socks' ? 'socks5' : proxy.protocol;
  if (!['http', 'https', 'socks5'].includes(scheme)) {
    remarks.drop(`goes through a ${proxy.protocol} proxy`);
    return [];
  }
  const place = `${proxy.host}:${proxy.port}`;
  if (!proxy.hasAuth) return [['proxy', `${scheme}://${place}`]];
  const login = `${encodeURIComponent(proxy.user)}:${encodeURIComponent(proxy.password)}`;
  const address = `${scheme}://${login}@${place}`;
  const origin = `the proxy ${whose}, as scheme://user:password@host:port`;
  return [['proxy', secrets.keep(address, { label: `${id} proxy`, origin })]];
}

/** Turns a JSONata query of Uptime Kuma and its comparison into a JSONPath query. */
function jsonQuerySettings(monitor: KumaMonitor, remarks: Remarks): KumaSettings {
  const { jsonPath, jsonOperator: operator, expectedValue: expected } = monitor;
  const steps = readPath(jsonPath);
  if (steps === null) {
    remarks.drop(
      'its JSONata query is more than a path: write a json_query (RFC 9535); until then only the status is checked',
    );
    return [];
  }
  const path = pathText(steps);
  if (operator === '==') {
    return [
      ['json_query', path],
      ['json_expected', expected],
    ];
  }
  const test = testOf(path, operator, expected);
  if (test === null) {
    remarks.drop(`compares with ${operator}: statusd checks only that there is a value`);
    return [['json_query', path]];
  }
  remarks.approximate(ownValue(typeNotes, operator) ?? '');
  return [['json_query', whenAll([test])]];
}

const numbers = 'compares numbers: in statusd a number that JSON writes as text does not match';

const typeNotes: Readonly<Record<string, string>> = {
  '>': numbers,
  '>=': numbers,
  '<': numbers,
  '<=': numbers,
  '!=': 'accepts an answer with nothing in it but false: statusd does not',
  contains: 'searches text: in statusd a number or boolean does not match',
};

function testOf(path: string, operator: string, expected: string): string | null {
  switch (operator) {
    case '!=':
      return `${path} && !${grouped(equals(path, expected))}`;
    case '>':
    case '>=':
    case '<':
    case '<=':
      return expected.trim() !== '' && Number.isFinite(Number(expected))
        ? `${path} ${operator} ${Number(expected)}`
        : null;
    case 'contains':
      return `search(${path}, ${literal(quotePattern(expected))})`;
    default:
      return null;
  }
}

function grouped(test: string): string {
  return test.startsWith('(') ? test : `(${test})`;
}
