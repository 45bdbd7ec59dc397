/** Prints the result for every item. */
import { proseLines } from '../../engine/views/text/cells.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import type { Glyphs } from '../terminal/glyphs.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import type { Imported } from './document.ts';
import { handleOf, type ImportOutcome, type Item, type ItemKind, outcomeOf, tableOf } from './item.ts';
import type { WantedVariable } from './variables.ts';

/** Every text that is laid out, to measure the widest characters of. */
export function textsOf({ items, wanted }: Imported): string[] {
  return [
    ...items.flatMap(({ name, type, file = '', remarks }) => [
      name,
      type,
      file,
      ...remarks.map(({ text }) => text),
    ]),
    ...wanted.map(({ origin }) => origin),
  ];
}

export interface ReportView {
  /** The closing lines: what was written and what to do next. */
  readonly closing: readonly string[];
  /** Where the values of the variables were written; null, which it is by default: nowhere. */
  readonly secretsFile?: string | null;
}

const plurals: readonly (readonly [ItemKind, string])[] = [
  ['monitor', 'Monitors'],
  ['group', 'Groups'],
  ['channel', 'Channels'],
  ['maintenance', 'Maintenance'],
  ['notice', 'Notices'],
  ['settings', 'Settings'],
];

/** What is exact in one line a kind; what is not, one by one with the reasons. Ends with a line break. */
export function reportText(
  imported: Imported,
  { closing, secretsFile = null }: ReportView,
  output: TerminalOutput,
): string {
  const sections = plurals.flatMap(([kind, heading]) => kindLines(imported.items, { kind, heading }, output));
  const counts = countsOf(imported.items);
  const conditions = droppedConditions(imported.items);
  const lost = conditions === 0 ? '' : `; ${counted(conditions, 'condition')} dropped`;
  const total = `${counts.exact} exact, ${counts.approximated} approximated, ${counts.dropped} dropped${lost}`;
  const blocks = [
    [output.paint.bold(cleanLine(imported.program))],
    ...sections,
    [total],
    ...variableSections(imported, secretsFile, output),
    closing,
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function kindLines(
  items: readonly Item[],
  { kind, heading }: { readonly kind: ItemKind; readonly heading: string },
  output: TerminalOutput,
): string[][] {
  const own = items.filter((item) => item.kind === kind);
  if (own.length === 0) return [];
  const exact = own.filter((item) => outcomeOf(item) === 'exact');
  const names = exact.map(({ name }) => cleanLine(name)).join(', ');
  return [
    [
      output.paint.bold(heading),
      ...(exact.length === 0 ? [] : marked(`${exact.length} exact: ${names}`, 'exact', output)),
      ...(['approximated', 'dropped'] as const).flatMap((outcome) =>
        own.filter((item) => outcomeOf(item) === outcome).flatMap((item) => itemLines(item, outcome, output)),
      ),
    ],
  ];
}

function itemLines(item: Item, outcome: ImportOutcome, output: TerminalOutput): string[] {
  const table = tableOf(item);
  const id = table === null || item.kind !== 'monitor' ? null : handleOf(table);
  const type = item.kind === 'settings' ? '' : ` (${cleanLine(item.type)})`;
  const place = item.file === undefined ? '' : `, in ${cleanLine(item.file)}`;
  const title = `${cleanLine(item.name)}${type}${place}${id === null ? '' : `, now ${id}`}`;
  return [
    ...marked(title, outcome, output),
    ...item.remarks.flatMap(({ level, text }) => {
      const prefix = outcome === 'dropped' || level === 'approximated' ? '' : 'dropped: ';
      return proseLines(`${prefix}${cleanLine(text)}`, '      ', output);
    }),
  ];
}

const marks: Readonly<Record<ImportOutcome, keyof Pick<Glyphs, 'up' | 'degraded' | 'down'>>> = {
  exact: 'up',
  approximated: 'degraded',
  dropped: 'down',
};

function marked(text: string, outcome: ImportOutcome, output: TerminalOutput): string[] {
  const { paint, glyphs } = output;
  const colour = { exact: paint.green, approximated: paint.yellow, dropped: paint.red }[outcome];
  const [first = '', ...rest] = proseLines(text, '    ', output);
  return [`  ${colour(glyphs[marks[outcome]])} ${first.trimStart()}`, ...rest];
}

/** The variables whose values were written, then those that are left to set. */
function variableSections(
  { wanted }: Imported,
  secretsFile: string | null,
  output: TerminalOutput,
): string[][] {
  const isWritten = ({ value }: WantedVariable) => secretsFile !== null && value !== null;
  const written = wanted.filter(isWritten);
  const missing = wanted.filter((one) => !isWritten(one));
  return [
    written.length === 0
      ? []
      : [
          output.paint.bold(`Secrets in ${cleanLine(secretsFile ?? '')}`),
          ...proseLines(
            'statusd reads this file beside the configuration; only its owner can. --secrets inline writes the values into the configuration instead.',
            '  ',
            output,
          ),
          ...variableLines(written, output),
        ],
    missing.length === 0
      ? []
      : [
          output.paint.bold('Environment variables to set'),
          ...proseLines(
            `In the environment of statusd, or as NAME=value in statusd.env beside the configuration.${secretsFile === null && missing.some(({ value }) => value !== null) ? ' --secrets inline writes the values that are known into the configuration.' : ''}`,
            '  ',
            output,
          ),
          ...variableLines(missing, output),
        ],
  ];
}

function variableLines(wantedVariable: readonly WantedVariable[], output: TerminalOutput): string[] {
  return wantedVariable.flatMap(({ name, origin }) => [
    `  ${output.paint.cyan(name)}`,
    ...proseLines(cleanLine(origin), '      ', output),
  ]);
}

interface ImportCounts {
  readonly exact: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** How many things came over how well, settings that stand alone included. */
function countsOf(items: readonly Item[]): ImportCounts {
  const outcomes = items.map(outcomeOf);
  const count = (wanted: ImportOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return { exact: count('exact'), approximated: count('approximated'), dropped: count('dropped') };
}

/** The conditions that were dropped of monitors that were imported. */
function droppedConditions(items: readonly Item[]): number {
  return items
    .filter(({ result }) => 'table' in result)
    .flatMap(({ remarks }) => remarks.filter(({ isCondition }) => isCondition === true)).length;
}

/** `file` is null for standard output; `secretsFile` where the values of variables were written, which are never in it. */
export function reportJson(imported: Imported, file: string | null, secretsFile: string | null = null) {
  const conditions = droppedConditions(imported.items);
  return {
    source: imported.program,
    file,
    ...(secretsFile === null ? {} : { secrets_file: secretsFile }),
    counts: countsOf(imported.items),
    ...(conditions === 0 ? {} : { dropped_conditions: conditions }),
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
