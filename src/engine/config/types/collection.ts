/** Lists and tables of another type. */
import {
  bad,
  fault,
  good,
  isTable,
  notA,
  type ValueFault,
  type Path,
  type ValueReading,
  type ValueType,
} from './value.ts';

interface ListBounds {
  readonly name: string;
  readonly min?: number;
}

/** An array whose elements are all of one type. */
export function listOf<T>(element: ValueType<T>, { name, min = 0 }: ListBounds): ValueType<readonly T[]> {
  return {
    name,
    schema: { type: 'array', items: element.schema, ...(min === 0 ? {} : { minItems: min }) },
    isSecret: element.isSecret,
    read: (raw) => {
      if (!Array.isArray(raw)) {
        return typeof raw === 'string'
          ? bad(`must be ${name}, not a string`, 'write it in square brackets')
          : notA(name, raw);
      }
      if (raw.length < min) return bad(`must have at least ${min} ${min === 1 ? 'element' : 'elements'}`);
      return gather(raw.map((item: unknown, index) => [index, element.read(item)] as const));
    },
  };
}

/** An array, or a single element that stands for an array of one. */
export function oneOrMany<T>(
  element: ValueType<T>,
  { name }: { readonly name: string },
): ValueType<readonly T[]> {
  const list = listOf(element, { name, min: 1 });
  return {
    ...list,
    schema: { anyOf: [element.schema, list.schema] },
    read: (raw) => {
      if (Array.isArray(raw)) return list.read(raw);
      const reading = element.read(raw);
      return reading.isGood ? good([reading.value]) : reading;
    },
  };
}

interface TableBounds {
  readonly name: string;
  /** What is wrong with a key; null when it is right. */
  readonly refuseKey?: (key: string) => string | null;
  /** What two keys that mean the same have in common. */
  readonly identity?: (key: string) => string;
}

/** A table with free keys whose values are all of one type. */
export function tableOf<T>(
  value: ValueType<T>,
  { name, refuseKey = () => null, identity = (key) => key }: TableBounds,
): ValueType<Readonly<Record<string, T>>> {
  return {
    name,
    schema: { type: 'object', additionalProperties: value.schema },
    isSecret: value.isSecret,
    read: (raw) => {
      if (!isTable(raw)) return notA(name, raw);
      const firsts = new Map<string, string>();
      const readings = Object.entries(raw).map(([key, given]) => {
        const first = firsts.get(identity(key));
        firsts.set(identity(key), first ?? key);
        const refusal = first === undefined ? refuseKey(key) : `is the same as ${first}; keep one`;
        return [key, refusal === null ? value.read(given) : badKey(refusal)] as const;
      });
      const all = gather(readings);
      // fromEntries defines keys such as __proto__ as own properties instead of assigning them.
      return all.isGood
        ? good(Object.fromEntries(readings.map(([key], index) => [key, all.value[index] as T])))
        : all;
    },
  };
}

function badKey(message: string): ValueReading<never> {
  return { isGood: false, faults: [{ ...fault(message), spot: 'key' }] };
}

function gather<T>(
  readings: readonly (readonly [string | number, ValueReading<T>])[],
): ValueReading<readonly T[]> {
  const values: T[] = [];
  const faults: ValueFault[] = [];
  for (const [at, reading] of readings) {
    if (reading.isGood) values.push(reading.value);
    else faults.push(...reading.faults.map((inner) => ({ ...inner, at: [at, ...inner.at] satisfies Path })));
  }
  return faults.length === 0 ? good(values) : { isGood: false, faults };
}
