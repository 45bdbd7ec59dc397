/** Reads values of the YAML of Gatus, of which nothing has been validated. */
import type { Remarks } from '../item.ts';
import { anObject } from '../../../engine/core/decode.ts';
import { type Loose, ownValue, recordsIn } from '../record.ts';
import { composed, type ComposedText, type Variable } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { goDurationMs, goInteger } from './condition.ts';

export { recordsIn, type Loose };

/** The text under a key, which numbers and booleans are as well; empty for anything else. */
export function textAt(record: Loose, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function recordAt(record: Loose, key: string): Loose {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return anObject(value) ? value : {};
}

export function textsAt(record: Loose, key: string): string[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : [];
}

/** The words that Go's loader takes for a boolean; it is strict about letter case, and so are its files. */
const flags: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['true', 'y', 'yes', 'on'].map((word) => [word, true])),
  ...Object.fromEntries(['false', 'n', 'no', 'off'].map((word) => [word, false])),
};

/** The boolean under a key. A variable, or what is none, is reported and stands for the fallback. */
export function flagAt(
  record: Loose,
  key: string,
  { fallback, remarks }: { readonly fallback: boolean; readonly remarks: Remarks },
): boolean {
  const text = textAt(record, key);
  if (text === '') return fallback;
  const flag = ownValue(flags, text.toLowerCase());
  if (flag === undefined) unknownValue(key, text, { taken: String(fallback), remarks });
  return flag ?? fallback;
}

function unknownValue(
  key: string,
  text: string,
  { taken, remarks }: { readonly taken: string; readonly remarks: Remarks },
): void {
  const what = hasVariables(text) ? 'a variable' : 'not readable';
  remarks.approximate(`${key} is ${what}: statusd takes ${taken}`);
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

/** The whole number under a key. A variable, or what is none, is reported and stands for the fallback. */
export function numberAt(
  record: Loose,
  key: string,
  { fallback, remarks }: { readonly fallback: number; readonly remarks: Remarks },
): number {
  const text = textAt(record, key);
  if (text === '') return fallback;
  const number = goInteger(text);
  if (number === null) unknownValue(key, text, { taken: String(fallback), remarks });
  return number ?? fallback;
}

/** Whether anything is given under a key; a boolean that is false is not. */
export function isGiven(record: Loose, key: string): boolean {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined || value === null || value === '') return false;
  if (typeof value === 'string') return ownValue(flags, value.toLowerCase()) !== false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
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

/** Stand before and after the name of a variable in a text that is taken apart first. */
const mark = { start: '\u{F0000}', end: '\u{F0001}' } as const;

/** The text with marks around the names of its variables, for withMarkedVariables. */
export function markVariables(text: string): string {
  return partsOf(text.replace(/[\u{F0000}\u{F0001}]/gu, ''))
    .map((part) => (typeof part === 'string' ? part : `${mark.start}${part.variable}${mark.end}`))
    .join('');
}

export function hasMarks(text: string): boolean {
  return text.includes(mark.start);
}

/** A marked text with its variables, which are noted as wanted. */
export function withMarkedVariables(text: string, secrets: Secrets): string | ComposedText {
  const parts = text.split(/\u{F0000}([A-Za-z0-9_]*)\u{F0001}/u);
  return withParts(
    parts.map((part, index) => (index % 2 === 0 ? part : { variable: part })),
    secrets,
    'text',
  );
}

/** The text with its variables, which are noted as wanted. */
export function withVariables(text: string, secrets: Secrets, shape: Shape = 'text'): string | ComposedText {
  return withParts(partsOf(text), secrets, shape);
}

function withParts(
  parts: readonly (string | Variable)[],
  secrets: Secrets,
  shape: Shape,
): string | ComposedText {
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
