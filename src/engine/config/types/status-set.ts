/** The HTTP status codes that count as healthy. */
import { bad, good, notA, type ValueFault, type ValueReading, type ValueType } from './value.ts';

/** Both ends included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Whether a 3xx is among the codes; null stands for any 2xx. */
export function includesRedirect(ranges: readonly StatusRange[] | null): boolean {
  return ranges?.some(({ from, to }) => from <= 399 && to >= 300) === true;
}

const name = 'a status code, or a list of codes and "from-to" ranges';
const codeSchema = { type: 'integer', minimum: 100, maximum: 599 } as const;
const rangeSchema = { type: 'string', pattern: '^[1-5][0-9]{2}(-[1-5][0-9]{2})?$' } as const;

export const statusSet: ValueType<readonly StatusRange[]> = {
  name,
  schema: {
    anyOf: [
      codeSchema,
      rangeSchema,
      { type: 'array', items: { anyOf: [codeSchema, rangeSchema] }, minItems: 1 },
    ],
  },
  isSecret: false,
  read: (raw) => {
    if (!Array.isArray(raw)) return wrap(readRange(raw));
    if (raw.length === 0) return bad('must have at least 1 element', 'leave the key out for any 2xx');
    const ranges: StatusRange[] = [];
    const faults: ValueFault[] = [];
    raw.forEach((item: unknown, index) => {
      const reading = readRange(item);
      if (reading.isGood) ranges.push(reading.value);
      else faults.push(...reading.faults.map((fault) => ({ ...fault, at: [index] })));
    });
    return faults.length === 0 ? good(ranges) : { isGood: false, faults };
  },
};

function wrap(reading: ValueReading<StatusRange>): ValueReading<readonly StatusRange[]> {
  return reading.isGood ? good([reading.value]) : reading;
}

function readRange(raw: unknown): ValueReading<StatusRange> {
  if (typeof raw === 'number') {
    const isCode = Number.isInteger(raw) && raw >= 100 && raw <= 599;
    return isCode ? good({ from: raw, to: raw }) : bad(`must be a status code from 100 to 599, not ${raw}`);
  }
  if (typeof raw !== 'string') return notA(name, raw);
  const match = /^\s*([1-5]\d\d)\s*(?:-\s*([1-5]\d\d)\s*)?$/.exec(raw);
  if (match === null) return bad(`must be ${name}`, 'for example [200, "300-399"]');
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return from <= to ? good({ from, to }) : bad('must be a range from a lower to a higher code');
}
