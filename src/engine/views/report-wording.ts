/** Describes the downtime and the SLOs of a month. */
import { dayText } from '../core/instant.ts';
import { durationText } from '../core/duration.ts';
import { monthText } from './page-wording.ts';
import { cleanLine } from '../core/text.ts';
import type { Report, ReportTotal, SloVerdict } from './report.ts';

export function sloText(slo: SloVerdict): string {
  switch (slo.kind) {
    case 'none':
      return '';
    case 'no_data':
      return `${slo.targetPercent}% no data`;
    case 'met':
      return `${slo.targetPercent}% met`;
    case 'missed':
      return `${slo.targetPercent}% MISSED`;
  }
}

/** Why a month has no figures; `recordMonth` null: nothing is on record. Without a full stop. */
export function noDataText(month: string, recordMonth: string | null): string {
  if (recordMonth === null) return 'No data: nothing is on record yet';
  return month < recordMonth ? `No data: the record begins in ${monthText(recordMonth)}` : 'No data';
}

/** Of several monitors together; empty when none of them has an SLO. */
export function keptText({ slosMet, slosMissed }: Pick<ReportTotal, 'slosMet' | 'slosMissed'>): string {
  const judged = slosMet + slosMissed;
  return judged === 0 ? '' : `${slosMet} of ${judged} met`;
}

/** Of several monitors together, never their sum: how long at least one was down, and the mean over them. */
export function downtimeTexts({ downtimeMs, meanDowntimeMs }: ReportTotal): readonly string[] {
  if (downtimeMs === meanDowntimeMs) return [`${durationText(downtimeMs)} of downtime`];
  return [
    `${durationText(downtimeMs)} with at least one outage`,
    `${durationText(meanDowntimeMs)} mean over monitors`,
  ];
}

/** What of the time counts for nothing; none: there was no maintenance. */
export function maintenanceTexts({ maintenanceMs }: Pick<ReportTotal, 'maintenanceMs'>): readonly string[] {
  return maintenanceMs === 0 ? [] : [`${durationText(maintenanceMs)} of maintenance left out`];
}

/** What the downtime in a row of several monitors is. */
export const togetherNote = 'the downtime of several monitors is the time with at least one outage.';

/** A sentence for each monitor of a report that is no longer watched. */
export function removedTexts({ groups }: Pick<Report, 'groups'>): string[] {
  return groups.flatMap(({ rows }) =>
    rows.flatMap(({ name, removedAt }) =>
      removedAt === null ? [] : [`${cleanLine(name)} is no longer monitored since ${dayText(removedAt)}.`],
    ),
  );
}
