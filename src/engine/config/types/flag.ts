/** True or false. */
import { bad, good, notA, type ValueType } from './value.ts';

export const flag: ValueType<boolean> = {
  name: 'true or false',
  schema: { type: 'boolean' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw === 'boolean') return good(raw);
    return raw === 'true' || raw === 'false'
      ? bad('must be true or false, not a string', `write ${raw} without quotes`)
      : notA('true or false', raw);
  },
};
