/** The curl command for the request of an HTTP monitor. */
import type { HttpMonitor } from '../../config/config.ts';
import { credentialName } from '../../config/redact.ts';
import { mostRedirects } from '../../net/http/redirect.ts';
import { firstRequest } from '../../net/http/request.ts';

export interface CurlOptions {
  /** Masks secrets: a part of the request that it would change is left for a shell variable to fill in. */
  readonly redact: (text: string) => string;
  readonly version: string;
  /** The target speaks nothing else. */
  readonly isHttp2: boolean;
  /** The probe refused to follow a redirect; curl would follow it. */
  readonly isRedirectRefused: boolean;
}

/** A part of a word on the command line: as it is, or from a shell variable. */
type Piece = string | { readonly variable: string };
type Word = string | readonly Piece[];

/**
 * One line for a POSIX shell. Secrets are variables named after their place: `$AUTHORIZATION`, `$TOKEN`, `$BODY`,
 * `$PROXY_LOGIN`. Curl's `--cacert` replaces the authorities of the system, where `tls_ca_file` adds to them.
 */
export function curlLine(
  monitor: HttpMonitor,
  { redact, version, isHttp2, isRedirectRefused }: CurlOptions,
): string {
  const isSecret = (text: string) => redact(text) !== text;
  const request = firstRequest(monitor, `statusd/${version}`);
  const protocol = isHttp2 ? '--http2' : '--http1.1';
  const words: Word[] = ['curl', '-sS', '-i', protocol, '--max-time', String(monitor.timeout_secs)];
  if (monitor.follow_redirects && !isRedirectRefused) words.push('-L', '--max-redirs', String(mostRedirects));
  // Left out where the body implies it: curl would repeat a method of -X after a redirect that makes it a GET.
  if (request.method === 'HEAD') words.push('--head');
  else if (request.method !== (request.body === null ? 'GET' : 'POST')) words.push('-X', request.method);
  for (const [name, value] of request.headers) {
    // Curl sends it on its own.
    if (name === 'accept' && value === '*/*') continue;
    words.push('-H', headerWord(name, value, isSecret));
  }
  const { body } = monitor;
  if (body !== null) {
    // Curl would add a type of its own.
    if (!request.headers.some(([name]) => name.toLowerCase() === 'content-type'))
      words.push('-H', 'content-type:');
    words.push('--data-raw', isSecret(body) || holdsCredential(body) ? [{ variable: 'BODY' }] : body);
  }
  if (monitor.proxy !== null) words.push(...proxyWords(new URL(monitor.proxy)));
  if (!monitor.tls_verify) words.push('-k');
  if (monitor.tls_ca_file !== null) words.push('--cacert', monitor.tls_ca_file);
  if (/[[\]{}]/.test(request.url.href)) words.push('-g');
  words.push(urlWord(request.url, isSecret));
  return words.map(quote).join(' ');
}

const credentialField = new RegExp(
  String.raw`[\w.-]{0,40}(?:${credentialName.source})[\w.-]{0,40}["']?\s*[:=>]\s*[^\s&]`,
  'i',
);

/** Whether a field of a form, a JSON or an XML document is a credential by its name, as a header is. */
function holdsCredential(body: string): boolean {
  return credentialField.test(body);
}

function headerWord(name: string, value: string, isSecret: (text: string) => boolean): Word {
  if (credentialName.test(name) || isSecret(value)) return [`${name}: `, { variable: variableName(name) }];
  // A header without a value ends in a semicolon.
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** The name of a SOCKS target is looked up by the proxy, which curl calls `socks5h`. */
function proxyWords(proxy: URL): Word[] {
  const scheme = proxy.protocol === 'socks5:' ? 'socks5h:' : proxy.protocol;
  const words: Word[] = ['-x', `${scheme}//${proxy.host}`];
  if (proxy.username !== '') words.push('--proxy-user', [{ variable: 'PROXY_LOGIN' }]);
  return words;
}

/** Only the secret parts of a URL are variables: a segment of its path, a value of its query. */
function urlWord(url: URL, isSecret: (text: string) => boolean): Word {
  const pieces: Piece[] = [url.origin];
  for (const segment of url.pathname.split('/').slice(1)) {
    pieces.push('/', isSecret(segment) ? { variable: 'SEGMENT' } : segment);
  }
  const parameters = url.search === '' ? [] : url.search.slice(1).split('&');
  for (const [index, parameter] of parameters.entries()) {
    const [name = '', ...rest] = parameter.split('=');
    const value = rest.join('=');
    pieces.push(index === 0 ? '?' : '&', name);
    if (rest.length === 0) continue;
    pieces.push('=', credentialName.test(name) || isSecret(value) ? { variable: variableName(name) } : value);
  }
  const shown = pieces.filter((piece) => typeof piece === 'string').join('');
  return isSecret(shown) ? [{ variable: 'TARGET' }] : pieces;
}

function variableName(name: string): string {
  const word = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[A-Z]/.test(word) ? word : `_${word}`;
}

const needsNoQuotes = /^[\w/:=.,@%+-]+$/;

function quote(word: Word): string {
  if (typeof word === 'string' || word.every((piece) => typeof piece === 'string')) {
    const text = typeof word === 'string' ? word : word.join('');
    return needsNoQuotes.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  }
  const inside = word.map((piece) =>
    typeof piece === 'string' ? piece.replace(/[\\"$`]/g, '\\$&') : `\${${piece.variable}}`,
  );
  return `"${inside.join('')}"`;
}
