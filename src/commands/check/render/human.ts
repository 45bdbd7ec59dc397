/** Renders a report for the person in front of the terminal. */
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
import { bodyLines, inMilliseconds, inSeconds, paintStatus, statusMark, unmetLines } from './parts.ts';
import { cutCells, padEnd, padStart } from '../../terminal/cells.ts';

export const renderer: Renderer = {
  report: (report, checkView) => {
    const wrong = report.results.filter(isWrong);
    const blocks = wrong.flatMap((result) => [...blockLines(result, checkView), '']);
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
    const lines = problems.flatMap((problem) => {
      const place = paint.bold(placeOf(problem) || 'statusd');
      const line = `${place}: ${paint.red('error')}: ${sentenceOf(problem)}`;
      return problem.hint === null ? [line] : [line, `  ${problem.hint}`];
    });
    return `${lines.join('\n')}\n`;
  },
};

function tableSection({ results }: CheckReport, checkView: CheckView): string[] {
  return results.length === 0 ? [] : [...tableLines(results, checkView), ''];
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
  const time = paint.dim(`in ${inSeconds(elapsedMs)}`);
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

/** An assertion that the reason has already told in full is not told twice. */
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

const gap = '  ';
/** Narrower than this, a detail says nothing. */
const minDetail = 12;
/** A name cut shorter than this is not worth the detail it makes room for. */
const minName = 8;

interface Widths {
  readonly status: number;
  readonly name: number;
  readonly latency: number;
  /** Null: as wide as it is. Zero: no room for it. */
  readonly detail: number | null;
}

/** Draws the table: a line a monitor, in sections by group. */
function tableLines(results: readonly CheckedMonitor[], checkView: CheckView): string[] {
  const widths = widthsOf(results, checkView);
  const sections = sectionsOf(results);
  return sections.flatMap(({ group, members }, index) => [
    ...(index > 0 ? [''] : []),
    ...(group === null ? [] : [checkView.paint.bold(fitted(group, checkView.columns, checkView))]),
    ...members.map((result) => rowOf(result, widths, checkView)),
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

function widthsOf(results: readonly CheckedMonitor[], { cells, columns }: CheckView): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => cells.measure(text)));
  const status = widest(results.map((result) => result.status));
  const latency = widest(results.map(latencyOf));
  const name = widest(results.map((result) => result.name));
  if (columns === null) return { status, name, latency, detail: null };
  // Indent, mark, a space, then the three gaps between the columns.
  const fixed = gap.length + 2 + status + gap.length + gap.length + latency;
  const wanted = widest(results.map(detailOf));
  const least = Math.min(wanted, minDetail);
  const hasRoom = columns - fixed - gap.length - least >= Math.min(name, minName);
  const fittingName = Math.max(1, Math.min(name, columns - fixed - (hasRoom ? gap.length + least : 0)));
  return {
    status,
    name: fittingName,
    latency,
    detail: hasRoom ? columns - fixed - fittingName - gap.length : 0,
  };
}

function rowOf(result: CheckedMonitor, widths: Widths, checkView: CheckView): string {
  const { cells, paint, glyphs } = checkView;
  const name = padEnd(cutCells(result.name, widths.name, cells), widths.name, cells);
  const value = latencyOf(result);
  const latency = padStart(value === '' ? glyphs.none : value, widths.latency, cells);
  const text = widths.detail === 0 ? '' : fitted(detailOf(result), widths.detail, checkView);
  const row = [
    `${gap}${statusMark(result.status, widths.status, checkView)}`,
    result.status === 'skipped' ? paint.dim(name) : name,
    value === '' ? paint.dim(latency) : latency,
    ...(text === '' ? [] : [result.status === 'skipped' ? paint.dim(text) : text]),
  ];
  return row.join(gap).trimEnd();
}

function fitted(text: string, columns: number | null, { cells }: CheckView): string {
  return columns === null ? text : cutCells(text, columns, cells);
}

function latencyOf({ latencyMs }: CheckedMonitor): string {
  return latencyMs === null ? '' : inMilliseconds(latencyMs);
}

function detailOf({ status, error }: CheckedMonitor): string {
  return status === 'skipped' ? 'waits for heartbeats' : (error ?? '');
}
