/** Turns conditions on the body into a keyword and a JSONPath query. */
import { equals, literal, pathText, quotePattern, whenAll } from '../json-path.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Condition, Operator, ComparedValue } from './condition.ts';

/** What one condition asks of the body. */
export type BodyTest =
  | {
      readonly kind: 'keyword';
      readonly text: string;
      readonly isInverted: boolean;
      readonly isLoose: boolean;
    }
  /** `value`: the path finds this text, and nothing else is asked. */
  | { readonly kind: 'query'; readonly test: string; readonly path: string; readonly value: string | null }
  | { readonly kind: 'none' };

const none: BodyTest = { kind: 'none' };

export function bodyTest({ subject, operator, wanted }: Condition): BodyTest {
  if (subject.kind !== 'body' && subject.kind !== 'has' && subject.kind !== 'length') return none;
  const path = pathText(subject.path);
  const query = (test: string | null, value: string | null = null): BodyTest =>
    test === null ? none : { kind: 'query', test, path, value };
  switch (subject.kind) {
    case 'has':
      return query(hasTest(path, operator, wanted));
    case 'length':
      return query(numberTest(`length(${path})`, operator, wanted));
    case 'body':
      if (subject.isWhole) return wholeBodyTest(operator, wanted);
      return query(
        valueTest(path, operator, wanted),
        operator === '==' && wanted.kind === 'text' ? wanted.text : null,
      );
  }
}

/** The one query, or the pair of path and value, that holds when all tests do. */
export function querySettings(
  tests: readonly Extract<BodyTest, { kind: 'query' }>[],
): (readonly [string, TomlValue])[] {
  const [only, ...others] = tests;
  if (only === undefined) return [];
  if (others.length > 0) return [['json_query', whenAll(tests.map(({ test }) => test))]];
  if (only.value !== null) {
    return [
      ['json_query', only.path],
      ['json_expected', only.value],
    ];
  }
  return [['json_query', only.test === only.path ? only.path : whenAll([only.test])]];
}

/** A text around which anything may stand is a keyword; the whole body can only be held against one. */
function wholeBodyTest(operator: Operator, comparedValue: ComparedValue): BodyTest {
  if (operator !== '==' && operator !== '!=') return none;
  const isInverted = operator === '!=';
  if (comparedValue.kind === 'pattern') {
    const [, text = ''] = /^\*([^*?]+)\*$/.exec(comparedValue.pattern) ?? [];
    return text === '' ? none : { kind: 'keyword', text, isInverted, isLoose: false };
  }
  if (comparedValue.kind !== 'text' || comparedValue.text === '' || isInverted) return none;
  return { kind: 'keyword', text: comparedValue.text, isInverted, isLoose: true };
}

function hasTest(path: string, operator: Operator, comparedValue: ComparedValue): string | null {
  if (comparedValue.kind !== 'text' || (operator !== '==' && operator !== '!=')) return null;
  if (comparedValue.text !== 'true' && comparedValue.text !== 'false') return null;
  return (comparedValue.text === 'true') === (operator === '==') ? path : `!${path}`;
}

function numberTest(term: string, operator: Operator, comparedValue: ComparedValue): string | null {
  if (comparedValue.kind !== 'text' || !/^-?\d{1,15}(?:\.\d{1,9})?$/.test(comparedValue.text)) return null;
  return `${term} ${operator} ${Number(comparedValue.text)}`;
}

function valueTest(path: string, operator: Operator, comparedValue: ComparedValue): string | null {
  if (operator !== '==' && operator !== '!=') {
    if (comparedValue.kind === 'path') return `${path} ${operator} ${pathText(comparedValue.path)}`;
    return numberTest(path, operator, comparedValue);
  }
  const same = sameTest(path, comparedValue);
  if (same === null) return null;
  return operator === '=='
    ? same
    : `!${same.startsWith('(') || same.startsWith('match(') ? same : `(${same})`}`;
}

function sameTest(path: string, comparedValue: ComparedValue): string | null {
  switch (comparedValue.kind) {
    case 'text':
      return equals(path, comparedValue.text);
    case 'any':
      return `(${comparedValue.texts.map((text) => equals(path, text)).join(' || ')})`;
    case 'path':
      return `${path} == ${pathText(comparedValue.path)}`;
    case 'pattern': {
      const pattern = comparedValue.pattern.split('*').map(quotePattern).join('.*');
      return `match(${path}, ${literal(pattern)})`;
    }
  }
}
