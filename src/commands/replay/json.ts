/** Renders a comparison as JSON. */
import { wholeSecs } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { AlertDifference } from '../../engine/alerting/replay/compare.ts';
import type { JudgedEpisode } from '../../engine/alerting/replay/judge-episodes.ts';
import { countOf, type Comparison } from './render.ts';

export function comparisonJson(comparison: Comparison) {
  const { fromAt, toAt, files, samples, monitors, onlyNow, onlyThen, notReplayed } = comparison;
  const all = monitors.flatMap(({ alerts }) => alerts);
  return {
    from: rfc3339(fromAt),
    to: rfc3339(toAt),
    now: files.now,
    then: files.then,
    samples,
    ...totalsOf(all),
    monitors: monitors.map(({ id, alerts }) => ({
      id,
      ...totalsOf(alerts),
      alerts: alerts.map(differenceJson),
    })),
    monitors_only_now: onlyNow,
    monitors_only_then: onlyThen,
    not_replayed: notReplayed.map(({ id, keys }) => ({ id, settings: keys })),
  };
}

function totalsOf(alerts: readonly AlertDifference[]) {
  return {
    told_by_both: countOf(alerts, 'both'),
    told_only_now: countOf(alerts, 'now'),
    told_only_then: countOf(alerts, 'then'),
  };
}

function differenceJson({ notified, now, then }: AlertDifference) {
  const about = notified === 'then' ? then : now;
  return { told: notified, event: about?.event ?? null, now: sideJson(now), then: sideJson(then) };
}

/** Null: it would not have been confirmed. */
function sideJson(side: JudgedEpisode | null) {
  if (side === null) return null;
  const { startedAt, confirmedAt, endedAt, fate } = side;
  return {
    start: rfc3339(startedAt),
    confirmed: rfc3339(confirmedAt),
    end: endedAt === null ? null : rfc3339(endedAt),
    length_secs: endedAt === null ? null : wholeSecs(endedAt - startedAt),
    fate: fate.kind,
    told_at: fate.kind === 'told' ? rfc3339(fate.at) : null,
    delay_secs: fate.kind === 'told' ? wholeSecs(fate.at - startedAt) : null,
    muted_by: fate.kind === 'muted' ? fate.by : null,
    folded_into: fate.kind === 'folded' ? fate.into : null,
  };
}
