/** Reads what is stored of all monitors a reader may know of, once for everything that is made of it. */
import type { DayBar } from '../../db/read/bars.ts';
import type { DayFigures } from '../../db/read/day.ts';
import type { Store } from '../../db/store.ts';
import { certificates } from '../../db/topics/certificates.ts';
import { domains } from '../../db/topics/domains.ts';
import { incidents } from '../../db/topics/incidents.ts';
import { monitors } from '../../db/topics/monitors.ts';
import { silences } from '../../db/topics/silences.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { graphOf } from '../../engine/core/graph.ts';
import type { Situation } from '../../engine/core/mute.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { muteWindows } from '../../engine/views/maintenance.ts';
import type { MonitorFacts } from '../../engine/views/monitor.ts';
import type { Reader } from '../../engine/views/reader.ts';
import type { Figures } from './figures.ts';
import type { HistoryTexts } from './history-text.ts';
import { statusOf, type StateOf } from './status.ts';

export interface GatherSources {
  readonly store: Pick<Store, 'sql'>;
  readonly stateOf: StateOf;
  readonly figures: Figures;
  readonly histories: HistoryTexts;
  /** Lets others have their turn, when it is time. */
  readonly breathe: () => Promise<void>;
}

export interface Asked {
  readonly config: Config;
  /** The monitors that exist for the reader. */
  readonly visible: readonly Monitor[];
  readonly reader: Reader;
}

export interface Gathered {
  readonly days: ReadonlyMap<string, DayFigures>;
  /** Of at least 90 days, today last. */
  readonly bars: ReadonlyMap<string, readonly DayBar[]>;
  readonly factsOf: (monitor: Monitor) => MonitorFacts;
  readonly situation: Situation;
}

/** As many monitors are read in one step, as long as nothing is known of them. */
const stepSize = 25;

export async function gather(sources: GatherSources, asked: Asked): Promise<Gathered> {
  const { breathe, figures } = sources;
  const { nowAt } = asked.reader;
  while (!figures.warm(nowAt, stepSize)) await breathe();
  const days = figures.day(nowAt);
  await breathe();
  const bars = figures.bars(nowAt);
  await breathe();
  const factsOf = readFacts(sources, asked, { days, bars });
  await breathe();
  return { days, bars, factsOf, situation: situationOf(sources, asked) };
}

interface Figured {
  readonly days: ReadonlyMap<string, DayFigures>;
  readonly bars: ReadonlyMap<string, readonly DayBar[]>;
}

function readFacts(
  { store: { sql }, stateOf }: GatherSources,
  { visible }: Asked,
  { days, bars }: Figured,
): (monitor: Monitor) => MonitorFacts {
  const rows = new Map(monitors.list(sql).map((row) => [row.id, row]));
  const open = new Map(incidents.listOpen(sql).map((row) => [row.monitor, row]));
  const certs = new Map(certificates.list(sql).map((row) => [row.monitor, row.validToAt]));
  const registrations = new Map(domains.list(sql).map((row) => [row.monitor, row.expiresAt]));
  const facts = new Map(
    visible.map((monitor): [string, MonitorFacts] => {
      const { id } = monitor;
      return [
        id,
        {
          status: statusOf(id, { stateOf, store: { sql } }),
          last: rows.get(id)?.last ?? null,
          day: days.get(id) ?? null,
          sloSecs: monitor.slo_uptime === null ? noSecs : sumOf(bars.get(id) ?? [], monitor.slo_window_days),
          certExpiresAt: certs.get(id) ?? null,
          domainExpiresAt: registrations.get(id) ?? null,
          cause: open.get(id)?.cause ?? null,
          impacted: open.get(id)?.impacted ?? [],
        },
      ];
    }),
  );
  return ({ id }) => facts.get(id) ?? nothing;
}

export const noSecs: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 0 };
const nothing: MonitorFacts = {
  status: 'unknown',
  last: null,
  day: null,
  sloSecs: noSecs,
  certExpiresAt: null,
  domainExpiresAt: null,
  cause: null,
  impacted: [],
};

/** The last `days` UTC days, today included. */
export function sumOf(bars: readonly DayBar[], days: number): StatusSecs {
  return sumSecs(bars.slice(-days).map(({ secs }) => secs));
}

export function sumSecs(all: readonly StatusSecs[]): StatusSecs {
  const sum = { ...noSecs };
  for (const { up, degraded, down, unknown } of all) {
    sum.up += up;
    sum.degraded += degraded;
    sum.down += down;
    sum.unknown += unknown;
  }
  return sum;
}

/** Mutes as they stand among the monitors that exist for the reader: what covers others does not show. */
function situationOf({ store }: GatherSources, { config, visible, reader }: Asked): Situation {
  const { nowAt } = reader;
  return {
    mutes: {
      silences: silences.active(store.sql, nowAt),
      maintenances: muteWindows(config.maintenance),
    },
    graph: graphOf(visible.map(({ id, depends_on }) => ({ id, dependsOn: depends_on }))),
    nowAt,
  };
}
