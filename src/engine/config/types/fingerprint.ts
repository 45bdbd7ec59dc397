/** The digest of a public key. */
import { bad, good, notA, type ValueType } from './value.ts';

const name = 'a SHA-256 digest in hex';

/** 64 hex digits, colons allowed between the bytes; the value has neither colons nor capitals. */
export const fingerprint: ValueType<string> = {
  name,
  schema: { type: 'string', pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(name, raw);
    const digits = raw.trim().replaceAll(':', '').toLowerCase();
    if (/^[0-9a-f]{64}$/.test(digits)) return good(digits);
    return /^[0-9a-f]*$/.test(digits)
      ? bad(`must be ${name}: 64 hex digits, not ${digits.length}`)
      : bad(`must be ${name}: 64 hex digits`);
  },
};
