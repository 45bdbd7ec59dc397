/** URLs of the schemes a setting can use. */
import { hasControlCode } from './text.ts';
import { bad, good, notA, type ValueType } from './value.ts';

interface UrlRules {
  /** Without the colon: `https`. */
  readonly schemes: readonly string[];
  readonly example: string;
  /** Whether only scheme, host and port may be given. */
  readonly isOrigin?: boolean;
}

/** A URL with a host. The value is the text as written, without blanks around it. */
function url({ schemes, example, isOrigin = false }: UrlRules): ValueType<string> {
  const name = `a URL with ${list(schemes)}`;
  const hint = `for example ${example}`;
  return {
    name,
    schema: { type: 'string', pattern: `^(${schemes.join('|')})://` },
    isSecret: false,
    read: (raw) => {
      if (typeof raw !== 'string') return notA(name, raw);
      if (raw === '') return bad('must not be empty', hint);
      const written = raw.trim();
      if (hasControlCode(written) || /\s/.test(written))
        return bad('must not contain blanks or control codes');
      const parsed = parseUrl(written);
      if (parsed === null) return bad(`must be ${name}`, hint);
      const scheme = parsed.protocol.slice(0, -1);
      if (!schemes.includes(scheme) || !written.toLowerCase().startsWith(`${scheme}://`)) {
        return bad(`must be ${name}`, hint);
      }
      // The standard takes the first part of the path for the host then: https:///health would be https://health/.
      if (parsed.hostname === '' || /^[^:]*:\/\/[/\\]/.test(written)) return bad('must name a host', hint);
      if (parsed.hostname.startsWith('-')) return bad('must not name a host that begins with a hyphen');
      if (!isOrigin) return good(written);
      const isBare = parsed.pathname.length <= 1 && parsed.search === '' && parsed.hash === '';
      return isBare && parsed.username === ''
        ? good(`${scheme}://${parsed.host}`)
        : bad('must stop after the host', hint);
    },
  };
}

const webOrigin = url({ schemes: ['http', 'https'], example: 'https://www.example.com', isOrigin: true });

/** Whose web pages are meant: an origin, or `*` for any. */
export const origin: ValueType<string> = {
  ...webOrigin,
  schema: { anyOf: [webOrigin.schema, { const: '*' }] },
  read: (raw) => (raw === '*' ? good(raw) : webOrigin.read(raw)),
};

/** An http or https URL. */
export const webUrl = url({ schemes: ['http', 'https'], example: 'https://example.com/health' });

/** The last three are other words for verify-full: a connection that is encrypted is verified. */
const modesOfTls = new Set(['disable', 'no-verify', 'verify-full', 'verify-ca', 'require', 'prefer']);

/** Null: it is none. The host may be left out, which the standard does not know. */
export function parseDatabaseUrl(written: string): URL | null {
  return parseUrl(written.replace(/^(\w+:\/\/(?:[^@/]*@)?)(?=\/)/, '$1socket'));
}

/** Of a PostgreSQL database. The host may be left out, or be a folder under `host`: then it is a socket. */
export const databaseUrl: ValueType<string> = {
  name: 'a URL with postgres or postgresql',
  schema: { type: 'string', pattern: '^postgres(ql)?://' },
  isSecret: false,
  read: (raw) => {
    const hint = 'for example postgres://statusd@db.example.com/statusd';
    if (typeof raw !== 'string') return notA('a URL with postgres or postgresql', raw);
    const written = raw.trim();
    if (hasControlCode(written) || /\s/.test(written)) return bad('must not contain blanks or control codes');
    if (!/^postgres(?:ql)?:\/\//.test(written)) return bad('must be a URL with postgres or postgresql', hint);
    if (/^\w+:\/\/(?:[^@/]*@)?[^/?#]*,/.test(written))
      return bad('must name a single server', 'use an address that leads to the one that accepts writes');
    const parsed = parseDatabaseUrl(written);
    if (parsed === null) return bad('must be a URL with postgres or postgresql', hint);
    const mode = parsed.searchParams.get('sslmode');
    if (mode !== null && !modesOfTls.has(mode))
      return bad('has an unknown sslmode: it must be disable, verify-full or no-verify');
    return parsed.pathname.length > 1 ? good(written) : bad('must name a database', hint);
  },
};

const anyProxy = url({ schemes: ['http', 'https', 'socks5'], example: 'socks5://127.0.0.1:9050' });

/** A proxy. `socks5h`, which asks the proxy to look up names, is another word for `socks5`: it always does. */
export const proxyUrl: ValueType<string> = {
  ...anyProxy,
  schema: { type: 'string', pattern: '^(https?|socks5h?)://' },
  read: (raw) => anyProxy.read(typeof raw === 'string' ? raw.replace(/^\s*socks5h:/i, 'socks5:') : raw),
};

/** The address of a topic: the last part of its path is the name of the topic. */
export const topicUrl: ValueType<string> = {
  ...webUrl,
  read: (raw) => {
    const reading = webUrl.read(raw);
    if (!reading.isGood) return reading;
    const topic = new URL(reading.value).pathname.split('/').at(-1);
    return topic === ''
      ? bad('must end with the name of the topic', 'for example https://ntfy.sh/my-topic')
      : reading;
  },
};

/** The base of the pages this server hands out, without a slash at its end. */
export const baseUrl: ValueType<string> = {
  ...webUrl,
  read: (raw) => {
    const reading = webUrl.read(raw);
    if (!reading.isGood) return reading;
    const parsed = new URL(reading.value);
    if (parsed.search !== '' || parsed.hash !== '') return bad('must not have a query or a fragment');
    return good(reading.value.replace(/\/+$/, ''));
  },
};

function list(schemes: readonly string[]): string {
  return `${schemes.slice(0, -1).join(', ')} or ${schemes.at(-1) ?? ''}`;
}

/** A URL, or null when the text is none: `new URL` throws on some, such as `//`. */
export function parseUrl(written: string): URL | null {
  try {
    return new URL(written);
  } catch {
    return null;
  }
}
