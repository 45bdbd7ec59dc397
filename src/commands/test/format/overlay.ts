/** Lays settings over a configuration: a test may differ from it, a reload may change it. */
import type { RawTable } from '../../../engine/config/parse.ts';
import { isTable } from '../../../engine/config/types/value.ts';

/** Lists of tables that have a name of their own, by the key that holds it. */
const namedBy: Readonly<Record<string, string>> = { monitors: 'id', channels: 'name', peers: 'id' };

/**
 * Tables are joined key by key; of monitors, channels and peers those with the same id or name are, and others are
 * added. Everything else is replaced.
 */
export function overlay(table: RawTable, over: RawTable): RawTable {
  const joined: Record<string, unknown> = { ...table };
  for (const [key, value] of Object.entries(over)) {
    const name = namedBy[key];
    if (name !== undefined && Array.isArray(value)) joined[key] = joinLists(joined[key], value, name);
    else joined[key] = joinValues(joined[key], value);
  }
  return joined;
}

function joinValues(before: unknown, over: unknown): unknown {
  return isTable(before) && isTable(over) ? { ...before, ...over } : over;
}

function joinLists(before: unknown, over: readonly unknown[], name: string): readonly unknown[] {
  const nameOf = (item: unknown): unknown => (isTable(item) ? item[name] : undefined);
  const list = Array.isArray(before) ? [...(before as readonly unknown[])] : [];
  for (const item of over) {
    const index = list.findIndex((known) => nameOf(known) !== undefined && nameOf(known) === nameOf(item));
    if (index === -1) list.push(item);
    else list[index] = joinValues(list[index], item);
  }
  return list;
}
