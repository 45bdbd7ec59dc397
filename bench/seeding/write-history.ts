/** Writes a made-up history into a store, hour by hour, through the operations everyone uses. */
import type { Operation } from '../../src/db/store/operation.ts';
import { hourOf, hourSecs } from '../../src/db/samples/slots.ts';
import type { Store } from '../../src/db/store/store.ts';
import { alertStates } from '../../src/db/tables/alert-states.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { samples } from '../../src/db/tables/samples.ts';
import type { Config } from '../../src/engine/config/config.ts';
import type { MonitorState } from '../../src/engine/monitoring/confirm/state.ts';
import { documentOf as documentWith } from '../../src/engine/monitoring/monitor-memory.ts';
import { chanceOf } from './chance.ts';
import { episodesOf, gapsOf } from './episodes.ts';
import { IncidentLog } from './incident-log.ts';
import { type SeedMonitor, seedMonitors } from './monitor.ts';
import { Series, type SeedSample } from './series.ts';

export interface HistoryOptions {
  readonly config: Config;
  /** Epoch ms: the history ends here, and begins `days` earlier. */
  readonly now: number;
  readonly days: number;
  readonly seed: number;
  /** Told after each hour of the history; 1 is all of it. */
  readonly onProgress: (share: number) => void;
}

export interface Written {
  readonly samples: number;
  readonly incidents: number;
}

/** How many operations make a record: long enough to be quick, short enough to be one write. */
const recordLength = 500;

/** The last hours lie in rows, as they do under a daemon. */
const rowHours = 2;

export async function writeHistory(
  store: Pick<Store, 'sql' | 'write'>,
  options: HistoryOptions,
): Promise<Written> {
  const { config, now, days, seed, onProgress } = options;
  const chance = (name: string) => chanceOf(seed, name);
  const watched = seedMonitors(config, (id) => chance(`phase ${id}`).share());
  const toSecs = Math.floor(now / 1000) + 1;
  const span = { fromSecs: toSecs - days * 86_400, toSecs };
  const episodes = episodesOf(watched, span, chance);
  const gaps = gapsOf(span, chance('gaps'));
  const lines = watched.map((monitor) => ({
    monitor,
    series: new Series(monitor, {
      episodes: episodes.get(monitor.id) ?? [],
      gaps,
      chance: chance(`series ${monitor.id}`),
      fromSecs: span.fromSecs,
    }),
    incidents: new IncidentLog(monitor, seed),
  }));

  await store.write(monitors.sync(store.sql, config.monitors, span.fromSecs * 1000));
  let pending: Operation[] = [];
  const written = { samples: 0, incidents: 0 };
  const firstHour = hourOf(span.fromSecs);
  const lastHour = hourOf(toSecs - 1);
  for (let hour = firstHour; hour <= lastHour; hour++) {
    for (const { monitor, series, incidents } of lines) {
      const taken = series.take(Math.min(toSecs, (hour + 1) * hourSecs));
      const happened = incidents.follow(taken);
      pending.push(...sampleOperations(monitor, taken, hour > lastHour - rowHours), ...happened);
      written.samples += taken.length;
      written.incidents += happened.filter(([name]) => name === 'incident.open').length;
      if (pending.length < recordLength) continue;
      await store.write(pending);
      pending = [];
    }
    onProgress((hour - firstHour + 1) / (lastHour - firstHour + 1));
  }
  const states = lines.flatMap(({ monitor, incidents }) => {
    const state = incidents.state();
    return state === null
      ? []
      : [alertStates.save({ monitor: monitor.id, state: documentOf(state), at: now })];
  });
  await store.write([...pending, ...states]);
  return written;
}

const documentOf = (state: MonitorState) => documentWith({ state, heardAt: null, burning: [] });

function sampleOperations(
  monitor: SeedMonitor,
  taken: readonly SeedSample[],
  isRecent: boolean,
): Operation[] {
  if (!isRecent) return samples.addHistory(monitor.id, taken);
  return taken.map((sample) =>
    samples.add({
      monitor: monitor.id,
      at: sample.at,
      status: sample.status,
      latencyMs: sample.latencyMs,
      holdSecs: sample.holdSecs,
      isHeartbeat: sample.isHeartbeat,
      category: sample.outage?.failure.category ?? null,
      message: sample.outage?.failure.reason ?? null,
    }),
  );
}
