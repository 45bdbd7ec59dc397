/** Renders a report for a terminal. */
import { sectionLines, type Cell } from '../../../engine/views/text/table.ts';
import { cutCells } from '../../../engine/views/text/cells.ts';
import { shownProblems } from '../../../engine/config/problem.ts';
import { elapsedText, latencyText } from '../../../engine/core/duration.ts';
import {
  type CheckedMonitor,
  type CheckReport,
  type CheckStatus,
  type CheckView,
  countsInWords,
  isWrong,
  placeOf,
  type Renderer,
  sentenceOf,
  titleOf,
} from '../report.ts';
import { bodyLines, paintStatus, unmetLines } from './parts.ts';

export const renderer: Renderer = {
  report: (report, checkView) => {
    const wrong = report.results.filter(isWrong);
    const roots = wrong.filter(({ id }) => !report.causes.has(id));
    const blocks = [
      ...roots.flatMap((result) => [...blockLines(result, checkView), '']),
      ...dependentLines(report, checkView),
    ];
    const notes = noteLines(report, checkView);
    const sections = checkView.isQuiet
      ? [blocks, notes]
      : [tableSection(report, checkView), blocks, notes, [summaryLine(report, checkView)]];
    const text = sections.flat().join('\n').trimEnd();
    return text === '' ? '' : `${text}\n`;
  },
  config: ({ file, problems }, { paint, glyphs, isQuiet }) => {
    if (problems.length === 0) {
      return isQuiet ? '' : `${paint.green(glyphs.up)} ${file ?? 'the configuration'} is valid\n`;
    }
    const { shown, more } = shownProblems(problems);
    const lines = shown.flatMap((problem) => {
      const place = paint.bold(placeOf(problem) || 'statusd');
      const line = `${place}: ${paint.red('error')}: ${sentenceOf(problem)}`;
      return problem.hint === null ? [line] : [line, `  ${problem.hint}`];
    });
    return `${[...lines, ...(more === null ? [] : [more])].join('\n')}\n`;
  },
};

function tableSection(report: CheckReport, checkView: CheckView): string[] {
  return report.results.length === 0 ? [] : [...checkTable(report, checkView), ''];
}

function noteLines({ notes }: CheckReport, { paint, isQuiet }: CheckView): string[] {
  const lines = notes.map((note) => `${paint.yellow('note')} ${titleOf(note)}: ${note.text}`);
  return lines.length === 0 || isQuiet ? lines : [...lines, ''];
}

/** `5 up, 1 down, 1 skipped in 1.2 s`. */
function summaryLine(
  { counts, elapsedMs, isInterrupted, results }: CheckReport,
  { paint }: CheckView,
): string {
  const words = countsInWords(counts)
    .split(', ')
    .map((part) => paintStatus(part.split(' ')[1] as CheckStatus, paint)(part))
    .join(', ');
  const time = paint.dim(`in ${elapsedText(elapsedMs)}`);
  if (isInterrupted)
    return `${paint.yellow('interrupted')} ${results.length === 0 ? '' : `with ${words} `}${time}`;
  return `${words} ${time}`;
}

const indent = '    ';

/** Draws what is known about a monitor that is not up: why, what it answered, how to ask again. */
function blockLines(result: CheckedMonitor, checkView: CheckView): string[] {
  const { status, answer, curl, error } = result;
  const { paint, glyphs } = checkView;
  const name = paintStatus(status, paint)(`${glyphs[status]} ${titleOf(result)} is ${status}`);
  const heading = name + (result.attempts > 1 ? paint.dim(` after ${result.attempts} attempts`) : '');
  const details = [
    ...assertionLines(result).map((line) => indent + line),
    ...(answer === null ? [] : answerBlock(answer, checkView)),
    ...(curl === null ? [] : [`${indent}${paint.dim('$')} ${paint.cyan(curl)}`]),
  ];
  if (error === null) return [heading, ...details];
  return details.length === 0 ? [`${heading}: ${error}`] : [heading, indent + error, ...details];
}

/** What is down because something it depends on is takes one line: its cause is explained, and comes first. */
function dependentLines({ results, causes }: CheckReport, { paint, glyphs }: CheckView): string[] {
  const lines = results.flatMap((result) => {
    const cause = causes.get(result.id);
    if (cause === undefined) return [];
    const heading = paintStatus(result.status, paint)(`${glyphs[result.status]} ${titleOf(result)}`);
    return [
      `${heading} because of ${paint.bold(cause)}${result.error === null ? '' : paint.dim(`: ${result.error}`)}`,
    ];
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

/** An assertion that the reason has already given in full is not shown twice. */
function assertionLines(result: CheckedMonitor): string[] {
  const [only, ...others] = result.unmet;
  if (only !== undefined && others.length === 0 && (result.error ?? '').includes(only.actual)) return [];
  return unmetLines(result);
}

function answerBlock(
  answer: { statusLine: string; body: string },
  { paint, glyphs, cells, columns }: CheckView,
): string[] {
  const bar = `${indent}${glyphs.bar} `;
  const lines = [answer.statusLine, ...bodyLines(answer.body, glyphs.ellipsis)].filter((line) => line !== '');
  return lines.map((line) => {
    const text = columns === null ? line : cutCells(line, Math.max(1, columns - bar.length), cells);
    return paint.dim(bar + text);
  });
}

const tableIndent = '  ';

const columns = [
  { heading: '' },
  { heading: '', least: 8 },
  { heading: '', isNumber: true },
  { heading: '', least: 12, spare: 1 },
] as const;

/** Draws the table: a line a monitor, in sections by group. */
function checkTable({ results, causes }: CheckReport, checkView: CheckView): string[] {
  const { cells, columns: width, paint } = checkView;
  const sections = sectionsOf(results);
  const tables = sectionLines(
    columns,
    sections.map(({ members }) => ({
      rows: members.map((result) => rowOf(result, causes.get(result.id), checkView)),
    })),
    { cells, columns: width === null ? null : width - tableIndent.length },
  );
  return sections.flatMap(({ group }, index) => [
    ...(index > 0 ? [''] : []),
    ...(group === null ? [] : [paint.bold(width === null ? group : cutCells(group, width, cells))]),
    ...(tables[index] ?? []).slice(1).map((line) => tableIndent + line),
  ]);
}

/** Monitors without a group come first, groups in the order in which the configuration names them. */
function sectionsOf(
  results: readonly CheckedMonitor[],
): { group: string | null; members: CheckedMonitor[] }[] {
  const byGroup = new Map<string | null, CheckedMonitor[]>([[null, []]]);
  for (const result of results) {
    const members = byGroup.get(result.group);
    if (members === undefined) byGroup.set(result.group, [result]);
    else members.push(result);
  }
  return [...byGroup]
    .map(([group, members]) => ({ group, members }))
    .filter(({ members }) => members.length > 0);
}

function rowOf(result: CheckedMonitor, cause: string | undefined, { paint, glyphs }: CheckView): Cell[] {
  const { status, name, latencyMs } = result;
  const dimmed = status === 'skipped' ? paint.dim : undefined;
  return [
    { text: `${glyphs[status]} ${status}`, paint: paintStatus(status, paint) },
    { text: name, paint: dimmed },
    latencyMs === null ? { text: glyphs.none, paint: paint.dim } : { text: latencyText(latencyMs) },
    { text: cause === undefined ? detailOf(result) : `because of ${cause}`, paint: dimmed },
  ];
}

function detailOf({ status, error }: CheckedMonitor): string {
  return status === 'skipped' ? 'waits for heartbeats' : (error ?? '');
}
