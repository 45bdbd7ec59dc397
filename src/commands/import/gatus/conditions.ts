/** Turns all conditions of an endpoint into settings. */
import type { Remarks } from '../item.ts';
import { acceptedStatus } from '../status-codes.ts';
import type { TomlValue } from '../toml-value.ts';
import {
  type ComparedValue,
  type Condition,
  matchesPattern,
  type Operator,
  readCondition,
} from './condition.ts';
import { goDurationMs } from './tree.ts';
import { equals, literal, pathText, quotePattern, whenAll } from '../json-path.ts';

export interface JudgedConditions {
  readonly settings: readonly (readonly [key: string, value: TomlValue])[];
  /** How long before its certificate, its domain ends the endpoint is unhealthy; null: not asked. */
  readonly certificateDays: number | null;
  readonly domainDays: number | null;
}

export interface ConditionRequest {
  readonly kind: 'http' | 'tcp' | 'icmp' | 'dns';
  readonly isFollowing: boolean;
  /** Whether the monitor will see a certificate: that of a plain connection is not read. */
  readonly isCertificateRead: boolean;
  readonly remarks: Remarks;
}

export function judgeConditions(
  written: readonly string[],
  conditionRequest: ConditionRequest,
): JudgedConditions {
  const { remarks, kind } = conditionRequest;
  const read = written.flatMap((text) => {
    const condition = readCondition(text);
    if (condition === null) remarks.drop(`the condition ${text}`);
    return condition === null ? [] : [{ text, condition }];
  });
  const of = (wanted: Condition['subject']['kind']) =>
    read.filter(({ condition }) => condition.subject.kind === wanted);
  const isBody = (name: string) => name === 'body' || name === 'has' || name === 'length';
  const bodies = read.filter(({ condition }) => isBody(condition.subject.kind));
  for (const { text } of [
    ...of('ip'),
    ...of('connected').filter(({ condition }) => !isPlain(condition, 'true')),
    ...(conditionRequest.isCertificateRead ? [] : of('certificate')),
    ...(kind === 'http' ? [] : of('status')),
    ...(kind === 'http' || kind === 'dns' ? [] : bodies),
    ...(kind === 'dns' ? [] : of('rcode')),
  ]) {
    remarks.drop(`the condition ${text}`);
  }
  return {
    settings: [
      ...(kind === 'http' ? statusSettings(of('status'), conditionRequest) : []),
      ...(kind === 'http' ? bodySettings(bodies, remarks) : []),
      ...(kind === 'dns' ? answerSettings(bodies, of('rcode'), remarks) : []),
      ...slowSettings(of('response_time'), remarks),
    ],
    certificateDays: conditionRequest.isCertificateRead ? daysOf(of('certificate'), remarks) : null,
    domainDays: daysOf(of('domain'), remarks),
  };
}

interface Read {
  readonly text: string;
  readonly condition: Condition;
}

function isPlain({ operator, wanted }: Condition, text: string): boolean {
  return operator === '==' && wanted.kind === 'text' && wanted.text === text;
}

function statusSettings(
  conditions: readonly Read[],
  { isFollowing, remarks }: ConditionRequest,
): JudgedConditions['settings'] {
  const tests = conditions.flatMap(({ text, condition }) => {
    const test = codeTest(condition);
    if (test === null) remarks.drop(`the condition ${text}`);
    return test === null ? [] : [test];
  });
  const { value, loss } = acceptedStatus((code) => tests.every((test) => test(code)), isFollowing);
  if (loss === 'redirect_is_followed_anyway') {
    remarks.approximate('takes a redirect for the answer: statusd follows it');
  }
  return value === null ? [] : [['expected_status', value]];
}

function codeTest({ operator, wanted }: Condition): ((code: number) => boolean) | null {
  const isSame = (code: number) => {
    if (wanted.kind === 'any') return wanted.texts.includes(String(code));
    return wanted.kind === 'pattern' ? matchesPattern(wanted.pattern, String(code)) : false;
  };
  if (wanted.kind === 'path') return null;
  if (wanted.kind !== 'text') {
    if (operator === '==') return isSame;
    return operator === '!=' ? (code) => !isSame(code) : null;
  }
  const number = Number(wanted.text);
  if (!Number.isInteger(number)) return null;
  switch (operator) {
    case '==':
      return (code) => code === number;
    case '!=':
      return (code) => code !== number;
    case '<':
      return (code) => code < number;
    case '<=':
      return (code) => code <= number;
    case '>':
      return (code) => code > number;
    case '>=':
      return (code) => code >= number;
  }
}

function bodySettings(conditions: readonly Read[], remarks: Remarks): JudgedConditions['settings'] {
  const queries: Extract<BodyTest, { kind: 'query' }>[] = [];
  let keyword: Extract<BodyTest, { kind: 'keyword' }> | null = null;
  for (const { text, condition } of conditions) {
    const test = bodyTest(condition);
    if (test.kind === 'query') queries.push(test);
    else if (test.kind === 'keyword' && keyword === null) {
      keyword = test;
      if (test.isLoose) remarks.approximate(`the condition ${text}: the body may hold more than that`);
    } else
      remarks.drop(
        test.kind === 'keyword'
          ? `the condition ${text}: a monitor has one keyword`
          : `the condition ${text}`,
      );
  }
  return [
    ...(keyword === null ? [] : ([['keyword', keyword.text]] as const)),
    ...(keyword?.isInverted === true ? ([['keyword_invert', true]] as const) : []),
    ...querySettings(queries),
  ];
}

/** The answer of a name server is a record here, and an empty one is none. */
function answerSettings(
  bodies: readonly Read[],
  codes: readonly Read[],
  remarks: Remarks,
): JudgedConditions['settings'] {
  for (const { text, condition } of codes) {
    if (isPlain(condition, 'NOERROR'))
      remarks.approximate('accepts an answer without a record: statusd requires one');
    else remarks.drop(`the condition ${text}`);
  }
  const expected = bodies.flatMap(({ text, condition: { subject, operator, wanted } }) => {
    const isPlainText =
      subject.kind === 'body' && subject.isWhole && operator === '==' && wanted.kind === 'text';
    if (!isPlainText) remarks.drop(`the condition ${text}`);
    else remarks.approximate('looks at the last record: statusd requires that all of them are expected ones');
    return isPlainText ? [wanted.text] : [];
  });
  return expected.length === 0 ? [] : [['dns_expected', expected]];
}

function slowSettings(conditions: readonly Read[], remarks: Remarks): JudgedConditions['settings'] {
  const limits = conditions.flatMap(({ text, condition: { operator, wanted } }) => {
    const ms = wanted.kind === 'text' ? (goDurationMs(wanted.text) ?? Number(wanted.text)) : NaN;
    const isLimit = (operator === '<' || operator === '<=') && Number.isFinite(ms) && ms >= 1;
    if (!isLimit) remarks.drop(`the condition ${text}`);
    return isLimit ? [Math.round(ms)] : [];
  });
  if (limits.length === 0) return [];
  remarks.approximate(
    'takes a slow answer for a failure: in statusd it is degraded, which notifies nobody unless alert_on_degraded is set',
  );
  return [['degraded_over_ms', Math.min(3_600_000, ...limits)]];
}

function daysOf(conditions: readonly Read[], remarks: Remarks): number | null {
  const days = conditions.flatMap(({ text, condition: { operator, wanted } }) => {
    const ms = wanted.kind === 'text' ? goDurationMs(wanted.text) : null;
    const isLeast = (operator === '>' || operator === '>=') && ms !== null && ms > 0;
    if (!isLeast) remarks.drop(`the condition ${text}`);
    return isLeast ? [Math.min(365, Math.ceil(ms / 86_400_000))] : [];
  });
  return days.length === 0 ? null : Math.max(...days);
}

/** What one condition asks of the body. */
type BodyTest =
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

function bodyTest({ subject, operator, wanted }: Condition): BodyTest {
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
function querySettings(
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
