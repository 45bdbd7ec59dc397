/** Turns all conditions of an endpoint into settings. */
import type { Remarks } from '../item.ts';
import { acceptedStatus } from '../status-codes.ts';
import type { TomlValue } from '../toml-value.ts';
import { bodyTest, querySettings, type BodyTest } from './body-tests.ts';
import { type Condition, matchesPattern, readCondition } from './condition.ts';
import { goDurationMs } from './duration.ts';

export interface JudgedConditions {
  readonly settings: readonly (readonly [key: string, value: TomlValue])[];
  /** How long before its certificate, its domain ends the endpoint is unhealthy; null: not asked. */
  readonly certificateDays: number | null;
  readonly domainDays: number | null;
}

export interface ConditionRequest {
  readonly kind: 'http' | 'tcp' | 'icmp' | 'dns';
  readonly isFollowing: boolean;
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
    certificateDays: daysOf(of('certificate'), remarks),
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
    remarks.approximate('took a redirect for the answer, which was wrong: here it is followed');
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
          ? `the condition ${text}: there is one keyword a monitor`
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
      remarks.approximate('an answer without a record was fine: here there must be one');
    else remarks.drop(`the condition ${text}`);
  }
  const expected = bodies.flatMap(({ text, condition: { subject, operator, wanted } }) => {
    const isPlainText =
      subject.kind === 'body' && subject.isWhole && operator === '==' && wanted.kind === 'text';
    if (!isPlainText) remarks.drop(`the condition ${text}`);
    else remarks.approximate('looked at the last record: here all of them must be the expected ones');
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
    'a slow answer was unhealthy: here it is degraded, which notifies nobody unless alert_on_degraded is set',
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
