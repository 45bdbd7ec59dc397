/** The keys of a table of a test to values, by its rows. */
import { failure, type ConfigFinding } from '../../../engine/config/finding.ts';
import { readTable } from '../../../engine/config/read-table.ts';
import type { PlainSection } from '../../../engine/config/sections.ts';
import { isTable, kindOf, type Path } from '../../../engine/config/types/value.ts';

/** Values of which the wrong ones are missing. */
export type Partly<T> = { readonly [Key in keyof T]?: T[Key] };

interface Reading<T> {
  readonly values: Partly<T>;
  readonly findings: readonly ConfigFinding[];
}

export function readKeys<T>(raw: unknown, path: Path, section: PlainSection): Reading<T> {
  if (!isTable(raw)) return { values: {}, findings: [failure(path, `must be a table, not ${kindOf(raw)}`)] };
  const place = { section, variant: null, rows: section.rows };
  const around = { path, place, sections: { alerts: {}, health: {} }, writtenAs: {}, spoiled: [] };
  const { values, findings } = readTable(raw, around);
  return { values: values as Partly<T>, findings };
}

/** What a table stands for, and what is wrong with it. */
export interface ReadKey<T> {
  readonly found: readonly T[];
  readonly findings: readonly ConfigFinding[];
}

export function each<T>(
  raws: readonly unknown[] | undefined,
  path: Path,
  readOne: (raw: unknown, path: Path) => ReadKey<T>,
): ReadKey<T> {
  const all = (raws ?? []).map((raw, index) => readOne(raw, [...path, index]));
  return { found: all.flatMap(({ found }) => found), findings: all.flatMap(({ findings }) => findings) };
}
