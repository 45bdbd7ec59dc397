/** Renders the report of a month for a terminal. */
import type { FoundReport } from './figures.ts';
import type { Paint } from '../terminal/colour.ts';
import { durationText } from '../../engine/core/duration.ts';
import { dayText, minuteText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { counted } from '../../engine/core/words.ts';
import { monthText, percentText, zoneText } from '../../engine/views/page-wording.ts';
import {
  togetherNote,
  noDataText,
  downtimeTexts,
  removedTexts,
  maintenanceTexts,
  keptText,
  sloText,
} from '../../engine/views/report-wording.ts';
import type { Report, ReportFigures, ReportTotal, SloVerdict } from '../../engine/views/report.ts';
import { proseLines, wrapCells } from '../../engine/views/text/cells.ts';
import { type Cell, tableLines, type TextColumn } from '../../engine/views/text/table.ts';
import type { TerminalOutput } from '../terminal/output.ts';

export interface Heading {
  readonly title: string;
  readonly group: string | null;
  readonly isQuiet: boolean;
}

/** Everything that is not ASCII alone is measured by. */
export function textsOf({ groups }: Report): string[] {
  return groups.flatMap(({ name, rows }) => [
    cleanLine(name ?? ''),
    ...rows.map((row) => cleanLine(row.name)),
    '–',
  ]);
}

/** `isQuiet` leaves out everything but the table. */
export function reportText(found: FoundReport, heading: Heading, output: TerminalOutput): string {
  const { report, closed } = found;
  const table = tableOf(report, output);
  if (heading.isQuiet) return `${table.join('\n')}\n`;
  const { paint } = output;
  const { title, group } = heading;
  const of = group === null ? cleanLine(title) : `${cleanLine(title)}, ${cleanLine(group)}`;
  return `${[
    `${paint.bold(of)}: report for ${monthText(report.month)}${zoneText(report)}`,
    ...totalLines(found, output),
    ...(report.isRunning
      ? [paint.yellow(`The month still runs: figures up to ${minuteText(report.toAt)} UTC.`)]
      : []),
    ...(closed === null
      ? []
      : [paint.dim(`The month was closed on ${dayText(closed.closedAt)}: these figures were stored then.`)]),
    '',
    ...table,
    ...removedTexts(report).flatMap((text) => ['', ...proseLines(text, '', output).map(paint.dim)]),
    ...recomputedLines(found, output),
    ...(report.groups.some(({ rows }) => rows.length > 1)
      ? ['', ...proseLines(`Together: ${togetherNote}`, '', output).map(paint.dim)]
      : []),
  ].join('\n')}\n`;
}

/** The figures as computed now, where they were asked for beside those that are stored. */
function recomputedLines({ report, recomputed }: FoundReport, output: TerminalOutput): string[] {
  if (recomputed === null) return [];
  const { paint } = output;
  const table = tableOf(recomputed, output);
  if (table.join() === tableOf(report, output).join())
    return ['', paint.dim('Computed today, the figures are the same.')];
  return ['', paint.yellow('Computed today, the figures differ:'), '', ...table];
}

/** One line where it fits, otherwise wrapped with the SLOs on a line of their own. */
function totalLines(
  { report: { month, total }, recordMonth }: FoundReport,
  { paint, cells, columns }: TerminalOutput,
): string[] {
  if (total.uptime === null) {
    const text = noDataText(month, recordMonth);
    if (recordMonth === null) return [paint.dim(`${text}. \`statusd serve\` writes it.`)];
    const hint = month < recordMonth ? ` (\`statusd report ${recordMonth}\`)` : '';
    return [paint.dim(`${text}${hint}.`)];
  }
  const { slosMet, slosMissed } = total;
  const parts = [
    `uptime ${percentText(total.uptime)}`,
    `coverage ${percentText(total.coverage)}`,
    counted(total.incidents, 'incident'),
    ...(total.downtimeMs === 0 ? [] : downtimeTexts(total)),
    ...maintenanceTexts(total),
  ];
  const figures = parts.join(', ');
  const slos = slosMet + slosMissed;
  const met = slos === 0 ? [] : [`${slosMet} of ${counted(slos, 'SLO')} met`];
  const painted = met.map((text) => (slosMissed === 0 ? paint.green(text) : paint.red(text)));
  const isFitting = columns === null || cells.measure(`${[figures, ...met].join(', ')}.`) <= columns;
  if (isFitting) return [`${[figures, ...painted].join(', ')}.`];
  return [...wrapCells(`${figures}.`, columns, cells), ...painted.map((text) => `${text}.`)];
}

/** All groups in one table, so that their columns stand below each other. */
function tableOf({ groups }: Report, output: TerminalOutput): string[] {
  const { paint } = output;
  const reportLines = groups.flatMap(({ name, rows, total }): (ReportLine | string)[] => {
    const kept = { slosMet: 0, slosMissed: 0 };
    const own = rows.map(
      (row): ReportLine => ({ name: cleanLine(row.name), figures: row, slo: row.slo, kept }),
    );
    const together: ReportLine[] =
      rows.length > 1 ? [{ name: 'Together', figures: total, slo: null, kept: total }] : [];
    const isNamed = name !== null || groups.length > 1;
    return [...(isNamed ? [cleanLine(name ?? 'No group')] : []), ...own, ...together];
  });
  const columns = fitting(reportLines, output);
  const cells = reportLines.map((reportLine) =>
    typeof reportLine === 'string'
      ? columns.map(
          (_, index): Cell => (index === 0 ? { text: reportLine, paint: paint.cyan } : { text: '' }),
        )
      : columns.map(({ cell }) => cell(reportLine, paint)),
  );
  return tableLines({ columns, rows: cells }, output);
}

const gap = 2;

/** The columns that there is room for beside names of 12 cells. */
function fitting(
  reportLines: readonly (ReportLine | string)[],
  { paint, cells, columns: width }: TerminalOutput,
): readonly ReportColumn[] {
  if (width === null) return reportColumns;
  const widthOf = ({ heading, cell, least }: ReportColumn) => {
    const texts = reportLines.flatMap((reportLine) =>
      typeof reportLine === 'string' ? [] : [cell(reportLine, paint).text],
    );
    const natural = Math.max(...texts.map(cells.measure), 0);
    if (natural === 0) return 0;
    return (least ?? Math.max(natural, heading.length)) + gap;
  };
  let kept = reportColumns;
  while (kept.reduce((sum, column) => sum + widthOf(column), -gap) > width) {
    const sparest = Math.max(...kept.map(({ spare }) => spare));
    if (sparest === 0) break;
    kept = kept.filter(({ spare }) => spare < sparest);
  }
  return kept;
}

/** A monitor, or several together. */
interface ReportLine {
  readonly name: string;
  readonly figures: ReportFigures;
  /** Null: several together, whose SLOs are counted. */
  readonly slo: SloVerdict | null;
  readonly kept: Pick<ReportTotal, 'slosMet' | 'slosMissed'>;
}

interface ReportColumn extends TextColumn {
  readonly cell: (reportLine: ReportLine, paint: Paint) => Cell;
  /** The higher, the sooner it gives way. */
  readonly spare: number;
}

const reportColumns: readonly ReportColumn[] = [
  {
    heading: 'MONITOR',
    least: 12,
    spare: 0,
    cell: ({ name, slo }, paint) => ({ text: name, paint: slo === null ? paint.bold : plain }),
  },
  {
    heading: 'UPTIME',
    isNumber: true,
    spare: 0,
    cell: ({ figures, slo }, paint) => ({
      text: percentText(figures.uptime),
      paint: figures.uptime === null ? paint.dim : promisePaint(slo, paint),
    }),
  },
  {
    heading: 'COVERAGE',
    isNumber: true,
    spare: 1,
    cell: ({ figures }, paint) => ({
      text: percentText(figures.coverage),
      paint: figures.coverage < 9900 ? paint.yellow : paint.dim,
    }),
  },
  {
    heading: 'INCIDENTS',
    isNumber: true,
    spare: 4,
    cell: ({ figures: { incidents } }, paint) => ({
      text: String(incidents),
      paint: incidents === 0 ? paint.dim : plain,
    }),
  },
  {
    heading: 'DOWNTIME',
    isNumber: true,
    spare: 2,
    cell: ({ figures }, paint) => spanCell(figures.downtimeMs, paint),
  },
  {
    heading: 'RECOVERY',
    isNumber: true,
    spare: 5,
    cell: ({ figures }, paint) => spanCell(figures.mttrMs, paint),
  },
  {
    heading: 'SLO',
    isNumber: true,
    spare: 3,
    cell: ({ slo, kept }, paint) => ({
      text: slo === null ? keptText(kept) : sloText(slo),
      paint: promisePaint(slo, paint),
    }),
  },
  { heading: 'BUDGET', isNumber: true, spare: 6, cell: ({ slo }, paint) => budgetCell(slo, paint) },
];

const plain = (text: string) => text;

function spanCell(ms: number | null, paint: Paint): Cell {
  return ms === null || ms === 0 ? { text: '-', paint: paint.dim } : { text: durationText(ms) };
}

function promisePaint(slo: SloVerdict | null, paint: Paint): (text: string) => string {
  if (slo?.kind === 'met') return paint.green;
  return slo?.kind === 'missed' ? paint.red : plain;
}

/** From this share on the budget of a month is nearly gone. */
const nearlyPercent = 75;

function budgetCell(slo: SloVerdict | null, paint: Paint): Cell {
  if (slo === null || (slo.kind !== 'met' && slo.kind !== 'missed')) return { text: '' };
  const { usedPercent } = slo;
  const meaning = usedPercent > 100 ? paint.red : usedPercent >= nearlyPercent ? paint.yellow : paint.green;
  return { text: `${usedPercent}% used`, paint: meaning };
}
