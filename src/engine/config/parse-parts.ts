/** TOML text to plain tables, a part at a time: a long list of tables is as many steps as it takes. */
import type { Steps } from '../core/yielding.ts';
import { parseToml, type RawTable, type SyntaxFault } from './parse.ts';

/** A stretch of a text that is TOML by itself. */
export interface TomlPart {
  readonly text: string;
  /** How many lines are before it. */
  readonly line: number;
  /** What it has at its top, with the length of what is a list; null: it is none. */
  readonly lengths: ReadonlyMap<string, number | null>;
}

type PartsReading =
  | { readonly table: RawTable; readonly parts: readonly TomlPart[] }
  | { readonly fault: SyntaxFault };

/** The text as one part. */
export function wholeText(text: string): TomlPart {
  return { text, line: 0, lengths: new Map() };
}

/** The length of a part in UTF-16 units; longer if its last table is. */
const partLength = 16_384;

/**
 * What `parseToml` makes of the text. The parts begin at a `[[monitors]]`; a text that means another thing in parts than
 * it does as a whole is parsed as a whole, in one step.
 */
export function* parseParts(text: string): Steps<PartsReading> {
  const ends = endsOfParts(text);
  const parts: TomlPart[] = [];
  const table: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let start = 0;
  let line = 0;
  for (let index = 0; index < ends.length; index++) {
    let part = text.slice(start, ends[index]);
    let parsed = parseToml(part);
    // A heading inside of a string of several lines is none: the string ends in a later part.
    for (let more = 1; isOpenString(parsed) && index < ends.length - 1; more *= 2) {
      index = Math.min(index + more, ends.length - 1);
      part = text.slice(start, ends[index]);
      parsed = parseToml(part);
    }
    // What is said of it names lines, which count from the start of the text.
    if ('fault' in parsed) return line === 0 ? parsed : whole(text);
    if (ends.length === 1) return { table: parsed.table, parts: [wholeText(text)] };
    const entries = Object.entries(parsed.table);
    for (const [key, value] of entries) {
      const before = table[key];
      if (before === undefined) table[key] = value;
      // Only `[[key]]` makes a list behind the first part, and it adds to what `[[key]]` made.
      else if (Array.isArray(before) && Array.isArray(value) && parts[0]?.lengths.has(key) === false)
        before.push(...(value as readonly unknown[]));
      else return whole(text);
    }
    const lengths = entries.map(([key, value]) => [key, Array.isArray(value) ? value.length : null] as const);
    parts.push({ text: part, line, lengths: new Map(lengths) });
    line += part.split('\n').length - 1;
    start = ends[index] ?? text.length;
    yield;
  }
  return { table, parts };
}

function whole(text: string): PartsReading {
  const parsed = parseToml(text);
  return 'fault' in parsed ? parsed : { table: parsed.table, parts: [wholeText(text)] };
}

/** Where the parts end: before a heading, and where the text does. The first part has no monitors in it. */
function endsOfParts(text: string): readonly number[] {
  const ends: number[] = [];
  if (text.length > 2 * partLength) {
    let last = -partLength;
    for (const { index } of text.matchAll(/(?<![^\n])[ \t]*\[\[[ \t]*monitors[ \t]*\]\]/g)) {
      if (index - last < partLength) continue;
      ends.push(index);
      last = index;
    }
  }
  return [...ends, text.length];
}

function isOpenString(parsed: ReturnType<typeof parseToml>): boolean {
  return 'fault' in parsed && parsed.fault.message === 'a string has no end';
}
