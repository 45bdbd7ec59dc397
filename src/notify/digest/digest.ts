/** Queues the digest when it is due. */
import { meta } from '../../db/tables/meta.ts';
import type { Store } from '../../db/store/store.ts';
import type { Config, DigestSettings as DigestConfig, Monitor } from '../../engine/config/config.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { aNumber, aText, document, readAs } from '../../engine/core/decode.ts';
import type { Log } from '../../engine/core/log.ts';
import { followUps } from '../../engine/alerting/events/catalogue.ts';
import { queue } from '../../engine/alerting/queue.ts';
import { routed } from '../../engine/alerting/filter.ts';
import { type DigestContents, type DigestMonitor, digestOf } from '../../engine/views/digest.ts';
import type { ZonedSchedule } from '../../engine/monitoring/next-run.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { countedSecs } from '../../engine/monitoring/counted-time.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { slotDue, type Calendar } from '../../engine/core/digest.ts';
import { instantText } from '../../engine/core/instant.ts';
import type { MaintenanceWindow } from '../../engine/core/mute.ts';
import { isMaintainedThroughout, maintainedWithin, stretchesMs } from '../../engine/core/maintained.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';

export interface DigestSchedulerOptions {
  /** The configuration of the moment. */
  readonly config: () => Config;
  readonly store: Pick<Store, 'sql' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DigestScheduler {
  /** The configuration is another one. */
  readonly reload: () => void;
  readonly stop: () => Promise<void>;
}

/** The clock may step and the machine may sleep, so nothing is slept through for longer. */
const longestRestMs = 1_800_000;
/** The disk, say, may take some time. */
const afterFaultMs = 60_000;
/** Why a rest ends early. */
const woken = new Error('woken');

/** Loads what reads schedules, then watches the calendar. */
export async function createDigest({
  config,
  store,
  clock,
  log,
}: DigestSchedulerOptions): Promise<DigestScheduler> {
  const calendarOf = await loadCalendars();
  const stopping = new AbortController();
  const { signal } = stopping;
  let isDirty = true;
  let hasFailed = false;
  let rest = new AbortController();

  const pause = async (ms: number): Promise<void> => {
    if (isDirty || signal.aborted) return;
    rest = new AbortController();
    await clock.sleep(ms, rest.signal).catch(() => undefined);
  };
  const lookSafely = async (): Promise<number> => {
    isDirty = false;
    try {
      const nextAt = await look({ config, store, clock, log, signal }, calendarOf);
      hasFailed = false;
      return nextAt;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!hasFailed && !signal.aborted)
        log({ level: 'error', event: 'digest.failed', message: `the digest is delayed: ${why}` });
      hasFailed = true;
      return clock.now() + afterFaultMs;
    }
  };
  const run = async (): Promise<void> => {
    let lookedAt = Infinity;
    let nextAt = -Infinity;
    while (!signal.aborted) {
      const nowAt = clock.now();
      if (isDirty || nowAt >= nextAt || nowAt < lookedAt) {
        lookedAt = nowAt;
        nextAt = await lookSafely();
      } else {
        lookedAt = nowAt;
        await pause(Math.min(nextAt - nowAt, longestRestMs));
      }
    }
  };
  const running = run();

  const wake = (): void => {
    isDirty = true;
    rest.abort(woken);
  };
  return {
    reload: wake,
    stop: async () => {
      stopping.abort();
      wake();
      await running;
    },
  };
}

interface LookOptions extends DigestSchedulerOptions {
  /** Nobody waits for a digest that is still being read when the daemon ends. */
  readonly signal: AbortSignal;
}

/** Sends what is due; answers when to look again. */
async function look(options: LookOptions, calendarOf: CalendarOf): Promise<number> {
  const { config, store, clock } = options;
  const { digest } = config();
  const nowAt = clock.now();
  const plan = readPlan(store.sql);
  if (digest === null) {
    // The plan may be lost: it is made again from the schedule.
    if (plan !== null) await store.write([forgetPlan()], { mustBeDurable: false });
    return Infinity;
  }
  const schedule = scheduleKey(digest);
  const isKnown = plan?.schedule === schedule;
  if (!isKnown) await store.write([savePlan(schedule, nowAt)], { mustBeDurable: false });
  const facts = {
    lastSlotAt: meta.digestSlot(store.sql),
    firstSeenAt: isKnown ? plan.firstSeenAt : nowAt,
    nowAt,
  };
  const calendar = calendarOf(digest);
  const decision = slotDue(facts, calendar);
  switch (decision.kind) {
    case 'due':
      await send(options, digest, decision.slotAt);
      return calendar.next(clock.now()) ?? Infinity;
    case 'wait':
      return decision.untilAt ?? Infinity;
    case 'clock_was_ahead':
      await store.write([meta.setDigestSlot(decision.doneAt), savePlan(schedule, decision.doneAt)], {
        mustBeDurable: false,
      });
      return calendar.next(clock.now()) ?? Infinity;
  }
}

/** The slot and its messages are one transaction, and on the disk before a message is sent. */
async function send(
  { config: configOf, store, clock, log, signal }: LookOptions,
  { notify }: DigestConfig,
  slotAt: number,
): Promise<void> {
  const config = configOf();
  const facts = await gatherDigest(config, {
    sql: store.sql,
    toAt: slotAt,
    nowAt: clock.now(),
    yieldTurn: () => clock.sleep(0, signal),
  });
  const { fromAt, toAt } = facts;
  const at = clock.now();
  const said = { event: 'digest', severity: 'info', monitor: null, at } as const;
  const { channels } = routed(notify, config, said);
  const intents = queue(
    { kind: 'digest_due', at, slotAt, fromAt, toAt, ...digestOf(facts) },
    { rows: [], channels, windowMs: 0, isDegradedNotified: false },
  );
  await store.write([meta.setDigestSlot(slotAt), ...operationsOf(intents, at)], { mustBeDurable: true });
  const whom = channels.length === 0 ? 'nobody: no channel can be used' : channels.join(', ');
  log({
    level: 'info',
    event: 'digest.queued',
    message: `the digest of ${instantText(slotAt)} is sent to ${whom}`,
    fields: { slot: new Date(slotAt).toISOString() },
  });
}

interface DigestPlan {
  /** See scheduleKey. */
  readonly schedule: string;
  /** Its slots up to then are not sent. */
  readonly firstSeenAt: number;
}

const name = 'digest_plan';
const aPlan = document({ schedule: aText, firstSeenAt: aNumber });

/**
 * Remembers which schedule the digest follows, and since when. Null when the configuration had no digest the last
 * time.
 */
function readPlan(sql: SqlReader): DigestPlan | null {
  return readAs(meta.get(sql, name), aPlan);
}

/** UTC is left out, as in what versions without time zones kept. */
function scheduleKey({ schedule, timezone }: ZonedSchedule): string {
  return timezone === 'UTC' ? schedule : `${schedule} ${timezone}`;
}

function savePlan(schedule: string, firstSeenAt: number): Operation {
  return meta.set({ name, value: { schedule, firstSeenAt } });
}

function forgetPlan(): Operation {
  return meta.set({ name, value: null });
}

type CalendarOf = (schedule: ZonedSchedule) => Calendar;

/** Loads what reads schedules. */
export async function loadCalendars(): Promise<CalendarOf> {
  const { Cron } = await import('croner');
  return ({ schedule, timezone }) => {
    const cron = new Cron(schedule, { timezone, mode: '5-part', paused: true });
    return {
      // It answers only what lies before the instant it is given.
      latest: (at) => cron.previousRuns(1, new Date(at + 1))[0]?.getTime() ?? null,
      next: (afterAt) => cron.nextRun(new Date(afterAt))?.getTime() ?? null,
    };
  };
}

const dayMs = 86_400_000;

/** What a digest looks back on. */
const digestWindowMs = 7 * dayMs;

/** How many monitors are read without a pause: a few milliseconds. */
const stepSize = 5;

type CountedConfig = Pick<Config, 'monitors' | 'maintenance' | 'peers'>;

interface DigestGatherOptions {
  readonly sql: SqlReader;
  /** The end of the week. */
  readonly toAt: number;
  readonly nowAt: number;
  /** Lets others run. */
  readonly yieldTurn: () => Promise<void>;
}

/**
 * Reads what a digest is made of. The seven days up to `toAt`, of every configured monitor. The window of an SLO ends
 * there too.
 */
export async function gatherDigest(
  config: CountedConfig,
  options: DigestGatherOptions,
): Promise<DigestContents> {
  const { sql, toAt, yieldTurn } = options;
  const fromAt = toAt - digestWindowMs;
  const planned = plannedMaintenance(sql, config, options.nowAt);
  const within = incidents.listWithin(sql, { fromAt, toAt });
  const monitors: DigestMonitor[] = [];
  for (const [index, monitor] of config.monitors.entries()) {
    if (index > 0 && index % stepSize === 0) await yieldTurn();
    const all = within.filter((incident) => incident.monitor === monitor.id);
    // What lies under maintenance is no outage, as no uptime counts it.
    const own = all.filter(
      ({ ownFault, startedAt, endedAt }) =>
        ownFault === null &&
        !isMaintainedThroughout(planned, monitor.id, { fromAt: startedAt, toAt: endedAt ?? toAt }),
    );
    monitors.push({
      name: monitor.name,
      secs: secsOf(config, monitor, { ...options, spanMs: digestWindowMs }),
      maintainedSecs: stretchesMs(maintainedWithin(planned, monitor.id, { fromAt, toAt })) / 1000,
      incidents: own.length,
      isDown: own.some(({ endedAt }) => endedAt === null),
      isUnchecked: all.some(({ ownFault, endedAt }) => ownFault !== null && endedAt === null),
      slo: sloOf(config, monitor, { ...options, planned }),
    });
  }
  return { fromAt, toAt, monitors, decisions: decisions.countWithin(sql, { fromAt, toAt, followUps }) };
}

function sloOf(
  config: CountedConfig,
  monitor: Monitor,
  { planned, ...options }: DigestGatherOptions & { readonly planned: readonly MaintenanceWindow[] },
): DigestMonitor['slo'] {
  const { slo_uptime: uptimePercent, slo_window_days: windowDays } = monitor;
  if (uptimePercent === null) return null;
  const spanMs = windowDays * dayMs;
  const span = { fromAt: options.toAt - spanMs, toAt: options.toAt };
  return {
    uptimePercent,
    windowDays,
    secs: secsOf(config, monitor, { ...options, spanMs }),
    maintainedSecs: stretchesMs(maintainedWithin(planned, monitor.id, span)) / 1000,
  };
}

function secsOf(
  config: CountedConfig,
  { id }: Monitor,
  { spanMs, sql, toAt, nowAt }: DigestGatherOptions & { readonly spanMs: number },
) {
  return countedSecs(sql, config, { monitor: id, fromAt: toAt - spanMs, toAt, nowAt });
}
