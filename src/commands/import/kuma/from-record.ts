/** Reads the contents of Uptime Kuma from rows of its database, or records of an export. */
import type { KumaMonitor, KumaNotification, KumaProxy } from './data.ts';
import { anObject, parseJson } from '../../../engine/core/decode.ts';
import { flagIn, type Loose, numberIn, numberOrNullIn, textIn, valueIn } from '../record.ts';

export interface KumaAttached {
  readonly notificationIds: readonly number[];
  readonly tags: readonly string[];
}

export function monitorFrom(record: Loose, { notificationIds, tags }: KumaAttached): KumaMonitor {
  const text = (column: string) => textIn(record, column);
  const id = numberIn(record, 'id', 0);
  return {
    id,
    name: text('name'),
    type: text('type'),
    isActive: flagIn(record, 'active', true),
    parent: numberOrNullIn(record, 'parent'),
    description: text('description'),
    intervalSecs: numberIn(record, 'interval', 60),
    retrySecs: numberIn(record, 'retry_interval', 0),
    retries: numberIn(record, 'maxretries', 0),
    resendEvery: numberIn(record, 'resend_interval', 0),
    timeoutSecs: numberIn(record, 'timeout', 0),
    url: text('url'),
    method: text('method') || 'GET',
    body: text('body'),
    bodyEncoding: text('http_body_encoding'),
    headers: text('headers'),
    // Before 1.16 a user name was all there was to say.
    authMethod: text('auth_method') || (text('basic_auth_user') === '' ? '' : 'basic'),
    user: text('basic_auth_user'),
    password: text('basic_auth_pass'),
    hostname: text('hostname'),
    port: numberOrNullIn(record, 'port'),
    keyword: text('keyword'),
    isKeywordInverted: flagIn(record, 'invert_keyword', false),
    jsonPath: text('json_path'),
    jsonOperator: text('json_path_operator') || '==',
    expectedValue: text('expected_value'),
    statusCodes: statusCodes(record),
    maxRedirects: numberIn(record, 'maxredirects', 10),
    isTlsIgnored: flagIn(record, 'ignore_tls', false),
    isUpsideDown: flagIn(record, 'upside_down', false),
    isExpiryNotified: flagIn(record, 'expiry_notification', true),
    dnsType: text('dns_resolve_type') || 'A',
    dnsServer: text('dns_resolve_server'),
    conditions: conditions(record),
    pushToken: text('push_token'),
    proxyId: numberOrNullIn(record, 'proxy_id'),
    ipFamily: text('ip_family'),
    isCacheBusted: flagIn(record, 'cache_bust', false),
    notificationIds,
    tags,
  };
}

export function notificationFrom(record: Loose): KumaNotification {
  const stored = record['config'];
  const parsed = typeof stored === 'string' ? parseJson(stored) : stored;
  return {
    id: numberIn(record, 'id', 0),
    name: textIn(record, 'name'),
    isActive: flagIn(record, 'active', true),
    isDefault: flagIn(record, 'is_default', false),
    config: anObject(parsed) ? parsed : {},
  };
}

export function proxyFrom(record: Loose): KumaProxy {
  return {
    id: numberIn(record, 'id', 0),
    protocol: textIn(record, 'protocol'),
    host: textIn(record, 'host'),
    port: numberIn(record, 'port', 0),
    hasAuth: flagIn(record, 'auth', false),
    user: textIn(record, 'username'),
    password: textIn(record, 'password'),
    isActive: flagIn(record, 'active', true),
  };
}

/** `team: web`, or the name alone. */
export function tagText(record: Loose): string {
  const value = textIn(record, 'value');
  return value === '' ? textIn(record, 'name') : `${textIn(record, 'name')}: ${value}`;
}

function statusCodes(record: Loose): string[] {
  const stored = valueIn(record, 'accepted_statuscodes');
  const list = stored ?? parseJson(textIn(record, 'accepted_statuscodes_json'));
  if (!Array.isArray(list)) return ['200-299'];
  return (list as unknown[]).map(String);
}

/** Conditions are a JSON text in the database, a list in an export. */
function conditions(record: Loose): string {
  const stored = valueIn(record, 'conditions');
  const list: unknown = typeof stored === 'string' ? parseJson(stored) : stored;
  return Array.isArray(list) && list.length > 0 ? JSON.stringify(list) : '';
}
