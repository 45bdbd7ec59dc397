/** All maintenance: the windows of the configuration, those of its schedules, and what operators planned. */
import { createHash } from 'node:crypto';
import { maintenances } from '../../db/tables/maintenances.ts';
import { meta } from '../../db/tables/meta.ts';
import type { Json, Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Config, ConfiguredMaintenance } from '../config/config.ts';
import { nextOccurrence, type Occurrence, type Recurrence } from '../config/occurrences.ts';
import { aList, aNumber, aText, document, fieldsOf, readAs, readList } from '../core/decode.ts';
import type { MaintenanceWindow } from '../core/mute.ts';

export interface PlannedMaintenance extends MaintenanceWindow {
  /** What readers outside know it by. */
  readonly uid: string;
  /** The number of what an operator planned; null: it is of the configuration. */
  readonly id: number | null;
  /** It is one of many windows of a schedule. */
  readonly isRecurring: boolean;
  /** When it was planned; of the configuration, when it was first seen there; null: it was not seen yet. Epoch ms. */
  readonly createdAt: number | null;
}

type MaintenanceConfig = Pick<Config, 'maintenance' | 'peers'>;

/** How far ahead a schedule is followed, and for how many windows at most; the next one is always known. */
const ahead = { ms: 60 * 86_400_000, windows: 30 } as const;

/** Windows of schedules that nothing kept (no daemon ran) are found again for so long. */
const behindMs = 7 * 86_400_000;

/**
 * Every window: those that are over, the present ones, those to come. The one that starts first comes first. The same
 * list while nothing changed.
 */
export function plannedMaintenance(
  sql: SqlReader,
  config: MaintenanceConfig,
  nowAt: number,
): readonly PlannedMaintenance[] {
  const before = remembered.get(sql);
  const known = before?.config === config && before.nowAt <= nowAt ? before : null;
  const revision = maintenances.revision(sql);
  if (known?.revision === revision && nowAt - known.nowAt < againMs) return known.windows;
  const recurring = known?.recurring ?? recurringOf(config);
  const kept = instantsOf(sql, keptName);
  const seen = instantsOf(sql, seenName);
  const rows = maintenances.list(sql);
  const recorded = new Set(rows.map(({ uid }) => uid));
  const windows = [
    ...rows.map((row) => ({ ...row, isRecurring: false })),
    ...config.maintenance.flatMap(singleOf(config, seen)).filter(({ uid }) => !recorded.has(uid)),
    ...recurring.flatMap((each) => {
      const sinceAt = Math.max(Math.min(kept.get(each.key) ?? nowAt, nowAt), nowAt - behindMs);
      return upcoming(each, { sinceAt, nowAt }).map((window) => ({
        ...window,
        createdAt: seen.get(each.key) ?? null,
      }));
    }),
  ].toSorted((a, b) => a.startAt - b.startAt || a.endAt - b.endAt);
  remembered.set(sql, { config, revision, nowAt, recurring, windows });
  return windows;
}

/** A list this old is made again: time passed, and the schedules went on. */
const againMs = 60_000;

interface CachedMaintenance {
  readonly config: MaintenanceConfig;
  readonly revision: string;
  readonly nowAt: number;
  readonly recurring: readonly RecurringMaintenance[];
  readonly windows: readonly PlannedMaintenance[];
}

const remembered = new WeakMap<SqlReader, CachedMaintenance>();

interface RecurringMaintenance {
  /** What it is remembered by: all that makes it what it is. */
  readonly key: string;
  readonly title: string;
  readonly monitors: readonly string[];
  readonly recurrence: Recurrence;
  /** Its windows as far as they were asked for, one after the other. */
  readonly found: Occurrence[];
}

function recurringOf({ maintenance, peers }: MaintenanceConfig): RecurringMaintenance[] {
  return maintenance.flatMap((table) => {
    const { title, schedule, duration, timezone, start, end, monitors } = table;
    if (schedule === null || duration === null) return [];
    const recurrence = { schedule, timezone, durationMs: duration, fromAt: start, untilAt: end };
    return [{ key: digestOf(table), title, monitors: listenIdsOf(monitors, peers), recurrence, found: [] }];
  });
}

/** Each window is asked of the schedule once: to follow a calendar takes a good part of a millisecond. */
function upcoming(
  { title, monitors, recurrence, found }: RecurringMaintenance,
  { sinceAt, nowAt }: { readonly sinceAt: number; readonly nowAt: number },
): PlannedMaintenance[] {
  while (found[0] !== undefined && found[0].endAt <= sinceAt) found.shift();
  for (;;) {
    const last = found.at(-1);
    const isEnough = found.length >= ahead.windows || (last?.startAt ?? 0) > nowAt + ahead.ms;
    if (isEnough && last !== undefined && last.startAt > nowAt) break;
    const next = nextOccurrence(recurrence, { afterAt: sinceAt, lastAt: last?.startAt ?? -Infinity });
    if (next === null) break;
    found.push(next);
  }
  return found.map((occurrence) => recurringWindow({ title, monitors }, occurrence));
}

function recurringWindow(
  { title, monitors }: Pick<RecurringMaintenance, 'title' | 'monitors'>,
  { startAt, endAt }: Occurrence,
): PlannedMaintenance {
  const uid = uidOf(title, startAt, endAt);
  return { uid, id: null, title, monitors, startAt, endAt, isRecurring: true, createdAt: null };
}

/** The windows of schedules with this title that begin at `startAt` (epoch ms), those too far ahead to be listed included. */
export function scheduledAt(
  config: MaintenanceConfig,
  { title, startAt }: Pick<PlannedMaintenance, 'title' | 'startAt'>,
): readonly PlannedMaintenance[] {
  return recurringOf(config).flatMap((each) => {
    if (each.title !== title) return [];
    const found = nextOccurrence(each.recurrence, { afterAt: startAt, lastAt: startAt - 1 });
    return found?.startAt === startAt ? [recurringWindow(each, found)] : [];
  });
}

function singleOf(
  { peers }: MaintenanceConfig,
  seen: ReadonlyMap<string, number>,
): (window: ConfiguredMaintenance) => PlannedMaintenance[] {
  return (table) => {
    const { title, schedule, start, end, monitors } = table;
    if (schedule !== null || start === null || end === null) return [];
    const window = { title, startAt: start, endAt: end, monitors: listenIdsOf(monitors, peers) };
    return [
      {
        ...window,
        uid: uidOf(title, start, end),
        id: null,
        isRecurring: false,
        createdAt: seen.get(digestOf(table)) ?? null,
      },
    ];
  };
}

/** Mutes name peers by their listen_id. */
function listenIdsOf(ids: readonly string[], peers: Config['peers']): readonly string[] {
  return ids.map((id) => peers.find((peer) => peer.id === id)?.listen_id ?? id);
}

/** It says nothing of the monitors: some of them may be private. */
function uidOf(title: string, startAt: number, endAt: number): string {
  return digestOf([title, startAt, endAt]);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** By schedule, up to when its windows that took place are on record, epoch ms. */
const keptName = 'maintenance_kept_to';
/** By table of the configuration, when it was first seen, epoch ms. */
const seenName = 'maintenance_seen';

function instantsOf(sql: SqlReader, name: string): ReadonlyMap<string, number> {
  const kept = Object.entries(fieldsOf(meta.get(sql, name)));
  return new Map(kept.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/** By uid, the windows of the configuration that had begun when they were looked at last and were not over. */
const begunName = 'maintenance_begun';

const aBegunWindow = document({
  title: aText,
  monitors: aList,
  startAt: aNumber,
  endAt: aNumber,
  createdAt: aNumber,
});

interface BegunWindow extends MaintenanceWindow {
  readonly createdAt: number;
}

function begunOf(sql: SqlReader): ReadonlyMap<string, BegunWindow> {
  const stored = Object.entries(fieldsOf(meta.get(sql, begunName)));
  return new Map(
    stored.flatMap(([uid, value]) => {
      const window = readAs(value, aBegunWindow);
      return window === null
        ? []
        : [[uid, { ...window, monitors: readList(window.monitors, aText) }] as const];
    }),
  );
}

/**
 * Records the windows of the configuration that took effect, so that the past stays the same when the file changes: those
 * that are over, and the part until `nowAt` (epoch ms) of those that left the file while they lasted. A window that was
 * over before it was first seen took no effect, and counts for as long as the file has it. Empty: there is nothing to record.
 */
export function keepMaintenance(sql: SqlReader, config: MaintenanceConfig, nowAt: number): Operation[] {
  const kept = instantsOf(sql, keptName);
  const seen = instantsOf(sql, seenName);
  plannedMaintenance(sql, config, nowAt);
  const recurring = remembered.get(sql)?.recurring ?? [];
  const ofSchedules = recurring.flatMap((each) => {
    const sinceAt = Math.max(kept.get(each.key) ?? nowAt, nowAt - behindMs);
    return upcoming(each, { sinceAt, nowAt }).map((window) => ({ ...window, key: each.key }));
  });
  const single = config.maintenance.flatMap((table) => {
    const key = digestOf(table);
    return singleOf(
      config,
      seen,
    )(table).flatMap((window) => ((seen.get(key) ?? nowAt) < window.endAt ? [{ ...window, key }] : []));
  });
  const recorded = new Set(maintenances.list(sql).map(({ uid }) => uid));
  const begun = [...single, ...ofSchedules]
    .filter(({ uid, startAt }) => startAt <= nowAt && !recorded.has(uid))
    .map((window) => ({ ...window, createdAt: seen.get(window.key) ?? Math.min(window.startAt, nowAt) }));
  const over = begun.filter(({ endAt }) => endAt <= nowAt);
  const underWay = new Map(begun.flatMap((each) => (each.endAt > nowAt ? [[each.uid, each] as const] : [])));
  const before = begunOf(sql);
  const present = new Set(begun.map(({ uid }) => uid));
  const left = [...before].flatMap(([uid, window]) =>
    present.has(uid) || recorded.has(uid) ? [] : [cutShort(uid, window, nowAt)],
  );
  const tables = config.maintenance.map(digestOf);
  const isSeen = tables.length === seen.size && tables.every((key) => seen.has(key));
  const isKept = recurring.length === kept.size && recurring.every(({ key }) => kept.has(key));
  const isBegun = underWay.size === before.size && [...underWay.keys()].every((uid) => before.has(uid));
  const keptNow = recurring.map(({ key }) => {
    return [key, over.some((window) => window.key === key) ? nowAt : (kept.get(key) ?? nowAt)] as const;
  });
  return [
    ...(isSeen
      ? []
      : [
          metaOf(
            seenName,
            tables.map((key) => [key, seen.get(key) ?? nowAt] as const),
          ),
        ]),
    ...[...over, ...left].map(recording),
    ...(isKept && over.length === 0 ? [] : [metaOf(keptName, keptNow)]),
    ...(isBegun
      ? []
      : [
          metaOf(
            begunName,
            [...underWay].map(([uid, window]) => [uid, begunDocument(window)]),
          ),
        ]),
  ];
}

/** Under another name: the window is in effect again where its table comes back. */
function cutShort(uid: string, window: BegunWindow, nowAt: number): BegunWindow & { readonly uid: string } {
  const endAt = Math.min(window.endAt, nowAt);
  return { ...window, endAt, uid: endAt === window.endAt ? uid : uidOf(window.title, window.startAt, endAt) };
}

function recording({
  uid,
  title,
  monitors,
  startAt,
  endAt,
  createdAt,
}: BegunWindow & { readonly uid: string }) {
  return maintenances.add({ id: null, uid, title, monitors, startAt, endAt, createdAt });
}

function begunDocument({ title, monitors, startAt, endAt, createdAt }: BegunWindow) {
  return { title, monitors: [...monitors], startAt, endAt, createdAt };
}

function metaOf(name: string, values: readonly (readonly [key: string, value: Json])[]): Operation {
  return meta.set({ name, value: values.length === 0 ? null : Object.fromEntries(values) });
}
