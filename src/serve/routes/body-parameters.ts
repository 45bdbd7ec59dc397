/** Reads query parameters from the body as well, in the encodings that senders use. */
import type { IncomingHttpHeaders } from 'node:http';
import { anObject, parseJson, readAs } from '../../engine/core/decode.ts';
import { HttpProblem } from '../problem.ts';
import type { Parameters } from './parameter.ts';

/**
 * The query with what it leaves out of `parameters` and a body brings: a form, or a JSON object of nothing else. Other JSON
 * is what another program has to say, whose words mean something else, and any other text is a log.
 */
export function withBody(
  query: URLSearchParams,
  parameters: Parameters,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
): URLSearchParams {
  const names = Object.keys(parameters).filter((name) => parameters[name]?.in === 'query');
  const given = textsOf(headers['content-type'] ?? '', { body, names });
  const whole = new URLSearchParams();
  for (const name of names) {
    const written = query.get(name) ?? '';
    whole.set(name, written === '' ? (given.get(name) ?? '') : written);
  }
  return whole;
}

interface Texts {
  readonly get: (name: string) => string | null | undefined;
}

/** What JSON says counts whatever type it is sent as: curl calls it a form, and fetch a text. */
function textsOf(
  type: string,
  { body, names }: { readonly body: Buffer; readonly names: readonly string[] },
): Texts {
  // A message may be in another encoding, or cut in the middle of a character: what else is said counts all the same.
  const text = new TextDecoder().decode(body);
  const fields = readAs(parseJson(text), anObject);
  if (fields !== null) return textsIn(fields, names);
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return new URLSearchParams(text);
  const [, quoted, bare] =
    /^multipart\/form-data\b.*;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined ? new Map() : partsOf(text, boundary);
}

function textsIn(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Texts {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  const isOurs = entries.every(([name]) => names.includes(name));
  return new Map(isOurs ? entries.map(([name, value]) => [name, textOf(value)]) : []);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // More levels than the stack has room for.
    throw new HttpProblem(400, 'The body is nested too deeply.');
  }
}

const disposition = /^content-disposition: *form-data\b.*;[ \t]*name="([^"]*)"/im;

/** The fields of a form in parts (RFC 7578), as `curl -F` sends it. */
function partsOf(text: string, boundary: string): Texts {
  const fields = new Map<string, string>();
  for (const part of `\r\n${text}`.split(`\r\n--${boundary}`)) {
    const end = part.indexOf('\r\n\r\n');
    const name = disposition.exec(part.slice(0, Math.max(0, end)))?.[1];
    if (name !== undefined && !fields.has(name)) fields.set(name, part.slice(end + 4));
  }
  return fields;
}
