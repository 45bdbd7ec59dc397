/** Writes conditions of Gatus on what a path finds in the body as tests of JSONPath. */
import { literal, pathText, quotePattern } from '../json-path.ts';
import {
  type ComparedValue,
  type Condition,
  goInteger,
  goNumber,
  isMetBy,
  type Operator,
  optionsOf,
  patternOf,
  type PatternPart,
  patternParts,
  wholeNumber,
} from './condition.ts';

export interface JsonTest {
  /** An expression over absolute paths. */
  readonly test: string;
  /** The path and the text it must find, where nothing else is asked; null: more is asked. */
  readonly pair: { readonly path: string; readonly text: string } | null;
  /**
   * What answers without a member or element but null and false meet it for Gatus: a query finds nothing there. Null:
   * none do.
   */
  readonly bareDifference: string | null;
  /** How statusd judges otherwise, as clauses. */
  readonly differences: readonly string[];
}

type BodySubject = Extract<Condition['subject'], { kind: 'body' | 'has' | 'length' }>;

/** Null for a condition that no test can say. */
export function jsonTest(subject: BodySubject, condition: Condition): JsonTest | null {
  const path = pathText(subject.path);
  const found = foundTest(path, subject.kind, condition);
  if (found === null) return null;
  const isHas = subject.kind === 'has';
  const isMetByNothing = isMetBy(isHas ? 'false' : nothing, condition) === true;
  const isMetByFalse = isMetBy(isHas ? 'true' : 'false', condition) !== false;
  const isDeep = subject.path.length > 1;
  return {
    pair: null,
    ...found,
    bareDifference: isMetByNothing ? metByNothing : isMetByFalse && !isDeep ? metByFalse : null,
  };
}

/** As Gatus sees a value that is not there, which null is as well. */
const nothing = '[BODY] (INVALID)';

const metByNothing =
  'Gatus also accepts an answer that is no JSON, or has nothing in it but null and false: statusd does not';
const metByFalse = 'Gatus also accepts an answer that has nothing in it but false: statusd does not';

type Found = Pick<JsonTest, 'test' | 'differences'> & Partial<Pick<JsonTest, 'pair'>>;

function foundTest(path: string, kind: BodySubject['kind'], { operator, wanted }: Condition): Found | null {
  switch (kind) {
    case 'has': {
      const isThere = hasWish(operator, wanted);
      if (isThere === null) return null;
      const test = isThere ? `${path} && ${path} != null` : `!(${path} && ${path} != null)`;
      return { test, differences: ['Gatus finds it in every list: statusd does not'] };
    }
    case 'length': {
      const length = lengthTest(`length(${path})`, operator, wanted);
      return length === null
        ? null
        : {
            test: length,
            differences: [
              'Gatus counts the bytes of the text of a value, or the elements of the first list on the path: statusd counts characters, members or elements',
            ],
          };
    }
    case 'body':
      return valueTest(path, operator, wanted);
  }
}

function hasWish(operator: Operator, wanted: ComparedValue): boolean | null {
  const subject = { kind: 'has', path: [], isWhole: false } as const;
  const [whenThere, whenGone] = ['true', 'false'].map((value) =>
    isMetBy(value, { subject, operator, wanted }),
  );
  return typeof whenThere !== 'boolean' || whenThere === whenGone ? null : whenThere;
}

function lengthTest(length: string, operator: Operator, wanted: ComparedValue): string | null {
  if (wanted.kind !== 'text') return null;
  if (operator !== '==' && operator !== '!=') {
    const isNegated = operator === '<' || operator === '<=';
    const least = wholeNumber(wanted.written) + (operator === '>' || operator === '<=' ? 1 : 0);
    return isNegated ? `!(${length} >= ${least})` : `${length} >= ${least}`;
  }
  const number = goInteger(wanted.written);
  if (number === null) return null;
  return operator === '==' ? `${length} == ${number}` : `!(${length} == ${number})`;
}

function valueTest(path: string, operator: Operator, wanted: ComparedValue): Found | null {
  if (wanted.kind === 'path') return pathTest(path, operator, pathText(wanted.path));
  if (operator !== '==' && operator !== '!=') {
    return wanted.kind === 'text' ? sizeTest(path, operator, wanted.written) : null;
  }
  const same = sameTest(path, wanted);
  if (same === null || operator === '==') return same;
  return { test: not(same.test), differences: same.differences };
}

function pathTest(path: string, operator: Operator, other: string): Found {
  const isOrder = operator !== '==' && operator !== '!=';
  const both = `${path} != null && ${other} != null`;
  return {
    test:
      operator === '!='
        ? `!(${path} && ${both} && ${path} == ${other})`
        : `${path} && ${other} && ${both} && ${path} ${operator} ${other}`,
    differences: [
      isOrder
        ? 'Gatus takes a text for a number, and 0 where there is none: statusd compares numbers alone'
        : 'Gatus takes a number and the text of it for the same: statusd does not',
    ],
  };
}

/** Met by values of at least `least`, where a fraction does not count and what is no number is 0. */
function leastTest(path: string, least: number): { readonly test: string; readonly isWhole: boolean } {
  if (least >= 1) {
    const pattern = atLeast(least);
    const quoted = pattern === null ? '' : ` || match(${path}, ${literal(pattern)})`;
    return { test: `(${path} >= ${least}${quoted})`, isWhole: pattern !== null };
  }
  const pattern = atLeast(1 - least);
  const quoted = pattern === null ? '' : ` || match(${path}, ${literal(`-${pattern}`)})`;
  return { test: `!(${path} <= ${least - 1}${quoted})`, isWhole: pattern !== null };
}

function sizeTest(path: string, operator: Operator, written: string): Found {
  const isNegated = operator === '<' || operator === '<=';
  const least = wholeNumber(written) + (operator === '>' || operator === '<=' ? 1 : 0);
  const { test, isWhole } = leastTest(path, least);
  return {
    test: isNegated ? not(test) : test,
    differences: [...(isWhole ? [] : ['Gatus also reads numbers in quotes: statusd does not'])],
  };
}

/** More digits would make the pattern too costly to be loaded. */
const mostDigits = 7;

/** A pattern for the decimal numbers of at least `least`, which is 1 or more; null: it would be too large. */
function atLeast(least: number): string | null {
  const digits = String(least);
  if (!/^\d+$/.test(digits) || digits.length > mostDigits) return null;
  // From the last digit to the first: this digit and what follows, or a larger one and any that follow.
  const sameLength = Array.from(digits).reduceRight((after, digit, index) => {
    const larger =
      digit === '9' ? '' : `[${Number(digit) + 1}-9]${'[0-9]'.repeat(digits.length - index - 1)}|`;
    return larger === '' ? `${digit}${after}` : `(?:${larger}${digit}${after})`;
  }, '');
  return `(?:${sameLength}|[1-9][0-9]{${digits.length},})(?:[.][0-9]*)?`;
}

function sameTest(path: string, { kind, written }: Exclude<ComparedValue, { kind: 'path' }>): Found | null {
  switch (kind) {
    case 'text':
      return textTest(path, written);
    case 'any':
      return anyTest(path, optionsOf(written));
    case 'pattern':
      return patternTest(path, patternOf(written));
  }
}

function not(test: string): string {
  return test.startsWith('(') ? `!${test}` : `!(${test})`;
}

/** A list or object, which Gatus compares as the text of it, cannot be written as a value. */
const isStructure = (text: string) => /^(?:\[.*\]|\{.*\})$/s.test(text);

function textTest(path: string, text: string): Found | null {
  if (text === '[]') {
    const test = `length(${path}) == 0 && ${path} != ''`;
    return { test, differences: ['Gatus takes {} for another value than []: statusd does not'] };
  }
  if (isStructure(text)) return null;
  const forms = formsOf(text);
  const test = forms.map((form) => `${path} == ${form}`).join(' || ');
  return {
    test: forms.length === 1 ? test : `(${test})`,
    differences: [],
    pair: isPlainPair(text, forms) ? { path, text } : null,
  };
}

function anyTest(path: string, options: readonly string[]): Found | null {
  if (options.some(isStructure)) return null;
  const forms = options.flatMap((option) => [literal(option), ...asPrinted(option)]);
  return { test: `(${forms.map((form) => `${path} == ${form}`).join(' || ')})`, differences: [] };
}

/** Every value of JSON that Gatus takes for the text. */
function formsOf(text: string): string[] {
  const number = goInteger(text);
  if (number === null) return [literal(text), ...asPrinted(text)];
  const printed = goNumber(number);
  const others = printed === text || goInteger(printed) === null ? [] : [literal(printed)];
  return [literal(text), ...others, ...(goInteger(printed) === null ? [] : [String(number)])];
}

/** The number or boolean that is printed like the text. */
function asPrinted(text: string): string[] {
  if (text === 'true' || text === 'false') return [text];
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) && goNumber(number) === text ? [String(number)] : [];
}

/** Whether `json_expected`, which compares the texts of scalars, finds the same values. */
function isPlainPair(text: string, forms: readonly string[]): boolean {
  if (text === 'null') return false;
  const shown = String(Number(text)) === text ? [text] : [];
  const isBoolean = text === 'true' || text === 'false';
  return JSON.stringify(forms) === JSON.stringify([literal(text), ...(isBoolean ? [text] : shown)]);
}

function patternTest(path: string, pattern: string): Found | null {
  const pieces = pattern.split(/\/+/).map(patternParts);
  if (pieces.includes(null)) return null;
  const source = pieces.map((parts) => (parts ?? []).map(sourceOf).join('')).join('/*');
  const test = `match(${path}, ${literal(`(?s:${source})`)})`;
  return {
    test,
    differences: [
      'Gatus matches the texts of all values, without slashes: statusd matches texts alone, as they are',
    ],
  };
}

function sourceOf(part: PatternPart): string {
  if (part.kind === 'any') return '.*';
  return part.kind === 'one' ? part.source : quotePattern(part.text);
}
