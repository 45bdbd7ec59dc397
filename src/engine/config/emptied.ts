/** Says which values are empty because a variable is not set, where an empty value is allowed: it is hardly meant. */
import type { Expansion } from './expand.ts';
import { type ConfigFinding, warning } from './finding.ts';
import type { RawTable } from './parse.ts';
import type { SectionsReading } from './read-sections.ts';
import type { Path } from './types/value.ts';

interface Emptied {
  readonly expansion: Expansion;
  /** The file with its variables put in. */
  readonly table: RawTable;
  readonly reading: SectionsReading;
  readonly found: readonly ConfigFinding[];
}

/** Values that are empty for want of a variable, where nothing else was said of that. */
export function emptied({ expansion, table, reading, found }: Emptied): readonly ConfigFinding[] {
  const isWithin = (path: Path, outer: Path) => outer.every((step, index) => path[index] === step);
  return expansion.emptied.flatMap(({ path, names }) => {
    const [section, index] = path;
    const isOff = section === 'channels' && typeof index === 'number' && reading.disabled.has(index);
    // A variable that takes precedence may have given it a value.
    const isEmpty =
      path.reduce<unknown>((value, step) => (value as RawTable | undefined)?.[step], table) === '';
    if (isOff || !isEmpty || found.some((one) => isWithin(one.path, path))) return [];
    const [name = ''] = names;
    return [
      warning(
        path,
        `is empty: it is of $${name}, which is not set`,
        `set it, or write \${${name}:-} to allow that`,
      ),
    ];
  });
}
