/** Checks a response against the assertions of a monitor. */
import type { HttpMonitor, StatusRange } from '../../config/config.ts';
import { compilePattern } from '../../config/pattern.ts';
import type { Assertion, Reason } from '../../core/probe.ts';
import { printable } from '../../net/faults.ts';
import type { BodyText } from '../../net/http/decode.ts';
import { compileJsonQuery } from './json-query.ts';
import type { Head } from '../../net/http/redirect.ts';

/** The parts of a monitor that are expectations. */
export type Expected = Pick<
  HttpMonitor,
  | 'expected_status'
  | 'keyword'
  | 'keyword_invert'
  | 'json_query'
  | 'json_expected'
  | 'number_regex'
  | 'number_min'
  | 'number_max'
>;

export interface Judgement {
  readonly assertions: readonly Assertion[];
  /** Of the first that is not met; null when all are. */
  readonly reason: Reason | null;
}

export interface HttpAnswered {
  readonly head: Head;
  readonly body: BodyText;
  /** Masks secrets; called before anything is cut. */
  readonly redact: (text: string) => string;
}

type Check = (answered: HttpAnswered) => Assertion;

/** Loads and compiles what the expectations need, so that judging is quick. Rejects with a PatternError. */
export async function compileAssertions(expected: Expected): Promise<(answered: HttpAnswered) => Judgement> {
  const checks: Check[] = [statusCheck(expected.expected_status)];
  if (expected.keyword !== null) checks.push(keywordCheck(expected.keyword, expected.keyword_invert));
  if (expected.json_query !== null) checks.push(await jsonCheck(expected.json_query, expected.json_expected));
  if (expected.number_regex !== null) checks.push(await numberCheck(expected.number_regex, expected));
  return (answered) => {
    const assertions = checks.map((check) => check(answered));
    const unmet = assertions.find(({ isMet }) => !isMet);
    return { assertions, reason: unmet === undefined ? null : reasonOf(unmet) };
  };
}

function reasonOf({ key, expected, actual }: Assertion): Reason {
  return key === 'expected_status'
    ? { category: 'status', message: `status ${actual}, expected ${expected}` }
    : { category: 'content', message: `${key}: expected ${expected}, got ${actual}` };
}

const anySuccess: readonly StatusRange[] = [{ from: 200, to: 299 }];

function statusCheck(expectedStatus: readonly StatusRange[] | null): Check {
  const ranges = expectedStatus ?? anySuccess;
  const expected = ranges.map(rangeText).join(' or ');
  return ({ head: { statusCode, statusText }, redact }) => ({
    key: 'expected_status',
    isMet: ranges.some(({ from, to }) => statusCode >= from && statusCode <= to),
    expected,
    actual: printable(`${statusCode} ${redact(statusText)}`, 80),
  });
}

function rangeText({ from, to }: StatusRange): string {
  if (from === to) return `${from}`;
  return from % 100 === 0 && to === from + 99 ? `${from / 100}xx` : `${from}-${to}`;
}

/** Said of a body whose end was not read, where the end could matter. */
const asFarAsRead = (body: BodyText) =>
  body.kind === 'text' && body.isCut ? ' as far as it was read (max_body_kb)' : '';

function keywordCheck(keyword: string, isInverted: boolean): Check {
  const expected = `${isInverted ? 'no ' : ''}"${printable(keyword, 80)}" in the body`;
  return ({ body }) => {
    if (body.kind === 'unreadable') {
      return { key: 'keyword', isMet: false, expected, actual: `a body that ${body.why}` };
    }
    const isThere = body.text.includes(keyword);
    const actual = isThere ? 'a body with it' : `a body without it${asFarAsRead(body)}`;
    return { key: 'keyword', isMet: isThere !== isInverted, expected, actual };
  };
}

/**
 * Without `json_expected` the query must find a value other than false and null; with it, it must find at least
 * one value, and each must be the expected one, or a number or boolean that is written the same way.
 */
async function jsonCheck(query: string, wanted: HttpMonitor['json_expected']): Promise<Check> {
  const ask = await compileJsonQuery(query);
  const shown = printable(query, 80);
  const expected = wanted === null ? `${shown} to find something` : `${shown} to be ${quote(wanted)}`;
  const isRight = (value: unknown) =>
    wanted === null ? value !== false && value !== null : isScalar(value) && String(value) === String(wanted);
  return ({ body, redact }) => {
    const unmet = (actual: string): Assertion => ({ key: 'json_query', isMet: false, expected, actual });
    if (body.kind === 'unreadable') return unmet(`a body that ${body.why}`);
    if (body.isCut) return unmet('a body that is longer than max_body_kb, so it is not whole');
    const queryResult = ask(body.text);
    if (queryResult.kind === 'unreadable') return unmet(`a body that ${queryResult.why}`);
    const { values } = queryResult;
    const wrong = values.find((value) => !isRight(value));
    const isMet = wanted === null ? values.some(isRight) : values.length > 0 && wrong === undefined;
    if (values.length === 0) return unmet('nothing');
    return { key: 'json_query', isMet, expected, actual: describe(isMet ? values[0] : wrong, redact) };
  };
}

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

const quote = (value: string | number | boolean) =>
  typeof value === 'string' ? `"${printable(value, 80)}"` : String(value);

function describe(value: unknown, redact: (text: string) => string): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // Masked before it is cut: half a secret cannot be masked.
  return typeof value === 'string' ? quote(redact(value.slice(0, mostShown))) : String(value);
}

const mostShown = 4096;

type Bounds = Pick<HttpMonitor, 'number_min' | 'number_max'>;

async function numberCheck(source: string, { number_min: min, number_max: max }: Bounds): Promise<Check> {
  const pattern = await compilePattern(source);
  const expected = boundsText({ number_min: min, number_max: max });
  return ({ body, redact }) => {
    const unmet = (actual: string): Assertion => ({ key: 'number_regex', isMet: false, expected, actual });
    if (body.kind === 'unreadable') return unmet(`a body that ${body.why}`);
    const written = pattern.match(body.text)?.trim();
    if (written === undefined) {
      const isPart = pattern.reach < body.text.length;
      const where = isPart
        ? `first ${Math.floor(pattern.reach / 1024)} KiB of the body`
        : `body${asFarAsRead(body)}`;
      return unmet(`none in the ${where}`);
    }
    const value = decimal.test(written) ? Number(written) : Number.NaN;
    if (!Number.isFinite(value)) return unmet(describe(written, redact));
    const isMet = (min === null || value >= min) && (max === null || value <= max);
    return { key: 'number_regex', isMet, expected, actual: String(value) };
  };
}

/** Not all that Number() takes: no hexadecimal, no empty text. */
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function boundsText({ number_min: min, number_max: max }: Bounds): string {
  if (min !== null && max !== null) return `a number from ${min} to ${max}`;
  if (min !== null) return `a number of at least ${min}`;
  return max === null ? 'a number' : `a number of at most ${max}`;
}
