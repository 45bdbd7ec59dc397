/**
 * Reads what comes from outside, and what another version stored: a value has a shape, or it is refused in the words
 * of this program (`tags must be an object of texts`), or what can be read of it is.
 */
import { isNullable, isOptional, isPartial, isTuple, makeValidator, type StrictValidator } from 'typanion';

export type ValueShape<T> = StrictValidator<unknown, T>;

/** The fields of an object. */
export type UnknownFields = Readonly<Record<string, unknown>>;

/** A shape that typanion does not have, or words otherwise; `what` follows "must be". */
export function shape<T>(what: string, isRight: (value: unknown) => value is T): ValueShape<T> {
  return makeValidator<unknown, T>({
    test: (value, state): value is T => {
      if (isRight(value)) return true;
      state?.errors?.push(`${(state.p ?? '').replace(/^\./, '')} must be ${what}`);
      return false;
    },
  });
}

export const aText = shape('a text', (value): value is string => typeof value === 'string');
export const aFlag = shape('true or false', (value): value is boolean => typeof value === 'boolean');
/** A finite one. */
export const aNumber = shape('a number', (value): value is number => Number.isFinite(value));
/** Epoch milliseconds, or how many there are of something. */
export const aCount = shape(
  'a whole number from 0',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Neither a list nor null. */
export const anObject = shape(
  'an object',
  (value): value is UnknownFields => typeof value === 'object' && value !== null && !Array.isArray(value),
);
export const aList = shape('a list', (value): value is readonly unknown[] => Array.isArray(value));

export function oneOf<const Word extends string>(words: readonly Word[]): ValueShape<Word> {
  const known: readonly unknown[] = words;
  return shape(`one of ${words.join(', ')}`, (value): value is Word => known.includes(value));
}

/** An object with these fields, and any others. */
export const document = isPartial;
export const orNull = isNullable;
export const orAbsent = isOptional;
/** A list of these, and no more. */
export const tuple = isTuple;

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `value` when it has the shape; null when it has not. */
export function readAs<T>(value: unknown, wanted: ValueShape<T>): T | null {
  return wanted(value) ? value : null;
}

/** The items of a list that have the shape; none when it is no list. */
export function readList<T>(value: unknown, wanted: ValueShape<T>): T[] {
  return Array.isArray(value) ? (value as unknown[]).filter((item): item is T => wanted(item)) : [];
}

/** The fields of an object; none when it is something else. */
export function fieldsOf(value: unknown): UnknownFields {
  return readAs(value, anObject) ?? {};
}

/** `value` when it has the shape. Otherwise throws what `refuse` makes of the fault: `message must be a text`. */
export function demand<T>(
  value: unknown,
  wanted: ValueShape<T>,
  { name, refuse }: { readonly name: string; readonly refuse: (fault: string) => Error },
): T {
  const errors: string[] = [];
  if (wanted(value, { p: name, errors })) return value;
  throw refuse(errors[0] ?? `${name} cannot be read`);
}
