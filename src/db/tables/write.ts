/** Declares an operation once: its name, its fields in order, what it does. */
import type { Json, Operation, OperationRow } from '../store/operation.ts';
import type { Sql } from '../store/sql.ts';
import { type Field, FieldError } from './fields.ts';

type Shape = Readonly<Record<string, Field<Json>>>;

/** The values a shape describes. */
export type Fields<S extends Shape> = { readonly [K in keyof S]: ReturnType<S[K]> };

/** Builds operations of one name. Throws a FieldError, before anything is written, when a value does not fit. */
export interface Write<F, R extends Json> {
  (fields: F): Operation;
  /** The row the schema registers. */
  readonly row: OperationRow;
  /** What the store answered for an operation of this name, typed. */
  readonly answer: (result: Json | undefined) => R;
}

/**
 * An operation whose arguments are positional in the log and named everywhere else; optional ones at the end are
 * left out. Applied to arguments that do not fit the fields, or to more of them than there are, it throws: such a
 * record is damage, or of a later version. `fields` are in the order of the arguments: a later version appends
 * to them, with `optional`, and removes none.
 */
export function declareWrite<const S extends Shape, R extends Json>(
  name: string,
  fields: S,
  apply: (sql: Sql, fields: Fields<S>) => R,
): Write<Fields<S>, R> {
  return declared(name, fields, { apply });
}

/** The same for an operation that is cheaper to apply many times in a row. */
export function declareWrites<const S extends Shape, R extends Json>(
  name: string,
  fields: S,
  applyAll: (sql: Sql, list: readonly Fields<S>[]) => readonly R[],
): Write<Fields<S>, R> {
  const apply = (sql: Sql, values: Fields<S>) => {
    const [result] = applyAll(sql, [values]);
    if (result === undefined) throw new Error(`${name} answered nothing`);
    return result;
  };
  return declared(name, fields, { apply, applyAll });
}

interface Applying<S extends Shape, R extends Json> {
  readonly apply: (sql: Sql, fields: Fields<S>) => R;
  readonly applyAll?: (sql: Sql, list: readonly Fields<S>[]) => readonly R[];
}

function declared<const S extends Shape, R extends Json>(
  name: string,
  fields: S,
  { apply, applyAll }: Applying<S, R>,
): Write<Fields<S>, R> {
  const keys = Object.keys(fields);
  const checks = Object.values(fields);
  const defaults = checks.map(defaultOf);
  const check = (index: number, value: Json | undefined): Json => {
    try {
      return (checks[index] ?? refuse)(value);
    } catch (error) {
      const key = keys[index] ?? '';
      throw new FieldError(`${name}: ${key}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  const make = (values: Fields<S>): Operation => {
    const given = values as Readonly<Record<string, Json>>;
    const operation: [string, ...Json[]] = [name];
    for (let index = 0; index < keys.length; index += 1)
      operation.push(check(index, given[keys[index] ?? '']));
    while (operation.length > 1 && operation[operation.length - 1] === defaults[operation.length - 2])
      operation.pop();
    return operation;
  };
  const named = (args: readonly Json[]): Fields<S> => {
    if (args.length > keys.length) {
      throw new FieldError(`${name}: ${args.length} arguments, this version knows ${keys.length}`);
    }
    const values: Record<string, Json> = {};
    for (let index = 0; index < keys.length; index += 1)
      values[keys[index] ?? ''] = check(index, args[index]);
    return values as Fields<S>;
  };
  const row: OperationRow = {
    name,
    fields: keys,
    apply: (sql, args) => apply(sql, named(args)),
    ...(applyAll !== undefined && { applyAll: (sql, list) => applyAll(sql, list.map(named)) }),
  };
  return Object.assign(make, { row, answer: (result: Json | undefined) => result as R });
}

const refuse: Field<Json> = () => {
  throw new FieldError('there is no such argument');
};

/** The value of a field whose argument is absent; undefined when the argument is required. */
function defaultOf(field: Field<Json> | undefined): Json | undefined {
  try {
    return field?.(undefined);
  } catch {
    return undefined;
  }
}
