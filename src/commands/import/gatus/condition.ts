/** Reads the conditions of Gatus, `[STATUS] == 200` or `len([BODY].data) < 5`, and compares values as Gatus does. */
import { ownValue } from '../record.ts';
import type { PathStep } from '../json-path.ts';

export type Operator = '==' | '!=' | '<=' | '>=' | '>' | '<';

/** What is looked at. */
type Subject =
  | { readonly kind: 'status' | 'response_time' | 'certificate' | 'domain' | 'connected' | 'rcode' | 'ip' }
  /** The body as it is, or what a path finds in it. */
  | {
      readonly kind: 'body' | 'has' | 'length';
      readonly path: readonly PathStep[];
      readonly isWhole: boolean;
    };

/** What it is compared with. */
export type ComparedValue =
  /** A text as it is written, which may be `pat(…)` or `any(…)`. */
  | { readonly kind: 'text' | 'pattern' | 'any'; readonly written: string }
  | { readonly kind: 'path'; readonly path: readonly PathStep[] };

export interface Condition {
  readonly subject: Subject;
  readonly operator: Operator;
  readonly wanted: ComparedValue;
}

/** In the order in which Gatus looks for them. */
const operators: readonly Operator[] = ['==', '!=', '<=', '>=', '>', '<'];

const turned: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<=': '>=',
  '>=': '<=',
  '>': '<',
  '<': '>',
};

/** Null for what is no condition, or looks at something this importer does not know. */
export function readCondition(written: string): Condition | null {
  const operator = operators.find((one) => written.includes(` ${one} `));
  if (operator === undefined) return null;
  // Gatus splits at every operator and compares the first two parts alone.
  const [left = '', right = ''] = written.split(` ${operator} `).map((side) => side.trim());
  const subject = subjectOf(left);
  if (subject !== null) return withWanted(subject, operator, right);
  const other = subjectOf(right);
  return other === null ? null : withWanted(other, turned[operator], left);
}

function withWanted(subject: Subject, operator: Operator, text: string): Condition | null {
  const wanted = wantedOf(text);
  return wanted === null ? null : { subject, operator, wanted };
}

const placeholders: Readonly<
  Record<string, 'status' | 'response_time' | 'certificate' | 'domain' | 'connected' | 'rcode' | 'ip'>
> = {
  '[STATUS]': 'status',
  '[RESPONSE_TIME]': 'response_time',
  '[CERTIFICATE_EXPIRATION]': 'certificate',
  '[DOMAIN_EXPIRATION]': 'domain',
  '[CONNECTED]': 'connected',
  '[DNS_RCODE]': 'rcode',
  '[IP]': 'ip',
};

function subjectOf(side: string): Subject | null {
  const kind = ownValue(placeholders, side.toUpperCase());
  if (kind !== undefined) return { kind };
  const [, name, inner] = /^(len|has)\((.*)\)$/s.exec(side) ?? [];
  const path = bodyPath(inner ?? side);
  if (path === null) return null;
  const what = name === 'len' ? 'length' : name === 'has' ? 'has' : 'body';
  return { kind: what, path, isWhole: path.length === 0 };
}

/** Null where it is none, or one that finds nothing in any body, such as `[BODY].items[*].id`. */
function bodyPath(side: string): readonly PathStep[] | null {
  const [, rest] = /^\[BODY\](|[.[].*)$/is.exec(side) ?? [];
  if (rest === undefined) return null;
  const path = rest.replace(/^\./, '');
  if (path === '') return rest === '' ? [] : null;
  const steps: PathStep[] = [];
  for (const part of path.split('.')) {
    const [, name = '', indices = ''] = /^([^[\]]*)((?:\[\d{1,9}\])*)$/.exec(part) ?? [];
    if (name === '' && indices === '') return null;
    if (name !== '') steps.push(name);
    steps.push(
      ...indices
        .split(/[[\]]+/)
        .filter((text) => text !== '')
        .map(Number),
    );
  }
  return steps;
}

function wantedOf(side: string): ComparedValue | null {
  const [, name] = /^(pat|any)\(.*\)$/s.exec(side) ?? [];
  if (name !== undefined) return { kind: name === 'pat' ? 'pattern' : 'any', written: side };
  const path = bodyPath(side);
  if (path !== null) return { kind: 'path', path };
  // Another placeholder, or a function of one: nothing here can compare the two.
  return /^(?:\w+\()?\[[A-Z_]+\]/.test(side) ? null : { kind: 'text', written: side };
}

/** The texts of `any(UP, OK)`, and the pattern of `pat(U*)`. */
export function optionsOf(written: string): string[] {
  return written
    .slice(4, -1)
    .split(',')
    .map((text) => text.trim());
}

export function patternOf(written: string): string {
  return written.slice(4, -1);
}

/** Whether Gatus takes the condition as met when its subject is this text; null where the body decides that. */
export function isMetBy(value: string, { operator, wanted }: Condition): boolean | null {
  if (wanted.kind === 'path') return null;
  switch (operator) {
    case '==':
      return isSame(value, wanted);
    case '!=':
      return !isSame(value, wanted);
    case '<':
      return wholeNumber(value) < wholeNumber(wanted.written);
    case '<=':
      return wholeNumber(value) <= wholeNumber(wanted.written);
    case '>':
      return wholeNumber(value) > wholeNumber(wanted.written);
    case '>=':
      return wholeNumber(value) >= wholeNumber(wanted.written);
  }
}

function isSame(value: string, { kind, written }: Exclude<ComparedValue, { kind: 'path' }>): boolean {
  if (kind === 'pattern') return matchesPattern(patternOf(written), value);
  if (kind === 'any') return optionsOf(written).includes(value);
  const number = goInteger(written);
  return value === written || (number !== null && number === goInteger(value));
}

/** What Gatus takes a text for where it compares sizes: milliseconds of a duration, a number without its fraction, 0. */
export function wholeNumber(text: string): number {
  const ms = goDurationMs(text);
  if (ms !== null && ms !== 0) return Math.trunc(ms);
  const number =
    goInteger(text) ?? (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : 0);
  return Number.isFinite(number) ? Math.trunc(number) : 0;
}

/** An integer as Go spells them: `42`, `0x2a`, `052`, `0b10`, `1_000`. Null for anything else. */
export function goInteger(text: string): number | null {
  const [, sign, digits = ''] =
    /^([+-]?)(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]*|[1-9][\d_]*)$/.exec(text) ?? [];
  if (sign === undefined || digits.endsWith('_') || digits.includes('__')) return null;
  const plain = digits.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  const number = Number(plain);
  if (Number.isNaN(number)) return null;
  return sign === '-' ? -number : number;
}

/** Writes a number of JSON as Go prints it: `1.5`, but `1e+06` for a million. */
export function goNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

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

/** Reads the durations of Go, `30s`, `1h30m` or `1.5h`, in milliseconds; null when the text is none. */
export function goDurationMs(text: string): number | null {
  const written = text.trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(written)) return null;
  let sum = 0;
  for (const [, number = '0', unit = ''] of written.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0);
  }
  return sum;
}

/** A part of a pattern: a text, or in the syntax of RE2 the characters that may stand in its place. */
export type PatternPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one'; readonly source: string };

/** The parts of a pattern of Gatus; null for one that matches nothing, such as `a[`. Gatus passes over slashes. */
export function patternParts(pattern: string): readonly PatternPart[] | null {
  const parts: PatternPart[] = [];
  const token = /\*+|\?|\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|([^*?[\\])/gsuy;
  const plain = pattern.replaceAll('/', '');
  while (token.lastIndex < plain.length) {
    const match = token.exec(plain);
    if (match === null) return null;
    const [all, escaped, negation, set, character] = match;
    const last = parts.at(-1);
    const text = escaped ?? character;
    if (text !== undefined) {
      if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text };
      else parts.push({ kind: 'text', text });
    } else if (set !== undefined) {
      const source = set.replace(
        /\\(.)|[[^&|~]/gs,
        (mark, after: string | undefined) => `\\${after ?? mark}`,
      );
      parts.push({ kind: 'one', source: `[${negation ?? ''}${source}]` });
    } else parts.push(all === '?' ? { kind: 'one', source: '[^/]' } : { kind: 'any' });
  }
  return parts;
}

/** Whether a pattern of Gatus, where `*` is any text and `?` any character, matches. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = patternParts(pattern);
  if (parts === null) return false;
  return hasParts(parts, Array.from(text.replaceAll('/', '')));
}

function hasParts([part, ...rest]: readonly PatternPart[], characters: readonly string[]): boolean {
  switch (part?.kind) {
    case undefined:
      return characters.length === 0;
    case 'any':
      return characters.concat('').some((_, index) => hasParts(rest, characters.slice(index)));
    case 'one': {
      const [first] = characters;
      return (
        first !== undefined &&
        new RegExp(`^${part.source}$`, 'u').test(first) &&
        hasParts(rest, characters.slice(1))
      );
    }
    case 'text': {
      const length = Array.from(part.text).length;
      return characters.slice(0, length).join('') === part.text && hasParts(rest, characters.slice(length));
    }
  }
}
