/** Replays the history of every monitor under each of two configurations, and says what cannot be replayed. */
import { yieldToEventLoop } from '../../engine/core/yielding.ts';
import { readHistory } from '../../db/read/history.ts';
import { readOldHours } from '../../db/store/history.ts';
import type { Store } from '../../db/store/store.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { silences } from '../../db/tables/silences.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import type { Channel, Config, Monitor } from '../../engine/config/config.ts';
import { graphOfMonitors } from '../../engine/core/graph.ts';
import type { SampleHistory, TimeSpan } from '../../engine/core/sample-history.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { replay } from '../../engine/alerting/replay/replay.ts';
import {
  type EpisodeOf,
  type JudgedEpisode,
  judgeEpisodes,
} from '../../engine/alerting/replay/judge-episodes.ts';
import { escalationOf, reachedBy } from '../../engine/alerting/climb-outage.ts';
import { severityOf } from '../../engine/alerting/events/catalogue.ts';
import { quieted } from '../../engine/alerting/filter.ts';
import type { FollowUpRules } from '../../engine/alerting/replay/follow-up.ts';
import { holdSecsOf, policyOf } from '../../engine/monitoring/check-policy.ts';
import { isSame } from '../../engine/monitoring/same.ts';

export interface SidesOptions {
  readonly span: TimeSpan;
  readonly interrupt: AbortSignal;
  /** Called for each monitor of the first configuration. */
  readonly onMonitor: () => void;
}

export interface Sides {
  readonly samples: number;
  /** What happened under each configuration, in the order they were given. */
  readonly sides: readonly (readonly EpisodeOf[])[];
}

/** Each history is read once. Rejects with the reason of the interrupt. */
export async function replaySides(
  configs: readonly [Config, Config],
  store: Pick<Store, 'sql' | 'archive'>,
  { span, interrupt, onMonitor }: SidesOptions,
): Promise<Sides> {
  const [now, then] = configs;
  const ids = new Set([...now.monitors, ...then.monitors].map(({ id }) => id));
  const sides: EpisodeOf[][] = [[], []];
  let samples = 0;
  for (const id of ids) {
    const settings = configs.map(({ monitors }) => monitors.find((monitor) => monitor.id === id));
    const isPush = settings.find((monitor) => monitor !== undefined)?.kind === 'push';
    const older = await readOldHours(store, id, span);
    const history = readHistory(store.sql, id, { ...span, isPush, older });
    samples += history.ats.length;
    settings.forEach((monitor, index) => {
      if (monitor !== undefined) sides[index]?.push(...happenedTo(monitor, history));
    });
    if (settings[0] !== undefined) onMonitor();
    await yieldToEventLoop();
    interrupt.throwIfAborted();
  }
  return { samples, sides };
}

/** What becomes of each message under a configuration, with the silences that are stored. */
export function judgedUnder(
  config: Config,
  episodeOf: readonly EpisodeOf[],
  { sql, span }: { readonly sql: SqlReader; readonly span: TimeSpan },
): JudgedEpisode[] {
  const whole = withChannel(config);
  const byId = new Map(config.monitors.map((monitor) => [monitor.id, monitor]));
  return judgeEpisodes(episodeOf, {
    graph: graphOfMonitors(config.monitors),
    windows: [
      ...plannedMaintenance(sql, config, span.toAt),
      ...silences.active(sql, span.fromAt).map(({ id, monitors, createdAt, untilAt }) => {
        return { title: `silence ${id}`, startAt: createdAt, endAt: untilAt, monitors: monitors ?? [] };
      }),
    ],
    windowMs: config.alerts.group_window_secs * 1000,
    isDegradedNotified: config.alerts.alert_on_degraded,
    intervalMsOf: (id) => (byId.get(id)?.interval_secs ?? 0) * 1000,
    channelsOf: (id, at, event) => channelsOf(byId.get(id), event, { config: whole, at }),
    followUp: followUpRules(whole, { byId, sql, untilAt: span.toAt }),
  });
}

/** Where no channel is configured at all, one is assumed: the question is what would be sent. */
function withChannel(config: Config): Config {
  const { channels, disabled_channels: disabled } = config;
  const off = disabled.map((channel) => ({ ...takingAll, ...channel }) as unknown as Channel);
  const all = [...channels, ...off];
  return {
    ...config,
    channels: all.length > 0 ? all : [{ ...takingAll, name: 'any' } as unknown as Channel],
  };
}

/** What a channel says whose secret is missing, as far as it is replayed. */
const takingAll = {
  events: null,
  min_severity: 'info',
  monitors: null,
  groups: null,
  quiet_hours: null,
  timezone: 'UTC',
  quiet: 'hold',
  repeat_every_secs: null,
} as const;

function channelsOf(
  monitor: Monitor | undefined,
  event: EpisodeOf['event'],
  { config, at }: { readonly config: Config; readonly at: number },
): readonly string[] {
  return monitor === undefined ? [] : reachedBy(monitor.notify, { event, monitor }, { config, at });
}

interface FollowedHistory {
  readonly byId: ReadonlyMap<string, Monitor>;
  readonly sql: SqlReader;
  readonly untilAt: number;
}

function followUpRules(config: Config, { byId, sql, untilAt }: FollowedHistory): FollowUpRules {
  const channels = new Map(config.channels.map((channel) => [channel.name, channel]));
  return {
    quieted: (name, { monitor: id, event }, at) => {
      const channel = channels.get(name);
      const monitor = byId.get(id) ?? null;
      return channel === undefined
        ? { kind: 'open' }
        : quieted(channel, { event, severity: severityOf(event, null), monitor }, at);
    },
    repeatMsOf: (name, id) => {
      const secs = byId.get(id)?.repeat_every_secs ?? channels.get(name)?.repeat_every_secs ?? null;
      return secs === null ? null : secs * 1000;
    },
    stepsOf: (id) => {
      const monitor = byId.get(id);
      const steps = monitor === undefined ? [] : (escalationOf(monitor, config)?.steps ?? []);
      return steps.map(({ after_secs, notify }) => ({
        afterMs: after_secs * 1000,
        channelsAt: (at) =>
          monitor === undefined ? [] : reachedBy(notify, { event: 'down', monitor }, { config, at }),
      }));
    },
    isUnrouted: (id) => byId.get(id)?.notify?.length === 0,
    acknowledgedAt: acknowledgements(sql),
    untilAt,
  };
}

/** When someone acknowledged the recorded incident that an outage overlaps. */
function acknowledgements(sql: SqlReader): FollowUpRules['acknowledgedAt'] {
  const known = new Map<string, readonly IncidentRow[]>();
  return ({ monitor, startedAt, endedAt }) => {
    const all =
      known.get(monitor) ?? incidents.list(sql, { monitors: [monitor], limit: mostIncidents }).incidents;
    known.set(monitor, all);
    const overlapping = all.filter(
      (row) => row.startedAt < (endedAt ?? Infinity) && startedAt < (row.endedAt ?? Infinity),
    );
    const ats = overlapping.flatMap(({ acknowledged }) => acknowledged?.at ?? []);
    return ats.length === 0 ? null : Math.min(...ats);
  };
}

const mostIncidents = 10_000;

function happenedTo(monitor: Monitor, history: SampleHistory): EpisodeOf[] {
  const { outages, degradations } = replay(history, {
    policy: policyOf(monitor),
    holdMs: holdSecsOf(monitor) * 1000,
    graceMs: monitor.kind === 'push' ? monitor.grace_secs * 1000 : 0,
  });
  return [
    ...outages.map((each): EpisodeOf => ({ ...each, monitor: monitor.id, event: 'down' })),
    ...degradations.map((each): EpisodeOf => ({ ...each, monitor: monitor.id, event: 'degraded' })),
  ];
}

export interface NotReplayed {
  readonly id: string;
  readonly keys: readonly string[];
}

/** Replayed, or of no consequence for what is sent. */
const harmless: ReadonlySet<string> = new Set([
  'id',
  'name',
  'group',
  'public',
  'public_error_detail',
  'fail_threshold',
  'recover_threshold',
  'degraded_over_ms',
  'depends_on',
  'notify',
  'escalation',
  'slo_uptime',
  'slo_window_days',
  'slo_latency_ms',
  'retention_days',
  'push_token',
  'domain_expiry',
]);

/**
 * Names the settings whose difference a stored history cannot answer for. The monitors of both that would have been
 * asked something else, or at other times.
 */
export function notReplayed(now: Config, then: Config): NotReplayed[] {
  const others = new Map(then.monitors.map((monitor) => [monitor.id, monitor]));
  return now.monitors.flatMap((monitor) => {
    const other = others.get(monitor.id);
    if (other === undefined) return [];
    const keys = differingKeys(monitor, other);
    return keys.length === 0 ? [] : [{ id: monitor.id, keys }];
  });
}

function differingKeys(a: Monitor, b: Monitor): string[] {
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (a.kind !== b.kind) return ['kind'];
  return keys.filter((key) => !harmless.has(key) && !isSame(left[key], right[key]));
}

function fieldsOf(monitor: Monitor): Readonly<Record<string, unknown>> {
  return { ...monitor };
}
