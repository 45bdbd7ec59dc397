/** Masks the secrets of a configuration in texts that leave the program. */
import { parseUrl } from './types/url.ts';

export type Redact = (text: string) => string;

const mask = '***';

/** Below this length a secret is only masked where it stands alone: `test` must not blank out half of `latest`. */
const shortLength = 6;

/** Below this length it guards nothing, and is not masked: `no` is a word of too many sentences. */
const leastLength = 3;

/** Names of headers and query parameters whose values are credentials. */
export const credentialName =
  /assertion|auth|bearer|client-principal|cookie|credential|dpop|jwt|key|oidc|(?<![a-z])(?:h|t)?otp(?![a-z])|(?<![a-z])pass(?![a-z])|passw|pwd|secret|session|sig|token/i;

/** A challenge names what is asked for, and is no credential itself. */
const challenges = new Set(['www-authenticate', 'proxy-authenticate']);

/** Whether what an answer says under this name is a credential: a cookie, a token, a key. */
export function isCredentialHeader(name: string): boolean {
  return credentialName.test(name) && !challenges.has(name.toLowerCase());
}

/** `code` is what a login hands to the page that it goes back to (RFC 6749). */
const credentialParameter = new RegExp(
  String.raw`([?&#;](?:code|[\w.-]{0,40}(?:${credentialName.source})[\w.-]{0,40})=)[^&#;\s"'<>]+`,
  'gi',
);

/** The password of `https://user:password@host`. */
const passwordOfUrl = /(:\/\/[^\s/?#:@"'<>]{0,200}:)[^\s/?#@"'<>]+(?=@)/g;

/** `text` with the credentials in the addresses it holds masked: `https://user:***@host/?access_token=***`. */
export function maskCredentials(text: string): string {
  return text.replace(credentialParameter, `$1${mask}`).replace(passwordOfUrl, `$1${mask}`);
}

/**
 * A function that replaces every one of the secrets with `***`, wherever they stand in a text, also as they look
 * in a URL or in a JSON string. Longer secrets go first, so that one that is part of another leaves no rest.
 * The secrets are gathered by the first call, since most runs have nothing to mask; from then on what they were gathered
 * from is not kept.
 */
export function createRedact(secrets: () => Iterable<string | null>): Redact {
  let source: typeof secrets | null = secrets;
  let pattern: RegExp | null = null;
  return (text) => {
    if (source !== null) {
      pattern = patternOf(source());
      source = null;
    }
    return pattern === null ? text : text.replace(pattern, mask);
  };
}

function patternOf(secrets: Iterable<string | null>): RegExp | null {
  const texts = new Set<string>();
  for (const secret of secrets) {
    if (secret === null) continue;
    for (const text of [secret, secret.trim()]) {
      if (text.trim() === '' || text.length < leastLength || text === mask) continue;
      const asUrl = encodeURIComponent(text.replace(/\p{Cs}/gu, ''));
      texts.add(text).add(asUrl).add(JSON.stringify(text).slice(1, -1));
    }
  }
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return texts.size === 0 ? null : new RegExp(longestFirst.map(escapeSecret).join('|'), 'g');
}

function escapeSecret(secret: string): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return secret.length < shortLength ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])` : literal;
}

/** The secrets of a header: its value when the name speaks of credentials, with and without the scheme. */
export function secretsOfHeader(name: string, value: string): readonly string[] {
  if (!credentialName.test(name)) return [];
  const [scheme = '', ...rest] = value.split(' ');
  const bare = rest.join(' ').trim();
  if (scheme.toLowerCase() !== 'basic') return bare === '' ? [value] : [value, bare];
  const decoded = Buffer.from(bare, 'base64').toString('utf8');
  return [value, bare, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** Of a web address a name without a password is a token; a database has users that log in without one. */
const databaseScheme = /^postgres(?:ql)?:$/;

/**
 * The secrets of a URL that is no secret as a whole: its password, also as it is sent (RFC 7617), and query values
 * that are credentials by name.
 */
export function secretsOfUrl(written: string): readonly string[] {
  const parsed = parseUrl(written);
  if (parsed === null) return [];
  const isNameSecret = parsed.password === '' && !databaseScheme.test(parsed.protocol);
  const login = isNameSecret ? [parsed.username] : [parsed.password];
  const query = [...parsed.searchParams]
    .filter(([name]) => credentialName.test(name))
    .map(([, value]) => value);
  const [username, password] = [parsed.username, parsed.password].map(decodeLeniently);
  const sent = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return [...login, ...login.map(decodeLeniently), ...(login[0] === '' ? [] : [sent]), ...query];
}

/**
 * The parts of a secret URL that give it away: all after the host, alone and with the host, and each long segment
 * of the path. A URL that ends after the host has no secret in it.
 */
export function partsOfSecretUrl(written: string): readonly string[] {
  const parsed = parseUrl(written);
  if (parsed === null) return [written];
  const tail = `${parsed.pathname}${parsed.search}`;
  const segments = parsed.pathname.split('/').filter((segment) => segment.length >= 16);
  return [...(tail.length > 1 ? [written, parsed.href, tail] : []), ...segments, ...secretsOfUrl(written)];
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
