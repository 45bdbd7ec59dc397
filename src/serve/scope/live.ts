/** Reads the details that the live view shows of the monitors on its screen, for operators. */
import { followUps } from '../../engine/alerting/events/catalogue.ts';
import type { ReasonWord } from '../../engine/alerting/reasons.ts';
import type { HourReader } from '../../db/read/hours.ts';
import type { Store } from '../../db/store/store.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { events } from '../../db/tables/events.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { samples } from '../../db/tables/samples.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { dependents, graphOfMonitors, type Graph } from '../../engine/core/graph.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { feedOf } from '../../engine/views/feed.ts';
import { dayView, type DayMarks, noMarks } from '../../engine/views/day.ts';
import {
  liveCounts,
  type LiveIncident,
  type LiveMonitor,
  type LiveSilence,
  type LiveView,
} from '../../engine/views/live.ts';
import type { DecisionFacts } from '../../engine/core/record.ts';
import type { Figures, FiguresAt } from './figures.ts';

export interface LiveSources {
  readonly store: Pick<Store, 'sql'>;
  readonly figures: Pick<Figures, 'at'>;
  readonly hours: HourReader;
  readonly config: Config;
  readonly nowAt: number;
  readonly redact: (text: string) => string;
}

/** An outage that lasts longer than this still shows in its incident. */
const mostIncidents = 50;
/** Samples of a slow monitor lie this far back at most. */
const lookBackHours = 30;

/** `ids`: of the monitors whose checks are wanted; what is no monitor is left out. */
export function liveView(sources: LiveSources, ids: readonly string[]): LiveView {
  const { store, config, nowAt } = sources;
  const graph = graphOfMonitors(config.monitors);
  const figures = sources.figures.at(nowAt);
  const known = new Map(config.monitors.map((monitor) => [monitor.id, monitor]));
  return {
    alerts_by_hour: decisions.sentByHour(store.sql, { at: nowAt, hours: liveCounts.hours, followUps }),
    feed: feed(sources, known),
    incidents: incidents
      .listOpen(store.sql)
      .slice(0, mostIncidents)
      .map(({ uid }) => liveIncident(sources, uid)),
    silences: silences.active(store.sql, nowAt).map(
      ({ id, monitors, untilAt, reason }): LiveSilence => ({
        id,
        monitors: monitors ?? ['*'],
        until: rfc3339(untilAt),
        reason,
      }),
    ),
    monitors: [...new Set(ids)].flatMap((id) => {
      const monitor = known.get(id);
      return monitor === undefined ? [] : [liveMonitor(sources, monitor, { graph, figures })];
    }),
  };
}

/** Of the last day. */
function feed({ store: { sql }, nowAt }: LiveSources, known: ReadonlyMap<string, Monitor>) {
  const fromAt = nowAt - 86_400_000;
  const limit = liveCounts.events;
  return feedOf(
    {
      incidents: incidents
        .list(sql, { limit })
        .incidents.filter(({ confirmedAt, endedAt }) => (endedAt ?? confirmedAt) >= fromAt),
      // Several channels share a line.
      decisions: decisions.latest(sql, { at: nowAt, limit: 4 * limit }).filter(({ at }) => at >= fromAt),
      changes: events.listWithin(sql, { fromAt, toAt: nowAt }),
      nameOf: (id) => known.get(id)?.name ?? id,
    },
    limit,
  );
}

/** The last word about each channel counts. */
function liveIncident({ store }: LiveSources, uid: string): LiveIncident {
  const sent = new Map<string, string>();
  const failed = new Set<string>();
  const latest = new Map<string | null, DecisionFacts>();
  let folded = false;
  for (const decision of decisions.ofIncident(store.sql, uid)) {
    const { at, channel, event, verdict, reason } = decision;
    if (event !== 'down' && event !== 'unknown') continue;
    if (verdict === 'spared' && reason === 'folded') folded = true;
    latest.set(channel, decision);
    if (channel === null) continue;
    if (verdict === 'told') {
      if (!sent.has(channel)) sent.set(channel, rfc3339(at));
      failed.delete(channel);
    } else if (verdict === 'undelivered' && !sent.has(channel)) failed.add(channel);
  }
  return {
    uid,
    sent: [...sent].map(([channel, at]) => ({ channel, at })),
    failed: [...failed],
    folded: folded && sent.size === 0,
    withheld: sent.size === 0 ? withheldBy([...latest.values()]) : null,
  };
}

/** Why nothing of an incident is sent for good, by the last decision about each channel; null: something waits. */
function withheldBy(latest: readonly DecisionFacts[]): string | null {
  if (latest.some(({ verdict }) => verdict === 'queued' || verdict === 'held')) return null;
  const because = (word: ReasonWord) =>
    latest.flatMap(({ verdict, reason, detail }) =>
      verdict === 'spared' && reason === word && detail !== null ? [detail] : [],
    );
  const filtered = because('filtered');
  const sentences = filtered.length > 0 ? filtered : because('nobody_routed');
  return sentences.length === 0 ? null : sentences.join(' ');
}

function liveMonitor(
  { store, hours, nowAt, redact }: LiveSources,
  monitor: Monitor,
  { graph, figures }: { readonly graph: Graph; readonly figures: FiguresAt },
): LiveMonitor {
  const { id } = monitor;
  const target = 'target' in monitor && typeof monitor.target === 'string' ? monitor.target : null;
  const found = figures.of(id);
  const marks = found?.marks() ?? new Map<number, DayMarks>();
  return {
    id,
    target: target === null ? null : redact(target),
    dependents: dependents(graph, id),
    checks: samples
      .recent(store.sql, id, { limit: liveCounts.checks, hours: lookBackHours })
      .map(({ status }) => status),
    hours: hours
      .read(store.sql, id, { now: nowAt, count: liveCounts.hours })
      .map(({ averageMs, status }) => ({ latency_ms: averageMs, status })),
    days: (found?.bars ?? [])
      .slice(-liveCounts.days)
      .map((bar) => dayView(bar, marks.get(bar.at) ?? noMarks).state),
  };
}
