/** Receives heartbeats, and judges the silence of push monitors when it is overdue. */
import type { PushMonitor } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import {
  type PushMonitorState,
  heartbeatSample,
  type HeartbeatStatus,
  judgeSilence,
  plannedAfter,
  sentAgainBy,
  type HeartbeatSilence,
} from './silence.ts';
import type { Log } from '../../core/log.ts';
import type { TimerQueue, Timer } from '../timer-queue.ts';
import type { ListeningRecord } from './listening-record.ts';
import type { NextRun, ZonedSchedule } from '../next-run.ts';
import type { Recorder } from '../recorder.ts';
import { holdSecsOf, silenceSecsOf } from '../check-policy.ts';
import { observationOfSilence, type Observation } from '../observation.ts';
import type { NetworkDiagnosis } from '../network/diagnosis.ts';
import type { Yielder } from '../../core/yielding.ts';
import type { WatchedMonitor } from '../watched-monitor.ts';

export interface HeartbeatReceiverOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly diagnosis: NetworkDiagnosis;
  readonly recorder: Recorder;
  readonly listening: ListeningRecord;
  /** Thousands may fall silent at once. */
  readonly yielder: Yielder;
  /** The next instant of a cron schedule after another. */
  readonly nextRun: NextRun;
  readonly onTick: () => void;
}

export interface Heartbeat {
  readonly status: HeartbeatStatus;
  /** One line without secrets. */
  readonly message: string | null;
  readonly pingMs: number | null;
}

/** What one look at a silence came to. */
interface Judgement {
  /** Null: it was not judged. */
  silence: HeartbeatSilence | null;
  /** Whether what it means is on record, or it means nothing. */
  isSettled: boolean;
}

interface WatchedPush {
  readonly watched: WatchedMonitor;
  readonly monitor: PushMonitor;
  alarm: Timer | null;
}

/** A late sample counts until its grace is over, and a little longer: the next one needs a moment to come. */
const slackSecs = 60;

/** How soon a silence that could not be kept, or was not trusted yet, is judged again. */
const judgeAgainMs = 5000;

/** A silence that means something else at `lookAt` is not judged again before so long: timers fire a little early. */
const shortestWaitMs = 1;

export class HeartbeatReceiver {
  private readonly options: HeartbeatReceiverOptions;
  private readonly pushes = new Map<string, WatchedPush>();

  constructor(options: HeartbeatReceiverOptions) {
    this.options = options;
  }

  start(watchedMonitor: WatchedMonitor, monitor: PushMonitor): void {
    this.stop(watchedMonitor.id);
    const push: WatchedPush = { watched: watchedMonitor, monitor, alarm: null };
    this.pushes.set(watchedMonitor.id, push);
    this.arrange(push, 0);
  }

  stop(id: string): void {
    const alarm = this.pushes.get(id)?.alarm ?? null;
    if (alarm !== null) this.options.timers.cancel(alarm);
    this.pushes.delete(id);
  }

  /**
   * By when a push monitor has sent a heartbeat that could send none before `sinceAt` (epoch ms), if it is up; one that came
   * since then: when. Null: it is no push monitor.
   */
  heardAgainBy(id: string, sinceAt: number): number | null {
    const push = this.pushes.get(id);
    if (push === undefined) return null;
    const { lastHeardAt, schedule, graceMs, listeningGaps } = this.heart(push);
    if (lastHeardAt !== null && lastHeardAt >= sinceAt) return lastHeardAt;
    // What was sent while this node was not listening is lost.
    const fromAt = Math.max(sinceAt, listeningGaps.at(-1)?.toAt ?? -Infinity);
    return sentAgainBy(schedule, fromAt, graceMs);
  }

  /** What was sent until now may be lost: every silence is judged anew, with the gap that is on record. */
  restartDeadlines(): void {
    for (const push of this.pushes.values()) this.arrange(push, 0);
  }

  /** Takes a heartbeat in; resolves when it is durable. Rejects with `store_full` or `store_failing`. */
  receive(watchedMonitor: WatchedMonitor, monitor: PushMonitor, heartbeat: Heartbeat): Promise<void> {
    this.options.diagnosis.noteHeartbeat();
    return watchedMonitor.mutex.run(() => this.keep({ watched: watchedMonitor, monitor }, heartbeat));
  }

  private async keep(heard: Pick<WatchedPush, 'watched' | 'monitor'>, heartbeat: Heartbeat): Promise<void> {
    const { clock, recorder } = this.options;
    const { watched, monitor } = heard;
    const at = clock.now();
    const heardMs = clock.monotonic();
    try {
      await recorder.keep(watched, this.seenIn(heartbeat, monitor, at), at);
    } catch (error) {
      // The clock may have been set in the meantime.
      const heardAt = Math.round(clock.now() - (clock.monotonic() - heardMs));
      // Its report that it is down is lost, and its silence is judged instead: a sender that is refused tries again.
      if (heartbeat.status !== 'down')
        await this.keepInMemory(heard, this.seenIn(heartbeat, monitor, heardAt));
      throw error;
    } finally {
      const push = this.pushes.get(watched.id);
      if (push !== undefined) this.expectNext(push);
    }
  }

  /** A sender that was refused is alive: that is known here as what probes find is, and ends its outage. */
  private async keepInMemory(
    push: Pick<WatchedPush, 'watched' | 'monitor'>,
    seen: Observation,
  ): Promise<void> {
    const { clock, recorder } = this.options;
    const { watched, monitor } = push;
    const { at } = seen.sample;
    const isRepeated = clock.monotonic() < (watched.refusedUntilMs ?? -Infinity);
    watched.heardAt = at;
    if (isRepeated) return;
    watched.refusedUntilMs = clock.monotonic() + this.repeatsWithinMs(monitor, at);
    await recorder.keep(watched, seen);
  }

  /** A sender that is refused tries again soon: for how long that is the same heartbeat, in ms. */
  private repeatsWithinMs(monitor: PushMonitor, at: number): number {
    const plan = planOf(monitor);
    if (plan === null) return (monitor.interval_secs * 1000) / 2;
    return (this.options.nextRun(plan, at) ?? at) - at;
  }

  /** Sees to a look in time for the next heartbeat. One that is arranged for sooner finds nothing, and arranges that. */
  private expectNext(push: WatchedPush): void {
    const { clock } = this.options;
    const { schedule, interval_secs } = push.monitor;
    const isWithin = (ms: number) => push.alarm !== null && push.alarm.dueMs <= clock.monotonic() + ms;
    // No silence means anything before that.
    if (schedule === null && isWithin(interval_secs * 1000)) return;
    const now = clock.now();
    const silence = judgeSilence(this.heart(push), now);
    const inMs = silence.kind === 'on_time' ? lookInMs(silence, now) : 0;
    if (inMs !== null && !isWithin(inMs)) this.arrange(push, inMs);
  }

  private seenIn({ status, message, pingMs }: Heartbeat, monitor: PushMonitor, at: number): Observation {
    const sample = heartbeatSample(status, at, pingMs);
    const own = message ?? (status === 'up' ? null : `the heartbeat said ${status}`);
    const isSlow =
      status === 'up' &&
      pingMs !== null &&
      monitor.degraded_over_ms !== null &&
      pingMs > monitor.degraded_over_ms;
    return {
      sample,
      status: isSlow ? 'degraded' : status,
      latencyMs: pingMs,
      holdSecs: this.holdSecs(monitor, at),
      isHeartbeat: true,
      reason: status === 'up' || own === null ? null : { category: 'heartbeat', message: own },
      message: own,
      snapshot: null,
    };
  }

  private holdSecs(monitor: PushMonitor, at: number): number {
    const plan = planOf(monitor);
    if (plan === null) return holdSecsOf(monitor);
    const dueAt = this.options.nextRun(
      plan,
      plannedAfter({ lastHeardAt: at, firstSeenAt: at, expectedAt: null }),
    );
    return ((dueAt ?? at) - at) / 1000 + monitor.grace_secs;
  }

  private arrange(push: WatchedPush, inMs: number): void {
    const { timers } = this.options;
    if (push.alarm !== null) timers.cancel(push.alarm);
    push.alarm = timers.after(inMs, () => {
      push.alarm = null;
      return this.look(push);
    });
  }

  private async look(push: WatchedPush): Promise<void> {
    const { watched } = push;
    const { clock, log, onTick, yielder } = this.options;
    await yielder.pass();
    onTick();
    const judgement: Judgement = { silence: null, isSettled: false };
    try {
      await watched.mutex.run(() => this.judge(push, judgement));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `the silence of ${watched.id} could not be kept: ${why}`;
      log({ level: 'error', event: 'store.refused', message, fields: { monitor: watched.id } });
    }
    // A heartbeat, or a gap, came meanwhile: the next look is arranged.
    if (this.pushes.get(watched.id) !== push || push.alarm !== null) return;
    const nextMs = nextLookMs(judgement, push.monitor, clock.now());
    if (nextMs !== null) this.arrange(push, nextMs);
  }

  /** Judges the silence once, and keeps what that judgement makes of it. */
  private judge({ watched, monitor }: WatchedPush, judgement: Judgement): Promise<void> | undefined {
    const { clock, recorder, diagnosis, listening } = this.options;
    const at = clock.now();
    const heartbeatSilence = judgeSilence(this.heart({ watched, monitor }), at);
    judgement.silence = heartbeatSilence;
    const observation = observationOfSilence(heartbeatSilence, at, silentFor(heartbeatSilence, monitor, at));
    judgement.isSettled = observation === null;
    if (observation === null || watched.stopping.isAborted) return undefined;
    // While the network may be gone, or this host takes no connections, heartbeats cannot come; then listening begins anew.
    if (diagnosis.isCutOff || listening.isDeaf) return undefined;
    const keep = () => {
      judgement.isSettled = true;
      return recorder.keep(watched, observation);
    };
    if (!recorder.wouldOpen(watched, observation)) return keep();
    const isTrusted = diagnosis.trustsSilence();
    if (typeof isTrusted === 'boolean') return isTrusted ? keep() : undefined;
    return isTrusted.then(async (really) => {
      if (really && !watched.stopping.isAborted) await keep();
    });
  }

  private heart({ watched, monitor }: Pick<WatchedPush, 'watched' | 'monitor'>): PushMonitorState {
    const { heardAt, firstSeenAt, expectedAt, state } = watched;
    const { interval_secs, grace_secs } = monitor;
    const plan = planOf(monitor);
    const { nextRun, listening } = this.options;
    const isDown = state.incident !== null && state.incident.confirmedAt > (heardAt ?? -Infinity);
    // What it is down for was due before other settings came.
    const known = { lastHeardAt: heardAt, firstSeenAt, expectedAt: isDown ? null : expectedAt };
    return {
      schedule:
        plan === null
          ? { kind: 'interval', intervalMs: interval_secs * 1000 }
          : {
              kind: 'schedule',
              dueAt: nextRun(plan, plannedAfter(known)),
              nextAfter: (at) => nextRun(plan, at),
            },
      graceMs: grace_secs * 1000,
      isDown,
      listeningGaps: plan === null ? listening.gaps : listening.gapsOfCalendar,
      ...known,
    };
  }
}

/** When heartbeats are due by the calendar; null: one is due within an interval. */
function planOf({ schedule, timezone }: PushMonitor): ZonedSchedule | null {
  return schedule === null ? null : { schedule, timezone };
}

/** In how many ms to look at a silence again; null: not before a heartbeat comes. */
function nextLookMs({ silence, isSettled }: Judgement, monitor: PushMonitor, now: number): number | null {
  if (silence === null) return judgeAgainMs;
  const changesMs = lookInMs(silence, now);
  if (!isSettled) return Math.min(judgeAgainMs, changesMs ?? judgeAgainMs);
  return silence.kind === 'missed' ? silenceSecsOf(monitor) * 1000 : changesMs;
}

/** In how many ms a silence means something else; null: not before a heartbeat comes. */
function lookInMs({ lookAt }: HeartbeatSilence, now: number): number | null {
  return lookAt === null ? null : Math.max(shortestWaitMs, lookAt - now);
}

function silentFor(heartbeatSilence: HeartbeatSilence, monitor: PushMonitor, at: number): number {
  return heartbeatSilence.lookAt === null
    ? silenceSecsOf(monitor) + slackSecs
    : (heartbeatSilence.lookAt - at) / 1000 + slackSecs;
}
