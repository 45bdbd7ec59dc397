/** Mail addresses. */
import { hasControlCode } from './text.ts';
import { bad, good, notA, type ValueType } from './value.ts';

const name = 'a mail address';
const hint = 'for example ops@example.com or Operations <ops@example.com>';

/** `local@domain`, or `Name <local@domain>`. */
export const mailbox: ValueType<string> = {
  name,
  schema: { type: 'string', pattern: '@' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(name, raw);
    if (raw === '') return bad('must not be empty', hint);
    // A line break would let a value add headers to the mail.
    if (hasControlCode(raw)) return bad('must not hold control codes or line breaks');
    const written = raw.trim();
    const address = /^[^<>]*<([^<>]+)>$/.exec(written)?.[1] ?? written;
    return /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address) && written.length <= 500
      ? good(written)
      : bad(`must be ${name}`, hint);
  },
};
