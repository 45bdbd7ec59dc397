/** Listens for heartbeats: takes them in, and looks at the silence of push monitors when it begins to mean something. */
import type { PushMonitor } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import {
  type Heart,
  heartbeatSample,
  type HeartbeatStatus,
  judgeSilence,
  plannedAfter,
  type Silence,
} from '../core/heartbeat.ts';
import type { Log } from '../core/log.ts';
import type { Agenda, Appointment } from './agenda.ts';
import type { ListeningRecord } from './listening-record.ts';
import type { NextRun } from './plan.ts';
import type { Recorder } from './recorder.ts';
import { holdSecsOf, silenceSecsOf } from './rhythm.ts';
import { seenInSilence, type Seen } from './seen.ts';
import type { Sight } from './sight.ts';
import type { Slices } from './slices.ts';
import type { Watched } from './watched.ts';

export interface ListenerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly sight: Sight;
  readonly recorder: Recorder;
  readonly listening: ListeningRecord;
  /** Thousands may fall silent at once. */
  readonly slices: Slices;
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
  silence: Silence | null;
  /** Whether what it means is on record, or it means nothing. */
  isSettled: boolean;
}

interface Ear {
  readonly watched: Watched;
  readonly monitor: PushMonitor;
  alarm: Appointment | null;
}

/** A late sample speaks until its grace is over, and a little longer: the next one needs a moment to come. */
const slackSecs = 60;

/** How soon a silence that could not be kept, or was not believed yet, is judged again. */
const judgeAgainMs = 5000;

/** A silence that means something else at `lookAt` is not judged again before so long: timers fire a little early. */
const shortestWaitMs = 1;

export class Listener {
  private readonly options: ListenerOptions;
  private readonly ears = new Map<string, Ear>();

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  start(watched: Watched, monitor: PushMonitor): void {
    this.stop(watched.id);
    const ear: Ear = { watched, monitor, alarm: null };
    this.ears.set(watched.id, ear);
    this.arrange(ear, 0);
  }

  stop(id: string): void {
    const alarm = this.ears.get(id)?.alarm ?? null;
    if (alarm !== null) this.options.agenda.cancel(alarm);
    this.ears.delete(id);
  }

  /** What was sent until now may be lost: every silence is judged anew, with the gap that is on record. */
  listenAnew(): void {
    for (const ear of this.ears.values()) this.arrange(ear, 0);
  }

  /** Takes a heartbeat in; resolves when it is durable. Rejects with `store_full` or `store_failing`. */
  async hear(watched: Watched, monitor: PushMonitor, heartbeat: Heartbeat): Promise<void> {
    const { clock, recorder, sight } = this.options;
    sight.noteHeartbeat();
    await watched.lane.run(() => {
      const at = clock.now();
      return recorder.keep(watched, this.seenIn(heartbeat, monitor, at), at);
    });
    const ear = this.ears.get(watched.id);
    if (ear !== undefined) this.arrange(ear, 0);
  }

  private seenIn({ status, message, pingMs }: Heartbeat, monitor: PushMonitor, at: number): Seen {
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
    const { schedule, grace_secs } = monitor;
    if (schedule === null) return holdSecsOf(monitor);
    const dueAt = this.options.nextRun(schedule, plannedAfter({ lastHeardAt: at, firstSeenAt: at }));
    return ((dueAt ?? at) - at) / 1000 + grace_secs;
  }

  private arrange(ear: Ear, inMs: number): void {
    const { agenda } = this.options;
    if (ear.alarm !== null) agenda.cancel(ear.alarm);
    ear.alarm = agenda.after(inMs, () => {
      ear.alarm = null;
      void this.look(ear);
    });
  }

  private async look(ear: Ear): Promise<void> {
    const { watched } = ear;
    const { clock, log, onTick, slices } = this.options;
    await slices.pass();
    onTick();
    const judgement: Judgement = { silence: null, isSettled: false };
    try {
      await watched.lane.run(() => this.judge(ear, judgement));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `the silence of ${watched.id} could not be kept: ${why}`;
      log({ level: 'error', event: 'store.refused', message, fields: { monitor: watched.id } });
    }
    // A heartbeat, or a gap, came meanwhile: the next look is arranged.
    if (this.ears.get(watched.id) !== ear || ear.alarm !== null) return;
    const nextMs = nextLookMs(judgement, ear.monitor, clock.now());
    if (nextMs !== null) this.arrange(ear, nextMs);
  }

  /** Judges the silence once, and keeps what that judgement makes of it. */
  private judge({ watched, monitor }: Ear, judgement: Judgement): Promise<void> | undefined {
    const { clock, recorder, sight } = this.options;
    const at = clock.now();
    const silence = judgeSilence(this.heart({ watched, monitor }), at);
    judgement.silence = silence;
    const seen = seenInSilence(silence, at, silentFor(silence, monitor, at));
    judgement.isSettled = seen === null;
    // While the network may be gone, heartbeats cannot come; when it is back, listening begins anew.
    if (seen === null || watched.stopping.signal.aborted || sight.isDeaf) return undefined;
    const keep = () => {
      judgement.isSettled = true;
      return recorder.keep(watched, seen);
    };
    if (!recorder.wouldOpen(watched, seen)) return keep();
    const isBelieved = sight.believesSilence();
    if (typeof isBelieved === 'boolean') return isBelieved ? keep() : undefined;
    return isBelieved.then(async (really) => {
      if (really && !watched.stopping.signal.aborted) await keep();
    });
  }

  private heart({ watched, monitor }: Pick<Ear, 'watched' | 'monitor'>): Heart {
    const { heardAt, firstSeenAt, state } = watched;
    const known = { lastHeardAt: heardAt, firstSeenAt };
    const { schedule, interval_secs, grace_secs } = monitor;
    const { nextRun, listening } = this.options;
    return {
      ...known,
      rhythm:
        schedule === null
          ? { kind: 'interval', intervalMs: interval_secs * 1000 }
          : {
              kind: 'schedule',
              dueAt: nextRun(schedule, plannedAfter(known)),
              nextAfter: (at) => nextRun(schedule, at),
            },
      graceMs: grace_secs * 1000,
      isDown: state.incident !== null && state.incident.confirmedAt > (heardAt ?? -Infinity),
      listeningGaps: schedule === null ? listening.gaps : listening.gapsOfCalendar,
    };
  }
}

/** In how many ms to look at a silence again; null: not before a heartbeat comes. */
function nextLookMs({ silence, isSettled }: Judgement, monitor: PushMonitor, now: number): number | null {
  if (silence === null) return judgeAgainMs;
  const changesMs = silence.lookAt === null ? null : Math.max(shortestWaitMs, silence.lookAt - now);
  if (!isSettled) return Math.min(judgeAgainMs, changesMs ?? judgeAgainMs);
  return silence.kind === 'missed' ? silenceSecsOf(monitor) * 1000 : changesMs;
}

function silentFor(silence: Silence, monitor: PushMonitor, at: number): number {
  return silence.lookAt === null
    ? silenceSecsOf(monitor) + slackSecs
    : (silence.lookAt - at) / 1000 + slackSecs;
}
