/** Masks the secrets of a configuration in texts that leave the program. */
import { parseUrl } from './types/url.ts';

export type Redact = (text: string) => string;

const mask = '***';

/** Below this length a secret is only masked where it stands whole: `test` must not blank out half of `latest`. */
const shortLength = 6;

/** The name of this program is in its messages and in the paths of its files, and guards nothing. */
const ownName = 'statusd';

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
 * A function that replaces every one of the secrets with `***`, also as they look in a URL, a form or a JSON string. One
 * that looks random is replaced wherever it stands. One that is short, or made of plain words, is replaced where it stands
 * whole: not as part of a word, a host name or the path of a file, which have such words of their own. Longer secrets go
 * first, so that one that is part of another leaves no rest.
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
    if (pattern === null) return text;
    return text.replace(pattern, (secret: string, at: number) =>
      isRandom(secret) || standsWhole(text, at, at + secret.length) ? mask : secret,
    );
  };
}

function patternOf(secrets: Iterable<string | null>): RegExp | null {
  const texts = new Set<string>();
  for (const secret of secrets) {
    if (secret === null) continue;
    for (const text of [secret, secret.trim()]) {
      if (text.trim() === '' || text.length < leastLength || text === mask) continue;
      if (text.replace(/^\/|\/$/g, '').toLowerCase() === ownName) continue;
      const asUrl = encodeURIComponent(text.replace(/\p{Cs}/gu, ''));
      const inForm = new URLSearchParams([['', text]]).toString().slice(1);
      texts.add(text).add(asUrl).add(inForm).add(JSON.stringify(text).slice(1, -1));
    }
  }
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return texts.size === 0 ? null : new RegExp(longestFirst.map(escapeSecret).join('|'), 'g');
}

function escapeSecret(secret: string): string {
  return secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Of letters alone, and no longer than the words of a language; in a path a number may follow. */
const plainWord = /^(?:[A-Za-z][a-z]{0,14}|[A-Z]{2,15})$/;
const plainSegment = /^(?:[A-Za-z][a-z]{0,14}|[A-Z]{2,15})?\d{0,4}$/;

/** Whether no text has a secret by chance: it is long enough, and more than plain words. */
function isRandom(secret: string): boolean {
  if (secret.length < shortLength) return false;
  return secret.startsWith('/')
    ? !secret.split(/[-_./]/).every((segment) => plainSegment.test(segment))
    : !secret.split(/[-_. ]/).every((word) => plainWord.test(word));
}

/** An address is not looked at further back than this. */
const longestAddress = 2000;

/** Whether the secret between `start` and `end` is no part of a word, of a host name or of the path of a file. */
function standsWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  const isPath = text[start] === '/';
  const isInWord = isPath
    ? /^[A-Za-z0-9_]|^-[A-Za-z0-9]/.test(after)
    : /[A-Za-z0-9_]$|[A-Za-z0-9]-$/.test(before) || /^[A-Za-z0-9_]|^-[A-Za-z0-9]/.test(after);
  if (isInWord) return false;
  const isInPath = (isPath ? /[^\s"'`(<=:,;[{]$/ : /[/.]$/).test(before) || /^\/|^\.[A-Za-z0-9]/.test(after);
  // In the address of a server each part may be the secret.
  return !isInPath || /:\/\/[^\s"'<>]*$/.test(text.slice(Math.max(0, start - longestAddress), start));
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
  const whole = [written, parsed.href, `${parsed.host}${tail}`, tail];
  const segments = parsed.pathname.split('/').filter((segment) => segment.length >= 16);
  return [...(tail.length > 1 ? whole : []), ...segments, ...secretsOfUrl(written)];
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
