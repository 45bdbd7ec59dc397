/** Turns the conditions of an endpoint on the body into settings. */
import type { Remarks } from '../item.ts';
import { whenAll } from '../json-path.ts';
import type { TomlValue } from '../toml-value.ts';
import {
  type Condition,
  goInteger,
  isMetBy,
  type PatternPart,
  patternOf,
  patternParts,
  wholeNumber,
} from './condition.ts';
import { jsonTest, type JsonTest } from './json-condition.ts';
import { hasMarks } from './tree.ts';

export interface ReadCondition {
  /** As it stands in the file. */
  readonly text: string;
  readonly condition: Condition;
}

type Settings = readonly (readonly [key: string, value: TomlValue])[];

/** What one condition asks of the body. */
type BodyTest =
  | {
      readonly kind: 'keyword';
      readonly keyword: string;
      readonly isInverted: boolean;
      /** How statusd judges otherwise; null: it does not. */
      readonly difference: string | null;
    }
  | {
      readonly kind: 'number';
      readonly regex: string;
      readonly min: number | null;
      readonly max: number | null;
      readonly differences: readonly string[];
    }
  | ({ readonly kind: 'json' } & JsonTest)
  /** Every body meets it. */
  | { readonly kind: 'always' }
  | { readonly kind: 'none'; readonly why: string };

type Of<Kind extends BodyTest['kind']> = Extract<BodyTest, { readonly kind: Kind }>;

export function bodySettings(conditions: readonly ReadCondition[], remarks: Remarks): Settings {
  const tests = conditions.map(({ text, condition }) => ({ text, test: bodyTest(condition) }));
  const differences = new Map<string, string[]>();
  const differ = (text: string, difference: string) => {
    differences.set(difference, [...(differences.get(difference) ?? []), text]);
  };
  const lose = (text: string, why: string) => {
    remarks.dropCondition(text, why);
  };
  const ofKind = <Kind extends BodyTest['kind']>(kind: Kind) =>
    tests.filter((one): one is { text: string; test: Of<Kind> } => one.test.kind === kind);
  for (const { text, test } of ofKind('none')) lose(text, test.why);

  // One that says all of its condition goes before one that says a part.
  const [keyword, ...otherKeywords] = ofKind('keyword').toSorted(
    (a, b) => Number(a.test.difference !== null) - Number(b.test.difference !== null),
  );
  for (const { text } of otherKeywords) lose(text, 'a monitor has one keyword');
  if (keyword !== undefined && keyword.test.difference !== null)
    differ(keyword.text, keyword.test.difference);

  const regex = ofKind('number')[0]?.test.regex;
  const numbers = ofKind('number').filter(({ test }) => test.regex === regex);
  for (const one of ofKind('number')) if (!numbers.includes(one)) lose(one.text, 'a monitor has one number');
  for (const { text, test } of numbers) for (const one of test.differences) differ(text, one);

  const queries = ofKind('json').filter(({ text, test }, _, all) => {
    const isKept = !hasMarks(test.test) || (all.length === 1 && test.pair !== null);
    if (!isKept) lose(text, 'it has a variable');
    return isKept;
  });
  const isBareRefused = queries.some(({ test }) => test.bareDifference === null);
  for (const { text, test } of queries) {
    for (const difference of test.differences) differ(text, difference);
    const isQuery = queries.length > 1 || test.pair === null;
    if (!isBareRefused && isQuery && test.bareDifference !== null) differ(text, test.bareDifference);
  }
  for (const [difference, texts] of differences) {
    remarks.approximate(`the condition${texts.length === 1 ? '' : 's'} ${texts.join('; ')}: ${difference}`);
  }
  if (queries.length > 0)
    remarks.approximate(
      'refuses JSON behind a byte order mark, and reads numbers in quotes such as 0x1F or 5m: statusd does not',
    );
  return [
    ...(keyword === undefined ? [] : ([['keyword', keyword.test.keyword]] as const)),
    ...(keyword?.test.isInverted === true ? ([['keyword_invert', true]] as const) : []),
    ...querySettings(queries.map(({ test }) => test)),
    ...numberSettings(numbers.map(({ test }) => test)),
  ];
}

function bodyTest(condition: Condition): BodyTest {
  const { subject } = condition;
  if (subject.kind !== 'body' && subject.kind !== 'has' && subject.kind !== 'length') return none('');
  if (subject.isWhole) {
    return subject.kind === 'body'
      ? wholeBodyTest(condition)
      : none('statusd measures no body that may be JSON or not');
  }
  if (isEveryText(condition)) return { kind: 'always' };
  const test = jsonTest(subject, condition);
  return test === null ? none('') : { kind: 'json', ...test };
}

const none = (why: string): BodyTest => ({ kind: 'none', why });

function isEveryText({ operator, wanted }: Condition): boolean {
  return operator === '==' && wanted.kind === 'pattern' && patternOf(wanted.written) === '*';
}

/** The one query, or the pair of path and value, that holds when all tests do. */
function querySettings(tests: readonly JsonTest[]): Settings {
  const [only, ...others] = tests;
  if (only === undefined) return [];
  if (others.length === 0 && only.pair !== null) {
    return [
      ['json_query', only.pair.path],
      ['json_expected', only.pair.text],
    ];
  }
  return [['json_query', whenAll(tests.map(({ test }) => test))]];
}

function numberSettings(tests: readonly Of<'number'>[]): Settings {
  const [first] = tests;
  if (first === undefined) return [];
  const mins = tests.flatMap(({ min }) => min ?? []);
  const maxes = tests.flatMap(({ max }) => max ?? []);
  return [
    ['number_regex', first.regex],
    ...(mins.length === 0 ? [] : ([['number_min', Math.max(...mins)]] as const)),
    ...(maxes.length === 0 ? [] : ([['number_max', Math.min(...maxes)]] as const)),
  ];
}

/** A text around which anything may stand is a keyword; for the whole body there is a keyword alone, or a number. */
function wholeBodyTest(condition: Condition): BodyTest {
  const { operator, wanted } = condition;
  if (wanted.kind === 'path') return none('');
  const { written } = wanted;
  if (operator !== '==' && operator !== '!=')
    return wanted.kind === 'text' ? sizeTest(condition, written) : none('');
  if (isEveryText(condition)) return { kind: 'always' };
  const isInverted = operator === '!=';
  const number = wanted.kind === 'text' && !isInverted ? goInteger(written) : null;
  if (number !== null) {
    return { kind: 'number', regex: wholeRegex, min: number, max: number, differences: [otherNotations] };
  }
  if (wanted.kind === 'any') return none('a monitor has one keyword');
  const text = wanted.kind === 'pattern' ? containedIn(patternOf(written)) : null;
  if (text !== null) {
    const isPlain = !text.includes('/') && text === text.trim();
    const difference =
      'Gatus passes over slashes, and over blanks at both ends of the body: statusd does not';
    return { kind: 'keyword', keyword: text, isInverted, difference: isPlain ? null : difference };
  }
  const keyword =
    wanted.kind === 'text' ? written : longest(patternParts(patternOf(written).replaceAll('/', '*')) ?? []);
  if (keyword === '') return none('');
  if (isInverted) return none('statusd cannot refuse a body that is exactly this');
  return {
    kind: 'keyword',
    keyword,
    isInverted,
    difference: 'statusd accepts every body that contains the keyword',
  };
}

/** The text of `*text*`; null for another pattern. */
function containedIn(pattern: string): string | null {
  const [first, text, last, ...others] = patternParts(pattern) ?? [];
  const isContained = first?.kind === 'any' && text?.kind === 'text' && last?.kind === 'any';
  if (!isContained || others.length > 0) return null;
  return pattern.replace(/^\*+|\*+$/g, '').replace(/\\(.)/gsu, '$1');
}

function longest(parts: readonly PatternPart[]): string {
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''));
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

const blank = '[\\s\\v\\p{Z}]*';
const integer = '([+-]?(?:0|[1-9][0-9]*))';

const otherNotations = 'Gatus also reads numbers that are no decimals, such as 0x1F or 5m: statusd does not';

/** A body that is an integer, and one that is a number, of which the integer is looked at as Gatus does. */
const wholeRegex = `^${blank}${integer}${blank}$`;
const numberRegex = `^${blank}${integer}(?:[.][0-9]*)?${blank}$`;

function sizeTest(condition: Condition, written: string): BodyTest {
  const bound = wholeNumber(written);
  const isLeast = condition.operator === '>' || condition.operator === '>=';
  const isStrict = condition.operator === '>' || condition.operator === '<';
  const isMetByText = isMetBy('', condition) === true;
  return {
    kind: 'number',
    regex: numberRegex,
    min: isLeast ? bound + (isStrict ? 1 : 0) : null,
    max: isLeast ? null : bound - (isStrict ? 1 : 0),
    differences: [
      otherNotations,
      ...(isMetByText ? ['Gatus takes a body that is no number for 0: statusd refuses it'] : []),
    ],
  };
}
