/** Numbers within bounds. */
import { bad, good, goodBut, notA, type ValueType } from './value.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** An integer from `min` to `max`, both included. */
export function integer({ min, max }: Bounds): ValueType<number> {
  const name = `an integer from ${min} to ${max}`;
  return {
    name,
    schema: { type: 'integer', minimum: min, maximum: max },
    isSecret: false,
    read: (raw) => {
      if (typeof raw === 'bigint') return bad(`must be ${name}, not ${raw}`);
      if (typeof raw !== 'number') return typeof raw === 'string' ? quoted(name) : notA(name, raw);
      return Number.isInteger(raw) && raw >= min && raw <= max
        ? good(raw)
        : bad(`must be ${name}, not ${raw}`);
    },
  };
}

/** An integer from 1 to `max`; 0 is taken for 1, with a warning. */
export function atLeastOne(max: number): ValueType<number> {
  const type = integer({ min: 1, max });
  return {
    ...type,
    schema: { type: 'integer', minimum: 0, maximum: max },
    read: (raw) => (raw === 0 ? goodBut(1, 'is taken for 1', 'write 1') : type.read(raw)),
  };
}

/** Any finite number. */
export const anyNumber: ValueType<number> = {
  name: 'a number',
  schema: { type: 'number' },
  isSecret: false,
  read: (raw) => {
    const value = typeof raw === 'bigint' ? Number(raw) : raw;
    if (typeof value === 'string') return quoted('a number');
    if (typeof value !== 'number') return notA('a number', raw);
    return Number.isFinite(value) ? good(value) : bad(`must be a finite number, not ${value}`);
  },
};

/** A number over `min`, up to and including `max`. */
export function numberOver({ min, max }: Bounds): ValueType<number> {
  const name = `a number over ${min}, at most ${max}`;
  return ranged(name, { exclusiveMinimum: min, maximum: max }, (value) => value > min && value <= max);
}

/** A number strictly between `min` and `max`. */
export function numberBetween({ min, max }: Bounds): ValueType<number> {
  const name = `a number between ${min} and ${max}, both excluded`;
  return ranged(
    name,
    { exclusiveMinimum: min, exclusiveMaximum: max },
    (value) => value > min && value < max,
  );
}

function ranged(
  name: string,
  bounds: Readonly<Record<string, number>>,
  isInside: (value: number) => boolean,
): ValueType<number> {
  return {
    name,
    schema: { type: 'number', ...bounds },
    isSecret: false,
    read: (raw) => {
      const reading = anyNumber.read(raw);
      if (!reading.isGood) return typeof raw === 'string' ? quoted(name) : notA(name, raw);
      return isInside(reading.value) ? reading : bad(`must be ${name}, not ${reading.value}`);
    },
  };
}

function quoted(name: string) {
  return bad(`must be ${name}, not a string`, 'write the number without quotes');
}
