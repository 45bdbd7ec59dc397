/** Words in one text, separated by commas. */
import { bad, good, notA, type ValueType } from './value.ts';

const name = 'text with commas between the answers, or an array of texts';

/** A comma list, or an array for answers that hold commas themselves. */
export const commaList: ValueType<readonly string[]> = {
  name,
  schema: {
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }],
  },
  isSecret: false,
  read: (raw) => {
    const parts = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? (raw as unknown[]) : null;
    if (parts === null) return notA(name, raw);
    const words = parts.filter((part) => typeof part === 'string').map((part) => part.trim());
    if (words.length !== parts.length) return bad(`must be ${name}`);
    return words.length === 0 || words.includes('') ? bad('must not have an empty answer') : good(words);
  },
};
