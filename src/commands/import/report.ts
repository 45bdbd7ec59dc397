/** Says what became of everything, for programs. */
import { cleanLine } from '../../engine/core/text.ts';
import type { Imported } from './document.ts';
import { handleOf, type Item, type ImportOutcome, outcomeOf, tableOf } from './item.ts';

export interface ImportCounts {
  readonly exact: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** How many things came over how well; settings that stand alone are not counted. */
export function countsOf(items: readonly Item[]): ImportCounts {
  const outcomes = items.filter(isCounted).map(outcomeOf);
  const count = (wanted: ImportOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return { exact: count('exact'), approximated: count('approximated'), dropped: count('dropped') };
}

export function isCounted({ kind }: Item): boolean {
  return kind !== 'settings';
}

/** `file` is null for standard output; `secretsFile` where the values of variables were written, which are never in it. */
export function reportJson(imported: Imported, file: string | null, secretsFile: string | null = null) {
  return {
    source: imported.program,
    file,
    ...(secretsFile === null ? {} : { secrets_file: secretsFile }),
    counts: countsOf(imported.items),
    items: imported.items.map((item) => {
      const table = tableOf(item);
      return {
        kind: item.kind,
        type: item.type,
        name: item.name,
        id: table === null ? null : handleOf(table),
        outcome: outcomeOf(item),
        found_in: item.file === undefined ? null : cleanLine(item.file),
        is_commented_out: item.result.kind === 'commented',
        remarks: item.remarks.map(({ level, text }) => ({ level, text })),
      };
    }),
    variables: imported.wanted.map(({ name, origin }) => ({ name, origin: cleanLine(origin) })),
  };
}
