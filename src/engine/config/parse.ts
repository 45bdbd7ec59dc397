/** TOML text to plain tables. */
import { parse, TomlError } from 'smol-toml';
import { givenTwice } from './given-twice.ts';
import type { TextPosition } from './problem.ts';

export type RawTable = Readonly<Record<string, unknown>>;

/** Where and why a text is not TOML. */
export interface SyntaxFault extends TextPosition {
  readonly message: string;
  readonly hint: string | null;
}

/**
 * What the parser's sentences mean, with a cure. The parser's own message is never passed on: it quotes the
 * line, and the line may hold a secret.
 */
const cures: Readonly<Record<string, readonly [message: string, hint: string | null]>> = {
  'unfinished string': ['a string has no end', 'close it with the quotation mark it begins with'],
  'unfinished array': ['an array has no end', 'close it with ]'],
  'unfinished table': ['an inline table has no end', 'close it with }'],
  'control characters are not allowed in strings': [
    'a string holds a line break or a control code',
    'close the string on its line, or use """ for several lines',
  ],
  'control characters are not allowed in comments': ['a comment holds a control code', 'remove it'],
  'unrecognised escape sequence': [
    'a string has an unknown escape after a backslash',
    "write \\\\ for a backslash, or use '…' quotes, where a backslash is itself",
  ],
  'invalid value': ['here should be a value', 'text needs quotation marks'],
  'expected comma or end of structure': ['here should be a comma or the closing bracket', null],
  'each key-value declaration must be followed by an end-of-line': [
    'there is something after the value',
    'write one key = value a line; a string that holds quotation marks needs the other kind around it',
  ],
  'illegal character in key': [
    'a key has a character it cannot have',
    'write key = value; a key with other characters than letters, digits, - and _ needs quotation marks',
  ],
  'incomplete key-value: cannot find end of key': ['a key has no value', 'write key = value'],
  'unexpected end of key': ['here should be a key', 'write key = value'],
  'illegal empty bare key': ['a key is empty between its dots', null],
  'expected end of table array declaration': ['the heading has no end', 'write [[name]]'],
  'illegal leading zero': ['a number begins with 0', 'write it without the zero, or in quotation marks'],
  'invalid date': ['here is a time that does not exist', null],
};

const twice: readonly string[] = [
  'trying to redefine an already defined table or value',
  'trying to redefine an already defined value',
];

/** The tables of a TOML 1.0 or 1.1 text, with integers beyond 2^53 as bigint. Tables have no prototype. */
export function parseToml(text: string): { readonly table: RawTable } | { readonly fault: SyntaxFault } {
  try {
    const table = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: 100 });
    const fault = findImpossibleDay(text);
    return fault === null ? { table } : { fault };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const said = /^Invalid TOML document: (.*)$/m.exec(error.message)?.[1] ?? '';
    const { line, column } = error;
    const [message, hint] = twice.includes(said)
      ? [givenTwice(text, { line, column }), 'keep one of the two']
      : (cures[said] ?? ['this is not valid TOML', null]);
    return { fault: { line, column, message, hint } };
  }
}

/** What of a text can hold no value: strings and comments. */
const strings = String.raw`"""(?:[^\\]|\\[^])*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#.*`;
/** Days outside of those; not in keys, which may look like one. */
const days = new RegExp(
  String.raw`${strings}|(?=\d{4}-)(?<=[=[,]\s*)(\d{4})-(\d\d)-(\d\d)(?![\w-]*\s*=)`,
  'g',
);

/** The parser takes February 30 for March 2; a window that moves by itself is worse than an error. */
function findImpossibleDay(text: string): SyntaxFault | null {
  for (const { 1: year, 2: month, 3: day, index } of text.matchAll(days)) {
    if (year === undefined) continue;
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    if (date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)) continue;
    const before = text.slice(0, index).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    return { line: before.length, column, message: 'this day does not exist', hint: null };
  }
  return null;
}
