/** One word of a short list. */
import { nearest } from '../../core/nearest.ts';
import { bad, good, notA, type ValueType } from './value.ts';

export function choice<const T extends string>(options: readonly T[]): ValueType<T> {
  const name = options.length === 1 ? `"${String(options[0])}"` : `one of ${options.join(', ')}`;
  return {
    name,
    schema: { enum: options },
    isSecret: false,
    read: (raw) => {
      if (typeof raw !== 'string') return notA(name, raw);
      const found = options.find((option) => option === raw);
      if (found !== undefined) return good(found);
      const lower = options.map((option) => option.toLowerCase());
      const guess = nearest(raw.toLowerCase(), lower);
      return bad(
        `must be ${name}`,
        guess === null ? null : `did you mean ${options[lower.indexOf(guess)] ?? guess}?`,
      );
    },
  };
}
