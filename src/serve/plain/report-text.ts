/** Writes the SLA report of a month as plain text, for a terminal or a mail. */
import { durationText } from '../../engine/core/duration.ts';
import { dayText, minuteText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import type { Report, ReportFigures, SloVerdict } from '../../engine/views/report.ts';
import { monthText, percentText, zoneText } from '../../engine/views/page-wording.ts';
import {
  downtimeTexts,
  maintenanceTexts,
  keptText,
  sloText,
  togetherNote,
  noDataText,
  removedTexts,
} from '../../engine/views/report-wording.ts';
import type { Steps } from '../../engine/core/yielding.ts';
import { type PlainColumn, documentOf, labelled, spread, plainTables } from './lines.ts';

export interface ReportTextFacts {
  readonly title: string;
  readonly report: Report;
  /** The month in which the record begins; null: nothing is on record. */
  readonly recordMonth: string | null;
  /** Null: the month is not closed. */
  readonly closed: { readonly closedAt: number } | null;
  /** The group that the report is restricted to; null: all. */
  readonly group: string | null;
  /** No line has more cells. */
  readonly width: number;
}

interface ReportTextLine extends ReportFigures {
  readonly name: string;
  readonly slo: string;
  readonly budget: string;
}

/** In steps, as there may be thousands of monitors. */
export function* reportTextSteps(facts: ReportTextFacts): Steps<string> {
  const { title, report, recordMonth, closed, group, width } = facts;
  const { month, groups, isRunning, toAt } = report;
  const heading = group === null ? title : `${title}: ${group}`;
  const lines = [
    spread(heading, `Report, ${monthText(month)}${zoneText(report)}`, width),
    '',
    ...labelled('Total', totalText(report, recordMonth), width),
  ];
  if (isRunning)
    lines.push(...labelled('     ', `The month still runs: figures up to ${minuteText(toAt)} UTC.`, width));
  if (closed !== null) {
    const text = `Closed on ${dayText(closed.closedAt)}: the figures were stored then.`;
    lines.push(...labelled('     ', text, width));
  }
  const sections = groups.map(({ name, rows, total: together }) => {
    const table: ReportTextLine[] = rows.map((row) => ({
      ...row,
      slo: sloText(row.slo),
      budget: budgetText(row.slo),
    }));
    if (rows.length > 1) table.push({ ...together, name: 'Together', slo: keptText(together), budget: '' });
    return { heading: name ?? 'Monitors', rows: table };
  });
  for (const table of yield* plainTables(plainColumns, sections, width)) lines.push('', ...table);
  if (groups.some(({ rows }) => rows.length > 1))
    lines.push('', ...labelled('Together', togetherNote, width));
  for (const text of removedTexts(report)) lines.push('', ...labelled('Removed ', text, width));
  return documentOf(lines);
}

const plainColumns: readonly PlainColumn<ReportTextLine>[] = [
  { heading: '', text: ({ name }) => name, least: 12 },
  { heading: 'Uptime', isNumber: true, text: ({ uptime }) => percentText(uptime) },
  { heading: 'Coverage', isNumber: true, text: ({ coverage }) => percentText(coverage), spare: 1 },
  { heading: 'Incidents', isNumber: true, text: ({ incidents }) => String(incidents), spare: 4 },
  { heading: 'Downtime', isNumber: true, text: ({ downtimeMs }) => spanText(downtimeMs), spare: 2 },
  { heading: 'Recovery', isNumber: true, text: ({ mttrMs }) => spanText(mttrMs), spare: 5 },
  { heading: 'SLO', isNumber: true, text: ({ slo }) => slo, spare: 3 },
  { heading: 'Budget', isNumber: true, text: ({ budget }) => budget, spare: 6 },
];

function totalText({ month, total }: Report, recordMonth: string | null): string {
  const kept = keptText(total);
  if (total.uptime === null) return `${noDataText(month, recordMonth)}.`;
  const parts = [
    `uptime ${percentText(total.uptime)}`,
    `coverage ${percentText(total.coverage)}`,
    counted(total.incidents, 'incident'),
    ...downtimeTexts(total),
    ...maintenanceTexts(total),
  ];
  return `${[...parts, ...(kept === '' ? [] : [`SLOs: ${kept}`])].join(', ')}.`;
}

function spanText(ms: number | null): string {
  return ms === null || ms === 0 ? '-' : durationText(ms);
}

function budgetText(slo: SloVerdict): string {
  return slo.kind === 'met' || slo.kind === 'missed' ? `${slo.usedPercent}% used` : '';
}
