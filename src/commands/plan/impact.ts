/** Reads from the database what the removal or addition of monitors and channels affects. */
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { monitors } from '../../db/tables/monitors.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Rename } from '../../engine/monitoring/renames.ts';
import { alignment } from '../../engine/monitoring/resume.ts';
import { alignChannels } from '../../notify/delivery/take-up-config.ts';
import type { ConfigDifference } from './difference.ts';

export interface Impact {
  /** The number of the open incident, by monitor. */
  readonly open: ReadonlyMap<string, number>;
  /** Messages that were not delivered yet. */
  readonly waitingOf: ReadonlyMap<string, number>;
  readonly waitingFor: ReadonlyMap<string, number>;
  /** The new ids of monitors, and the new names of channels, that are recognised as the same ones. */
  readonly renamedMonitors: ReadonlyMap<string, string>;
  readonly renamedChannels: ReadonlyMap<string, string>;
  /** Monitors that the database has a history of. */
  readonly known: ReadonlySet<string>;
}

export const noImpact: Impact = {
  open: new Map(),
  waitingOf: new Map(),
  waitingFor: new Map(),
  renamedMonitors: new Map(),
  renamedChannels: new Map(),
  known: new Set(),
};

const farAt = 8_640_000_000_000_000;
const manyMessages = 100_000;

/** `config` is what would run. */
export function impactOf(sql: SqlReader, config: Config, nowAt: number): Impact {
  const waiting = outbox.due(sql, farAt, manyMessages);
  const { renames, setAside } = alignChannels(sql, config, nowAt);
  return {
    open: new Map(incidents.listOpen(sql).map(({ monitor, id }) => [monitor, id])),
    waitingOf: countsOf(waiting.flatMap(({ monitor }) => monitor ?? [])),
    renamedMonitors: mapOf(alignment(sql, config.monitors, { now: nowAt }).renames),
    renamedChannels: mapOf(renames.filter(({ from }) => !setAside.has(from))),
    waitingFor: countsOf(waiting.map(({ channel }) => channel)),
    known: new Set(monitors.list(sql).flatMap(({ id, samples }) => (samples > 0 ? [id] : []))),
  };
}

function mapOf(renames: readonly Rename[]): ReadonlyMap<string, string> {
  return new Map(renames.map(({ from, to }) => [from, to]));
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What the configuration is compared with. */
export type ComparedWith =
  /** Another file. */
  | { readonly kind: 'file'; readonly file: string }
  /** What the daemon wrote down when it started or last reloaded; `pid` null: it no longer runs. */
  | { readonly kind: 'daemon'; readonly sinceAt: number; readonly pid: number | null }
  /** The monitors alone: the daemon is of a version that did not write down what it runs. */
  | { readonly kind: 'monitors' };

export interface PlanOutcome {
  /** The file that would be read. */
  readonly file: string;
  readonly ground: ComparedWith;
  readonly difference: ConfigDifference;
  readonly impact: Impact;
  /** Days that the history of a monitor is kept when the configuration no longer has it. */
  readonly keptDays: number;
}
