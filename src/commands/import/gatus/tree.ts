/** Reads values of the YAML of Gatus, of which nothing has been validated. */
import type { Remarks } from '../item.ts';
import { anObject } from '../../../engine/core/decode.ts';
import { type Loose, recordsIn } from '../record.ts';
import { composed, type ComposedText, type Variable } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';

export { recordsIn, type Loose };

/** Text, and numbers as they are written; empty for anything else. */
export function textAt(record: Loose, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : '';
}

export function recordAt(record: Loose, key: string): Loose {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return anObject(value) ? value : {};
}

export function textsAt(record: Loose, key: string): string[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
}

export function flagAt(record: Loose, key: string, fallback: boolean): boolean {
  const text = textAt(record, key);
  return text === '' ? fallback : text === 'true';
}

/** The seconds of a duration; null when there is none. One that cannot be read, or is a variable, is reported. */
export function secondsAt(record: Loose, key: string, remarks: Remarks): number | null {
  const text = textAt(record, key);
  if (text === '') return null;
  const ms = goDurationMs(text);
  if (ms === null)
    remarks.drop(`${key}: ${hasVariables(text) ? 'a variable in place of a duration' : 'no duration'}`);
  return ms === null ? null : ms / 1000;
}

export function numberAt(record: Loose, key: string, fallback: number): number {
  const text = textAt(record, key);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? fallback : number;
}

/** Whether anything is given under a key. */
export function isGiven(record: Loose, key: string): boolean {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Reads the durations of Go: `30s`, `1h30m`, `1.5h`. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds; null when the text is none. */
export function goDurationMs(text: string): number | null {
  const written = text.trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(written)) return null;
  let sum = 0;
  for (const [, number = '0', unit = ''] of written.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0);
  }
  return sum;
}

/** What a value is, for a variable nobody knows here to be tried with something alike. */
export type Shape = 'text' | 'address' | 'mailbox';

/** Gatus replaces `$NAME` and `${NAME}`; `$$` is a dollar. A name it cannot have is an empty text. */
const reference = /\$\$|\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

function partsOf(text: string): readonly (string | Variable)[] {
  const parts: (string | Variable)[] = [];
  let end = 0;
  for (const match of text.matchAll(reference)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name === undefined) parts.push('$');
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) parts.push({ variable: name });
  }
  return joined([...parts, text.slice(end)]);
}

/** What the text says with its variables left out. */
export function plainText(text: string): string {
  return partsOf(text)
    .filter((part) => typeof part === 'string')
    .join('');
}

export function hasVariables(text: string): boolean {
  return partsOf(text).some((part) => typeof part === 'object');
}

/** The text with its variables, which are noted as wanted. */
export function withVariables(text: string, secrets: Secrets, shape: Shape = 'text'): string | ComposedText {
  const parts = partsOf(text);
  parts.forEach((part, index) => {
    if (typeof part === 'object') secrets.note(part.variable, standIn(parts, index, shape));
  });
  return composed(...parts);
}

/** A secret of the file itself becomes a variable; one that has variables in it keeps them. */
export function secretValue(
  text: string,
  secrets: Secrets,
  about: { readonly label: string; readonly origin: string; readonly shape?: Shape },
): string | ComposedText {
  if (text === '') return '';
  if (hasVariables(text)) return withVariables(text, secrets, about.shape ?? 'text');
  return secrets.keep(plainText(text), about);
}

const standIns: Readonly<Record<Shape, string>> = {
  text: 'value',
  address: 'https://example.com/value',
  mailbox: 'someone@example.com',
};

function standIn(parts: readonly (string | Variable)[], index: number, shape: Shape): string {
  if (parts.length === 1) return standIns[shape];
  const before = parts[index - 1];
  if (typeof before === 'string' && before.endsWith(':')) return '8080';
  return shape === 'text' ? 'value' : 'example.com';
}

function joined(parts: readonly (string | Variable)[]): (string | Variable)[] {
  const whole: (string | Variable)[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
    else if (part !== '') whole.push(part);
  }
  return whole;
}
