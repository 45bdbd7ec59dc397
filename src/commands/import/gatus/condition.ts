/** Reads the conditions of Gatus: `[STATUS] == 200`, `len([BODY].data) < 5`. */
import { ownValue } from '../record.ts';
import { readPath, type PathStep } from '../json-path.ts';

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
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'any'; readonly texts: readonly string[] }
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
  const [, name, inner] = /^(len|has)\((.*)\)$/.exec(side) ?? [];
  const path = bodyPath(inner ?? side);
  if (path === null) return null;
  const what = name === 'len' ? 'length' : name === 'has' ? 'has' : 'body';
  return { kind: what, path, isWhole: path.length === 0 };
}

function bodyPath(side: string): readonly PathStep[] | null {
  const [, rest] = /^\[BODY\](.*)$/is.exec(side) ?? [];
  return rest === undefined ? null : readPath(rest, 'gatus');
}

function wantedOf(side: string): ComparedValue | null {
  const [, name, inner = ''] = /^(pat|any)\((.*)\)$/s.exec(side) ?? [];
  if (name === 'pat') return { kind: 'pattern', pattern: inner };
  if (name === 'any') return { kind: 'any', texts: inner.split(',').map((text) => text.trim()) };
  const path = bodyPath(side);
  if (path !== null) return { kind: 'path', path };
  // Another placeholder, or a function of one: nothing here can compare the two.
  return /^(?:\w+\()?\[[A-Z_]+\]/.test(side) ? null : { kind: 'text', text: side };
}

/** Whether a pattern of Gatus, where `*` is any text and `?` any character, matches. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  let at = 0;
  const [first = '', ...rest] = parts;
  if (!text.startsWith(first)) return false;
  at = first.length;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
