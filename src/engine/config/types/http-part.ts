/** The parts of an HTTP request. */
import { Secret } from '../secret.ts';
import { tableOf } from './collection.ts';
import { bad, good, notA, type ValueReading, type ValueType } from './value.ts';

/** The characters of a token, RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that belong to the connection, so that a request of ours cannot choose them. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A request method in capitals. */
export const method: ValueType<string> = {
  name: 'an HTTP method',
  schema: { type: 'string', minLength: 1, maxLength: 32 },
  isSecret: false,
  read: (raw): ValueReading<string> => {
    if (typeof raw !== 'string') return notA('an HTTP method', raw);
    if (!token.test(raw) || raw.length > 32)
      return bad('must be an HTTP method', 'for example GET, HEAD or POST');
    return raw.toUpperCase() === 'CONNECT' ? bad('must not be CONNECT') : good(raw.toUpperCase());
  },
};

/** The name of a header in lower case. */
export const headerName: ValueType<string> = {
  name: 'the name of a header',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('the name of a header', raw);
    return token.test(raw) && raw.length <= 200
      ? good(raw.toLowerCase())
      : bad('must be the name of a header', 'for example x-real-ip');
  },
};

const headerValue: ValueType<string> = {
  name: 'text',
  schema: { type: 'string' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('text', raw);
    if (/[\r\n]/.test(raw)) return bad('must not contain line breaks');
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(raw)) return bad('must not contain control codes');
    if (/[^\0-\u00ff]/.test(raw)) {
      return bad('must not contain characters above U+00FF', 'a header is Latin-1: percent-encode the value');
    }
    return good(raw.trim());
  },
};

function refuseHeader(key: string): string | null {
  if (!token.test(key)) return 'is not the name of a header';
  return ownHeaders.has(key.toLowerCase()) ? 'is a header of the connection; remove it' : null;
}

const headerBounds = {
  name: 'a table of header = "value"',
  identity: (key: string) => key.toLowerCase(),
};

/** The headers of a request: name to value. */
export const headers = tableOf(headerValue, { ...headerBounds, refuseKey: refuseHeader });

/** Headers that say what the body of a request is, where that is not for the file to choose. */
const bodyHeaders = /^(?:content-type|content-encoding|x-prometheus-remote-write-version)$/i;

/** The headers of a request with a body of ours, whose values are never shown. */
export const secretHeaders = tableOf<Secret>(
  {
    ...headerValue,
    isSecret: true,
    read: (raw) => {
      const reading = headerValue.read(raw);
      return reading.isGood ? good(new Secret(reading.value)) : reading;
    },
  },
  {
    ...headerBounds,
    refuseKey: (key) =>
      refuseHeader(key) ?? (bodyHeaders.test(key) ? 'is a header that statusd sets itself; remove it' : null),
  },
);
