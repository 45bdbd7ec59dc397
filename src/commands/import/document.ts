/** Writes the items as a commented configuration. */
import { secretsFile } from '../../engine/config/env-files.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { commentLines, commentText } from '../document/toml.ts';
import { type Item, type TableSection, type ImportTable } from './item.ts';
import { tomlValue } from './toml-value.ts';
import type { WantedVariable } from './variables.ts';

export interface Imported {
  /** What it was imported from: `Uptime Kuma 2.0.2`. */
  readonly program: string;
  readonly items: readonly Item[];
  readonly wanted: readonly WantedVariable[];
}

/** A configuration and where in it each item stands, to find the one an error is about. */
export interface WrittenDocument {
  readonly text: string;
  readonly placeOf: ReadonlyMap<string, Item>;
}

const single: readonly TableSection[] = ['page', 'server', 'alerts'];
const repeated: readonly TableSection[] = ['channels', 'monitors', 'maintenance', 'incidents'];

const headings: Readonly<Record<TableSection, string>> = {
  page: 'How the status page presents itself.',
  server: 'Where it listens.',
  alerts: 'When to say something.',
  channels: 'Who to notify.',
  monitors: 'What is watched.',
  maintenance: 'When alerts keep quiet.',
  incidents: 'Notices that the status page pins.',
};

/** The text, and the items of its tables by place: `monitors.2`, `alerts`. */
export function importDocument(imported: Imported): WrittenDocument {
  const blocks: string[][] = [head(imported)];
  const placeOf = new Map<string, Item>();
  for (const tableSection of [...single, ...repeated]) {
    const own = imported.items.filter(
      ({ result }) => 'table' in result && result.table.section === tableSection,
    );
    own.forEach((item, index) => {
      const block = tableLines(item);
      blocks.push(index === 0 ? [`# ${headings[tableSection]}`, '', ...block] : block);
    });
    own
      .filter(({ result }) => result.kind === 'written')
      .forEach((item, index) =>
        placeOf.set(single.includes(tableSection) ? tableSection : `${tableSection}.${index}`, item),
      );
  }
  return { text: `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`, placeOf };
}

function head({ program, items, wanted }: Imported): string[] {
  const missing = items.filter(({ result }) => result.kind === 'left_out');
  return [
    ...commentLines(
      `Imported from ${commentText(program)}. Read the comments: they say what is not as it was.`,
    ),
    '# `man statusd.toml` describes every key.',
    ...(wanted.length === 0
      ? []
      : ['#', `# Variables it needs, from ${secretsFile} beside this file or from the environment:`]),
    ...wanted.flatMap(({ name, origin }) => commentLines(`${name}: ${commentText(origin)}`)),
    ...(missing.length === 0 ? [] : ['#', '# Not taken over:']),
    ...missing.flatMap(({ kind, name, file, remarks }) => {
      const place = file === undefined ? '' : ` in ${file}`;
      return commentLines(
        commentText(
          `${kind === 'settings' ? 'setting' : kind} ${name}${place}: ${remarks.map(({ text }) => text).join('; ')}`,
        ),
      );
    }),
  ];
}

function tableLines({ result, file, remarks }: Item): string[] {
  if (!('table' in result)) return [];
  const { table } = result;
  const isPaused = result.kind === 'commented';
  const lines = [
    isSingle(table) ? `[${table.section}]` : `[[${table.section}]]`,
    ...[...table.settings].map(([key, value]) => `${key} = ${tomlValue(value)}`),
  ];
  return [
    ...(file === undefined ? [] : commentLines(commentText(`From ${file}.`))),
    ...table.comments.flatMap((comment) => commentLines(commentText(comment))),
    ...remarks.flatMap(({ level, text }) => commentLines(commentText(`${words[level]}: ${text}.`))),
    ...(isPaused ? lines.map((line) => `# ${cleanLine(line)}`) : lines),
  ];
}

const words = { approximated: 'Approximated', dropped: 'Dropped' } as const;

function isSingle({ section }: ImportTable): boolean {
  return single.includes(section);
}
