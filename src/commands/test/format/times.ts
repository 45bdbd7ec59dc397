/** Instants and spans of a test as they are written: counted from its start, with units. */
import { durationFaults, parseDuration } from '../../../engine/core/duration.ts';
import { bad, good, notA, type ValueReading, type ValueType } from '../../../engine/config/types/value.ts';

/** No test lasts longer. */
export const longestMs = 31 * 86_400_000;

const hint = 'write numbers with a unit (s, m, h or d), joined: 90s, 10m, 1h30m';

function timeType(name: string, canBeZero: boolean): ValueType<number> {
  return {
    name,
    schema: { type: 'string' },
    isSecret: false,
    read: (raw) => {
      if (typeof raw === 'number') return bad(`must be ${name}, not a number`, hint);
      if (typeof raw !== 'string') return notA(name, raw);
      if (canBeZero && /^0+[smhd]$/.test(raw)) return good(0);
      const parsed = parseDuration(raw, longestMs);
      if (parsed.kind === 'duration') return good(parsed.ms);
      return bad(
        durationFaults[parsed.fault],
        parsed.fault === 'too_long' ? 'a test lasts 31 days at most' : hint,
      );
    },
  };
}

/** `2m30s` after the start, in ms; `0s` is the start. */
export const offset = timeType('a time from the start such as "2m30s"', true);

/** How long, in ms. */
export const span = timeType('a duration such as "10m"', false);

export interface TimeStretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `["2m", "2m35s"]`: both ends are in it. */
export const between: ValueType<TimeStretch> = {
  name: 'two times such as ["2m", "2m35s"]',
  schema: { type: 'array', minItems: 2, maxItems: 2 },
  isSecret: false,
  read: (raw): ValueReading<TimeStretch> => {
    if (!Array.isArray(raw)) return notA(between.name, raw);
    const [first, last, ...more] = raw.map((item) => offset.read(item));
    if (first === undefined || last === undefined || more.length > 0) return bad(`must be ${between.name}`);
    if (!first.isGood) return first;
    if (!last.isGood) return last;
    return first.value <= last.value
      ? good({ fromMs: first.value, toMs: last.value })
      : bad('ends before it begins');
  },
};

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** An instant as a test writes it: `1h2m30s`, `0s`; what is below a second has a fraction. */
export function offsetText(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, size] of units) {
    const count = unit === 's' ? left / size : Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${Number(count.toFixed(3))}${unit}`;
  }
  return text === '' ? '0s' : text;
}
