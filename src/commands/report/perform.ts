/** Prints the report of a month. */
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { type FoundReport, monthAsked, monthReport, type ReportRequest } from './figures.ts';
import { reportText, textsOf } from './render.ts';
import { wholeSecs } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { figureDefinitions } from '../../engine/monitoring/month-closer.ts';
import type { Report, ReportFigures, ReportTotal, SloVerdict } from '../../engine/views/report.ts';

export type ReportRun = RunOptions & ReportRequest;

export function performReport(run: ReportRun, context: Context): Promise<ExitCode> {
  const { stdout, clock } = context;
  // What is wrong with the command line is reported before anything is opened.
  monthAsked(run.month, clock.now(), 'UTC');
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const found = monthReport(run, openedStore);
    const { report } = found;
    if (run.isJson) stdout.write(`${toJson(reportJson(found, run.isCompared === true))}\n`);
    else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(report));
      const { title } = openedStore.config.page;
      stdout.write(reportText(found, { title, group: run.group, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}

/** Says the report of a month to a program. */
export function reportJson({ report, recordMonth, closed, recomputed }: FoundReport, isCompared = false) {
  const { month, zone, fromAt, toAt, isRunning } = report;
  return {
    month,
    timezone: zone,
    from: rfc3339(fromAt),
    to: rfc3339(toAt),
    running: isRunning,
    record_begins: recordMonth,
    closed_at: closed === null ? null : rfc3339(closed.closedAt),
    definitions: closed?.definitions ?? figureDefinitions,
    ...tablesJson(report),
    ...(isCompared && { recomputed: recomputed === null ? null : tablesJson(recomputed) }),
  };
}

function tablesJson({ total, groups }: Report) {
  return {
    total: totalJson(total),
    groups: groups.map(({ name, rows, total: together }) => ({
      name,
      total: totalJson(together),
      monitors: rows.map((row) => ({
        id: row.id,
        name: row.name,
        removed_at: row.removedAt === null ? null : rfc3339(row.removedAt),
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

function figuresJson({ uptime, coverage, incidents, downtimeMs, mttrMs, maintenanceMs }: ReportFigures) {
  return {
    uptime_percent: uptime === null ? null : uptime / 100,
    coverage_percent: coverage / 100,
    incidents,
    downtime_secs: wholeSecs(downtimeMs),
    mttr_secs: mttrMs === null ? null : wholeSecs(mttrMs),
    maintenance_secs: wholeSecs(maintenanceMs),
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
