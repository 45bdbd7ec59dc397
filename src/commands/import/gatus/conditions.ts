/** Turns all conditions of an endpoint into settings. */
import type { Remarks } from '../item.ts';
import { acceptedStatus } from '../status-codes.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { bodySettings, type ReadCondition } from './body-settings.ts';
import { type Condition, isMetBy, readCondition, wholeNumber } from './condition.ts';
import { hasMarks, markVariables, withMarkedVariables } from './tree.ts';

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
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

/** `written`: the conditions as they stand in the file. */
export function judgeConditions(
  written: readonly string[],
  conditionRequest: ConditionRequest,
): JudgedConditions {
  const { remarks, kind, secrets } = conditionRequest;
  const lose = (text: string, why = '') => {
    remarks.dropCondition(text, why);
  };
  const read = written.flatMap((text): ReadCondition[] => {
    const marked = markVariables(text);
    const condition = readCondition(marked);
    const isOfBody = condition !== null && bodyKinds.has(condition.subject.kind);
    const isReadable = condition !== null && (!hasMarks(marked) || (isOfBody && kind === 'http'));
    if (!isReadable) lose(text, hasMarks(marked) ? 'it has a variable' : '');
    return isReadable ? [{ text, condition }] : [];
  });
  const of = (wanted: Condition['subject']['kind']) =>
    read.filter(({ condition }) => condition.subject.kind === wanted);
  const bodies = read.filter(({ condition }) => bodyKinds.has(condition.subject.kind));
  for (const { text } of [
    ...of('ip'),
    ...of('connected').filter(({ condition }) => isMetBy('true', condition) !== true),
    ...(conditionRequest.isCertificateRead ? [] : of('certificate')),
    ...(kind === 'http' ? [] : of('status')),
    ...(kind === 'http' || kind === 'dns' ? [] : bodies),
    ...(kind === 'dns' ? [] : of('rcode')),
  ]) {
    lose(text);
  }
  return {
    settings: [
      ...(kind === 'http' ? statusSettings(of('status'), conditionRequest) : []),
      ...(kind === 'http' ? withVariables(bodySettings(bodies, remarks), secrets) : []),
      ...(kind === 'dns' ? answerSettings(bodies, of('rcode'), remarks) : []),
      ...slowSettings(of('response_time'), remarks),
    ],
    certificateDays: conditionRequest.isCertificateRead ? daysOf(of('certificate'), remarks) : null,
    domainDays: daysOf(of('domain'), remarks),
  };
}

const bodyKinds: ReadonlySet<Condition['subject']['kind']> = new Set(['body', 'has', 'length']);

function withVariables(
  settings: JudgedConditions['settings'],
  secrets: Secrets,
): JudgedConditions['settings'] {
  return settings.map(([key, value]) => [
    key,
    typeof value === 'string' ? withMarkedVariables(value, secrets) : value,
  ]);
}

function statusSettings(
  conditions: readonly ReadCondition[],
  { isFollowing, remarks }: ConditionRequest,
): JudgedConditions['settings'] {
  const kept = conditions.filter(({ text, condition }) => {
    const isKept = condition.wanted.kind !== 'path';
    if (!isKept) remarks.dropCondition(text);
    return isKept;
  });
  return acceptedStatus(
    (code) => kept.every(({ condition }) => isMetBy(String(code), condition) === true),
    isFollowing,
  );
}

/** The answer of a name server is a record here, and an empty one is none. */
function answerSettings(
  bodies: readonly ReadCondition[],
  codes: readonly ReadCondition[],
  remarks: Remarks,
): JudgedConditions['settings'] {
  for (const { text, condition } of codes) if (!isPlain(condition, 'NOERROR')) remarks.dropCondition(text);
  const expected = bodies.flatMap(({ text, condition: { subject, operator, wanted } }) => {
    const isPlainText =
      subject.kind === 'body' && subject.isWhole && operator === '==' && wanted.kind === 'text';
    if (!isPlainText) remarks.dropCondition(text);
    else remarks.approximate('looks at the last record: statusd requires that all of them are expected ones');
    return isPlainText ? [wanted.written] : [];
  });
  if (expected.length === 0) remarks.approximate('accepts an answer without a record: statusd requires one');
  return expected.length === 0 ? [] : [['dns_expected', expected]];
}

function isPlain({ operator, wanted }: Condition, text: string): boolean {
  return operator === '==' && wanted.kind === 'text' && wanted.written === text;
}

function slowSettings(conditions: readonly ReadCondition[], remarks: Remarks): JudgedConditions['settings'] {
  const limits = conditions.flatMap(({ text, condition: { operator, wanted } }) => {
    const ms = wanted.kind === 'text' ? wholeNumber(wanted.written) : 0;
    const isLimit = (operator === '<' || operator === '<=') && ms >= 1;
    if (!isLimit) remarks.dropCondition(text);
    return isLimit ? [ms] : [];
  });
  if (limits.length === 0) return [];
  remarks.approximate('takes a slow answer for a failure: in statusd it is degraded, and notifies as such');
  return [['degraded_over_ms', Math.min(3_600_000, ...limits)]];
}

function daysOf(conditions: readonly ReadCondition[], remarks: Remarks): number | null {
  const days = conditions.flatMap(({ text, condition: { operator, wanted } }) => {
    const ms = wanted.kind === 'text' ? wholeNumber(wanted.written) : 0;
    const isLeast = (operator === '>' || operator === '>=') && ms > 0;
    if (!isLeast) remarks.dropCondition(text);
    return isLeast ? [Math.min(365, Math.ceil(ms / 86_400_000))] : [];
  });
  return days.length === 0 ? null : Math.max(...days);
}
