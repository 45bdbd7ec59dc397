/** Values that are never shown. */
import { Secret } from '../secret.ts';
import { bad, good, notA, type ValueReading, type ValueType } from './value.ts';

/** Nothing but blanks, as a variable or a file has them by mistake, is no secret. */
export function isBlank(raw: unknown): boolean {
  return typeof raw === 'string' && raw.trim() === '';
}

/** A token or password. The empty text is for the loader to judge: it disables a channel, or is an error. */
export const secretText: ValueType<Secret> = {
  name: 'text',
  schema: { type: 'string' },
  isSecret: true,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('text', raw);
    if (isBlank(raw)) return good(new Secret(''));
    return /[\0\r\n]/.test(raw) ? bad('must be a single line') : good(new Secret(raw));
  },
};

/** A token that others must present here. Empty, it would let anyone in. */
export const accessToken: ValueType<Secret> = {
  ...secretText,
  read: (raw) =>
    isBlank(raw)
      ? bad('must not be empty', 'is its variable set? without a token, remove the key')
      : secretText.read(raw),
};

/** A value of another text type that is never shown, such as a webhook's URL. */
export function secretly(type: ValueType<string>): ValueType<Secret> {
  return {
    ...type,
    schema: { anyOf: [type.schema, { const: '' }] },
    isSecret: true,
    read: (raw): ValueReading<Secret> => {
      if (isBlank(raw)) return good(new Secret(''));
      const reading = type.read(raw);
      return reading.isGood ? good(new Secret(reading.value)) : reading;
    },
  };
}
