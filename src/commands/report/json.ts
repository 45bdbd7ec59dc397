/** Says the report of a month to a program. */
import { wholeSecs } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { ReportFigures, ReportTotal, SloVerdict } from '../../engine/views/report.ts';
import type { FoundReport } from './figures.ts';

export function reportJson({ report, recordMonth }: FoundReport) {
  const { month, fromAt, toAt, isRunning, groups, total } = report;
  return {
    month,
    from: rfc3339(fromAt),
    to: rfc3339(toAt),
    running: isRunning,
    record_begins: recordMonth,
    total: totalJson(total),
    groups: groups.map(({ name, rows, total: together }) => ({
      name,
      total: totalJson(together),
      monitors: rows.map((row) => ({
        id: row.id,
        name: row.name,
        ...figuresJson(row),
        slo: sloJson(row.slo),
      })),
    })),
  };
}

function totalJson(total: ReportTotal) {
  const meanSecs = wholeSecs(total.meanDowntimeMs);
  return {
    ...figuresJson(total),
    mean_downtime_secs: meanSecs,
    slos_met: total.slosMet,
    slos_missed: total.slosMissed,
  };
}

function figuresJson({ uptime, coverage, incidents, downtimeMs, mttrMs }: ReportFigures) {
  return {
    uptime_percent: uptime === null ? null : uptime / 100,
    coverage_percent: coverage / 100,
    incidents,
    downtime_secs: wholeSecs(downtimeMs),
    mttr_secs: mttrMs === null ? null : wholeSecs(mttrMs),
  };
}

function sloJson(slo: SloVerdict) {
  if (slo.kind === 'none') return null;
  if (slo.kind === 'no_data') return { target_percent: slo.targetPercent, met: null };
  return {
    target_percent: slo.targetPercent,
    met: slo.kind === 'met',
    budget_minutes: slo.budgetMinutes,
    spent_minutes: slo.spentMinutes,
    used_percent: slo.usedPercent,
  };
}
