/** Reads the stored facts of all visible monitors, once for everything that is made of them. */
import type { DayBar } from '../../db/read/bar-days.ts';
import type { DayFigures } from '../../db/read/day.ts';
import { readCertificateExpiries, readDomainExpiries } from '../../db/read/expiries.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { silences } from '../../db/tables/silences.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { rollingFrom } from '../../engine/core/instant.ts';
import { type Graph, graphOfMonitors } from '../../engine/core/graph.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { readStability } from '../../engine/monitoring/confirm/unstable.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import type { MonitorFacts, Reader, ShownSituation } from '../../engine/views/monitor.ts';
import type { DayMarks } from '../../engine/views/day.ts';
import type { Figures } from './figures.ts';
import type { HistoryTexts } from './history-text.ts';
import { type StateOf, statusOf } from './status.ts';

export interface GatherSources {
  readonly store: Pick<Store, 'sql'>;
  readonly stateOf: StateOf;
  readonly figures: Figures;
  readonly histories: HistoryTexts;
  /** Lets others have their turn, when it is time. */
  readonly yieldTurn: () => Promise<void>;
}

export interface GatherRequest {
  readonly config: Config;
  /** The monitors that are shown. */
  readonly visible: readonly Monitor[];
  /** The monitors that exist for the reader, by config id: a cause may lie beyond what is shown. */
  readonly known: ReadonlyMap<string, Monitor>;
  readonly reader: Reader;
  /** Since when the network of this node is suspected (epoch ms); null: it is not. */
  readonly blindSinceAt: number | null;
}

/** What is known of one monitor, all of it at the same instant. */
export interface MonitorFound {
  readonly facts: MonitorFacts;
  readonly day: DayFigures | null;
  /** Of at least 90 days, today last; empty: nothing is stored of it. */
  readonly bars: readonly DayBar[];
  /** What the record says of these days, by the start of the day. */
  readonly marks: () => ReadonlyMap<number, DayMarks>;
  /** The seconds of the last N times 24 hours, to the minute, for each N of `days`. */
  readonly rolling: (days: readonly number[]) => readonly StatusSecs[];
}

export interface Gathered {
  /** Reads a monitor. What is read should be made into something small before the next one is. */
  readonly find: (monitor: Monitor) => MonitorFound;
  readonly situation: ShownSituation;
}

export async function gather(sources: GatherSources, gatherRequest: GatherRequest): Promise<Gathered> {
  const { figures, yieldTurn } = sources;
  await readAhead(sources, gatherRequest);
  if (areMany(gatherRequest)) while (!figures.refresh()) await yieldTurn();
  const find = finderOf(sources, gatherRequest);
  await yieldTurn();
  return { find, situation: situationOf(sources, gatherRequest) };
}

/** Reads figures of all monitors together, where reading them one by one would take far longer. */
export async function readAhead(
  { figures, yieldTurn }: Pick<GatherSources, 'figures' | 'yieldTurn'>,
  { reader }: Pick<GatherRequest, 'reader'>,
): Promise<void> {
  while (!figures.warm(reader.nowAt)) await yieldTurn();
}

const nothingOf = {
  last: null,
  day: null,
  bars: [],
  marks: () => new Map(),
  rolling: (days: readonly number[]) => days.map(() => noSecs),
} as const;

/** For fewer monitors their rows are read one by one. */
function areMany({ visible }: GatherRequest): boolean {
  return visible.length >= 20;
}

function finderOf(
  { store, stateOf, figures }: GatherSources,
  gatherRequest: GatherRequest,
): (monitor: Monitor) => MonitorFound {
  const { sql } = store;
  const { nowAt } = gatherRequest.reader;
  const figuresNow = areMany(gatherRequest) ? figures.ofManyAt(nowAt) : figures.at(nowAt);
  const open = new Map(incidents.listOpen(sql).map((row) => [row.monitor, row]));
  const certs = readCertificateExpiries(sql);
  const registrations = readDomainExpiries(sql);
  const unstable = unstableSince(sql);
  return ({ id, slo_uptime, slo_window_days }) => {
    const { last, day, bars, marks, rolling } = figuresNow.of(id) ?? nothingOf;
    const incident = open.get(id);
    const { status, isUnconfirmed } = statusOf(id, { stateOf, store });
    const facts: MonitorFacts = {
      status,
      isUnconfirmed,
      last,
      day,
      sloSecs: slo_uptime === null ? noSecs : (rolling([slo_window_days])[0] ?? noSecs),
      sloMaintainedSecs:
        slo_uptime === null
          ? 0
          : figuresNow.within(id, { fromAt: rollingFrom(nowAt, slo_window_days), toAt: nowAt }).ms / 1000,
      certExpiresAt: certs.get(id) ?? null,
      domainExpiresAt: registrations.get(id) ?? null,
      unstableSinceAt: unstable.get(id) ?? null,
      cause: incident?.cause ?? null,
      impacted: incident?.impacted ?? [],
    };
    return { facts, day, bars, marks, rolling };
  };
}

/** Since when each of the unstable monitors is unstable, epoch ms. */
function unstableSince(sql: SqlReader): ReadonlyMap<string, number> {
  const stored = [...alertStates.listUnstable(sql)];
  return new Map(
    stored.flatMap(([id, document]) => {
      const { unstable } = readStability(document);
      return unstable === null ? [] : [[id, unstable.startedAt] as const];
    }),
  );
}

export const noSecs: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 0 };

export function sumSecs(all: readonly StatusSecs[]): StatusSecs {
  const sum = { ...noSecs };
  for (const secs of all) addTo(sum, secs);
  return sum;
}

function addTo(
  sum: { -readonly [Key in keyof StatusSecs]: number },
  { up, degraded, down, unknown }: StatusSecs,
): void {
  sum.up += up;
  sum.degraded += degraded;
  sum.down += down;
  sum.unknown += unknown;
}

/** The mutes of now, among the monitors that exist for the reader. */
function situationOf({ store }: GatherSources, { config, known, reader }: GatherRequest): ShownSituation {
  const { nowAt } = reader;
  const mutes = {
    silences: silences.active(store.sql, nowAt),
    maintenances: plannedMaintenance(store.sql, config, nowAt),
  };
  const isMuted = mutes.silences.length + mutes.maintenances.length > 0;
  return { mutes, graph: isMuted ? graphOfMonitors([...known.values()]) : noGraph, nowAt };
}

/** Where nothing is muted, nobody asks what depends on what. */
const noGraph: Graph = { above: new Map(), below: new Map() };
