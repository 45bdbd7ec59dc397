/** Draws the table of monitors. */
import type { Cells } from '../../engine/views/text/cells.ts';
import { latencyText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { PageMonitor, PageSummary } from '../../engine/views/page.ts';
import { errorText, permilleText, shortTimeText, statusWord } from '../../engine/views/page-wording.ts';
import { type ColumnName, columnsFor, gap, gutter, type TableColumn } from '../layout/columns.ts';
import { type LineSpan, padded, paddedStart, type ScreenLine, span, widthOf } from '../line.ts';
import type { Model } from '../model.ts';
import { countsText, type TableRow } from '../rows.ts';
import { type Marks, statusTones } from '../theme.ts';
import type { DayView } from '../../engine/views/day.ts';

export interface TablePen {
  readonly cells: Cells;
  readonly marks: Marks;
}

export interface TableView {
  readonly model: Model;
  /** Those on the screen. */
  readonly rows: readonly TableRow[];
  /** Null: there is no cursor. */
  readonly selectedId: string | null;
  readonly columns: readonly TableColumn[];
}

/** The columns that fit `width`, given all that may have to be shown. */
export function tableColumns(
  summary: PageSummary,
  { cells }: TablePen,
  room: { readonly width: number; readonly isGrouped: boolean },
): readonly TableColumn[] {
  const widest = (texts: readonly string[]) =>
    texts.reduce((most, text) => Math.max(most, cells.measure(cleanLine(text))), 0);
  return columnsFor({
    ...room,
    nameWidth: widest(summary.monitors.map(({ name }) => name)),
    groupWidth: widest(summary.monitors.map(({ group }) => group ?? '')),
    hasError: summary.monitors.some((monitor) => remarkOf(monitor, summary.generated_at) !== ''),
  });
}

const headings: Readonly<Record<ColumnName, string>> = {
  status: 'STATUS',
  name: 'MONITOR',
  group: 'GROUP',
  uptime: 'UP 24H',
  p50: 'P50',
  p95: 'P95',
  p99: 'P99',
  trend: 'LATENCY 24H',
  error: 'LAST ERROR',
};

export function tableHeading({ columns, model }: TableView, { cells }: TablePen): ScreenLine {
  const cellsOf = columns.map(({ name, width }) => {
    const text = name === 'trend' && model.trend === null ? 'LAST DAYS' : headings[name];
    return isFigure(name) ? paddedStart(text, width, cells) : padded(text, width, cells);
  });
  return { spans: [span(' '.repeat(gutter)), span(cellsOf.join(' '.repeat(gap)).trimEnd(), 'dim')] };
}

export function tableRows(view: TableView, tablePen: TablePen): ScreenLine[] {
  return view.rows.map((row) =>
    row.kind === 'group' ? groupLine(row, tablePen) : monitorLine(row.monitor, view, tablePen),
  );
}

function groupLine({ name, counts }: Extract<TableRow, { kind: 'group' }>, { marks }: TablePen): ScreenLine {
  return {
    spans: [
      span(`${marks.rule} `, 'dim'),
      span(name === null ? 'No group' : cleanLine(name), 'strong'),
      span(`  ${countsText(counts)}`, 'dim'),
    ],
  };
}

function monitorLine(monitor: PageMonitor, view: TableView, tablePen: TablePen): ScreenLine {
  const { cells, marks } = tablePen;
  const isSelected = monitor.id === view.selectedId;
  const drawn = view.columns.map((tableColumn) =>
    fitted(cellOf(monitor, tableColumn, { view, pen: tablePen }), tableColumn, cells),
  );
  const spans = [span(isSelected ? padded(marks.cursor, gutter, cells) : ' '.repeat(gutter))];
  drawn.forEach((cell, index) => {
    if (index > 0) spans.push(span(' '.repeat(gap)));
    spans.push(...cell);
  });
  return isSelected ? { spans, isSelected } : { spans: withoutTrail(spans) };
}

/** Spaces at the end of a line need not cross a slow link. */
function withoutTrail(spans: readonly LineSpan[]): LineSpan[] {
  const kept = [...spans];
  while (kept.at(-1)?.text.trimEnd() === '') kept.pop();
  const last = kept.pop();
  return last === undefined ? kept : [...kept, span(last.text.trimEnd(), last.tone)];
}

interface At {
  readonly view: TableView;
  readonly pen: TablePen;
}

function cellOf(monitor: PageMonitor, { name, width }: TableColumn, { view, pen }: At): readonly LineSpan[] {
  const { marks } = pen;
  const { model } = view;
  switch (name) {
    case 'status':
      return [statusSpan(monitor, marks)];
    case 'name':
      return [span(cleanLine(monitor.name), 'strong')];
    case 'group':
      return [span(cleanLine(monitor.group ?? ''), 'dim')];
    case 'uptime':
      return [uptimeSpan(monitor.uptime_24h_permille, marks)];
    case 'p50':
      return [span(latencyText(monitor.latency_p50_ms, marks.none))];
    case 'p95':
      return [latencySpan(monitor.latency_p95_ms, monitor.slo_latency_ms, marks)];
    case 'p99':
      return [span(latencyText(monitor.latency_p99_ms, marks.none), 'dim')];
    case 'trend':
      return model.trend === null
        ? daysOf(monitor.history, width, marks)
        : [sparkOf(model.trend(monitor.id), width, marks)];
    case 'error':
      return [span(cleanLine(remarkOf(monitor, model.summary.generated_at)), 'dim')];
  }
}

/** The mark of a status and its word. */
export function statusSpan({ status }: Pick<PageMonitor, 'status'>, marks: Marks): LineSpan {
  const word = status === 'unknown' ? 'no data' : statusWord(status).toLowerCase();
  return span(`${marks.status[status]} ${word}`, statusTones[status]);
}

function uptimeSpan(permille: number | null, { none }: Marks): LineSpan {
  const text = permilleText(permille, none);
  return permille === null ? span(text, 'dim') : span(text, permille < 990 ? 'warn' : 'plain');
}

function latencySpan(ms: number | null, most: number | null, { none }: Marks): LineSpan {
  return span(latencyText(ms, none), ms !== null && most !== null && ms > most ? 'warn' : 'plain');
}

/** What holds its messages back, then why it is not well. */
function remarkOf(monitor: PageMonitor, now: string): string {
  const { maintenance, silenced_until, last_error, cause } = monitor;
  return [
    maintenance ? 'in maintenance' : null,
    silenced_until === null ? null : `silenced until ${shortTimeText(silenced_until, now)}`,
    cause === null ? null : `because of ${cause}`,
    errorText(last_error),
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** A cell as wide as its column: one span is cut and padded, several are padded. */
function fitted(parts: readonly LineSpan[], { name, width }: TableColumn, cells: Cells): readonly LineSpan[] {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) {
    const fit = isFigure(name) ? paddedStart : padded;
    return [span(fit(only.text, width, cells), only.tone)];
  }
  return [...parts, span(' '.repeat(Math.max(0, width - widthOf({ spans: parts }, cells))))];
}

function isFigure(name: ColumnName): boolean {
  return name === 'uptime' || name === 'p50' || name === 'p95' || name === 'p99';
}

/** The last `width` values as heights of the highest of them. */
function sparkOf(values: readonly (number | null)[], width: number, marks: Marks): LineSpan {
  const shown = values.slice(-width);
  const highest = Math.max(...shown.map((value) => value ?? 0));
  const cells = shown.map((value) => (value === null ? marks.gap : levelOf(value, highest, marks)));
  return span(marks.gap.repeat(width - shown.length) + cells.join(''), 'accent');
}

function levelOf(value: number, highest: number, { levels, gap }: Marks): string {
  const share = highest === 0 ? 0 : value / highest;
  return levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] ?? gap;
}

/** The last `width` days, days of the same state in one span. */
export function daysOf(history: readonly DayView[], width: number, marks: Marks): LineSpan[] {
  const shown = history.slice(-width);
  const spans: LineSpan[] = [];
  if (shown.length < width) spans.push(span(marks.gap.repeat(width - shown.length)));
  for (const { state } of shown) {
    const tone = statusTones[state];
    const last = spans.at(-1);
    const isSame = last?.tone === tone;
    spans.splice(
      isSame ? -1 : spans.length,
      isSame ? 1 : 0,
      span((isSame ? last.text : '') + marks.day[state], tone),
    );
  }
  return spans;
}
