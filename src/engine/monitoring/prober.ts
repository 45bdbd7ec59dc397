/** Checks probed monitors on their schedules, and out of turn when asked. */
import type { Clock } from '../core/clock.ts';
import { evidenceOf, type Evidence } from './network/evidence.ts';
import { type ClockEvidence, ExpirySuspicion } from './clock/expiry.ts';
import type { Log } from '../core/log.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import { deferred, unlessAborted } from '../core/deferred.ts';
import { logsFault } from '../core/unattended.ts';
import { brokenResult, type CheckResult, type ProbeResult } from '../core/probe.ts';
import {
  decideTick,
  firstTick,
  nextTick,
  type Schedule,
  scheduleOf,
  type Tick,
  type Windows,
  windowsOf,
} from './schedule.ts';
import type { Monitor } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import type { TimerQueue, Timer } from './timer-queue.ts';
import { type Semaphore, hangsAfterMs, type Permit } from './semaphore.ts';
import type { LatenessLog } from './lateness.ts';
import type { StallDetector } from './stall-detector.ts';
import type { Recorder } from './recorder.ts';
import { holdSecsOf } from './check-policy.ts';
import { asExplained, asHeld, asOwnFault, observationOfCheck, type Observation } from './observation.ts';
import type { NetworkDiagnosis } from './network/diagnosis.ts';
import type { Yielder } from '../core/yielding.ts';
import { type Check, isRecovering, type WatchedMonitor } from './watched-monitor.ts';

export type CheckMonitor = (
  monitor: ProbedMonitor,
  how: { readonly signal: AbortSignal; readonly redact: Redact },
) => Promise<CheckResult>;

export interface ProberOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly semaphore: Semaphore;
  readonly stallDetector: StallDetector;
  readonly diagnosis: NetworkDiagnosis;
  readonly recorder: Recorder;
  readonly lateness: LatenessLog;
  /** Thousands that are asked or answer at once share the event loop with everything else. */
  readonly yielder: Yielder;
  readonly check: CheckMonitor;
  readonly redact: () => Redact;
  /** By what certificates are judged; absent: the clock is right. */
  readonly clockEvidence?: () => ClockEvidence;
  /** A check has begun. */
  readonly onTick: () => void;
  /** A check has come back, and what it says is kept. */
  readonly onResult: (watchedMonitor: WatchedMonitor, result: ProbeResult) => void;
}

/** Where a monitor stands in its schedule. */
interface ScheduledMonitor {
  watched: WatchedMonitor;
  readonly schedule: Schedule;
  tick: Tick;
  alarm: Timer | null;
}

/** How a check begins. */
interface ProbeEntry {
  /** When it was due on the monotonic clock; null: it was asked for out of turn. */
  readonly dueMs: number | null;
  readonly place: Permit;
  readonly onAnswered: (value: undefined) => void;
}

/** What came back, before it is judged. */
interface CheckAnswer {
  readonly result: ProbeResult;
  /** When it was asked for, on the monotonic clock. */
  readonly startedMs: number;
  readonly evidence: Evidence | null;
  /** This process stood still while the check was under way. */
  readonly wasCut: boolean;
}

const stoodStill = 'this process stood still while the check was under way';
const clockSuspected = 'the certificate is valid, and the clock of this machine is far off';

export class Prober {
  private readonly options: ProberOptions;
  private readonly turns = new Map<string, ScheduledMonitor>();
  private readonly expiryDoubt: ExpirySuspicion | null;
  private windows: Windows;

  constructor(options: ProberOptions) {
    this.options = options;
    const { clock, clockEvidence: evidence } = options;
    this.windows = windowsOf([], clock.monotonic());
    this.expiryDoubt =
      evidence === undefined ? null : new ExpirySuspicion({ monotonic: clock.monotonic, evidence });
  }

  /** What is started from here on is gathered as it suits these monitors, in the same windows as before. */
  gather(monitors: readonly Monitor[]): void {
    const intervals = monitors
      .filter(({ kind }) => kind !== 'push')
      .map(({ interval_secs: secs }) => secs * 1000);
    this.windows = windowsOf(intervals, this.windows.fromMs);
  }

  /** Takes a monitor on; one whose interval stayed the same keeps its place in the schedule. */
  start(watchedMonitor: WatchedMonitor): void {
    const intervalMs = watchedMonitor.monitor.interval_secs * 1000;
    const known = this.turns.get(watchedMonitor.id);
    if (known?.schedule.intervalMs === intervalMs) {
      known.watched = watchedMonitor;
      return;
    }
    if (known !== undefined) this.stop(watchedMonitor.id);
    const nowMs = this.options.clock.monotonic();
    const schedule = scheduleOf({ id: watchedMonitor.id, intervalMs }, nowMs, this.windows);
    const turn: ScheduledMonitor = {
      watched: watchedMonitor,
      schedule,
      tick: firstTick(schedule, nowMs),
      alarm: null,
    };
    this.turns.set(watchedMonitor.id, turn);
    this.arrange(turn);
  }

  stop(id: string): void {
    const alarm = this.turns.get(id)?.alarm ?? null;
    if (alarm !== null) this.options.timers.cancel(alarm);
    this.turns.delete(id);
    this.expiryDoubt?.forget(id);
  }

  /** Checks a monitor now, unless that is under way. */
  checkNow(watchedMonitor: WatchedMonitor): Check {
    return watchedMonitor.check ?? this.begin(watchedMonitor, null);
  }

  /** Checks a monitor with a check that begins from now on. Resolves when its sample is kept. */
  async checkAnew(watchedMonitor: WatchedMonitor): Promise<void> {
    await watchedMonitor.check?.kept;
    if (!isCalledOff(watchedMonitor)) await this.checkNow(watchedMonitor).kept;
  }

  private arrange(turn: ScheduledMonitor): void {
    turn.alarm = this.options.timers.at(turn.tick.dueMs, () => {
      this.onAlarm(turn);
    });
  }

  private onAlarm(turn: ScheduledMonitor): void {
    const { schedule, tick, watched } = turn;
    const nowMs = Math.max(tick.dueMs, this.options.clock.monotonic());
    const decision = decideTick(schedule, tick, nowMs);
    switch (decision.kind) {
      case 'wait':
        break;
      case 'skip':
      case 'put_off':
        turn.tick = decision.next;
        break;
      case 'run':
        turn.tick = nextTick(schedule, tick, nowMs);
    }
    // First of all: whatever comes of this check, the next one follows.
    this.arrange(turn);
    if (decision.kind === 'run' && watched.check === null) this.begin(watched, tick.dueMs);
  }

  private begin(watchedMonitor: WatchedMonitor, dueMs: number | null): Check {
    const { semaphore } = this.options;
    const { promise: answered, resolve: onAnswered } = deferred<undefined>();
    const kept = new Promise<void>((resolve) => {
      semaphore.pass(watchedMonitor.isSlow, (permit) => {
        this.run(watchedMonitor, { dueMs, place: permit, onAnswered })
          .catch(logsFault(this.options.log, `the check of ${watchedMonitor.id}`))
          .finally(() => {
            onAnswered(undefined);
            resolve();
          });
      });
    });
    return (watchedMonitor.check = { answered, kept });
  }

  private async run(watchedMonitor: WatchedMonitor, { dueMs, place, onAnswered }: ProbeEntry): Promise<void> {
    const { clock, semaphore, lateness, onTick, stallDetector, diagnosis, yielder } = this.options;
    let startedMs: number;
    let result: ProbeResult | null;
    try {
      await yielder.pass();
      startedMs = clock.monotonic();
      // A target that hangs waits among its kind, which says nothing of the schedule.
      if (dueMs !== null && !watchedMonitor.isSlow) lateness.note(startedMs - dueMs);
      onTick();
      result = await this.ask(watchedMonitor);
    } finally {
      semaphore.leave(place);
      watchedMonitor.check = null;
    }
    watchedMonitor.isSlow = clock.monotonic() - startedMs >= hangsAfterMs;
    if (result === null) return;
    stallDetector.observe();
    const wasCut = stallDetector.wasCutSince(startedMs);
    const isProxied = watchedMonitor.monitor.kind === 'http' && watchedMonitor.monitor.proxy !== null;
    const evidence = wasCut && result.outcome === 'failed' ? null : evidenceOf(result, { isProxied });
    if (evidence !== null)
      diagnosis.note(watchedMonitor, evidence, {
        startedMs,
        isHere: isHere(watchedMonitor, result, isProxied),
      });
    onAnswered(undefined);
    await yielder.pass();
    await this.settle(watchedMonitor, { result, startedMs, evidence, wasCut });
  }

  /** Null when it was called off. */
  private async ask(watchedMonitor: WatchedMonitor): Promise<ProbeResult | null> {
    const { monitor, stopping } = watchedMonitor;
    if (monitor.kind === 'push' || isCalledOff(watchedMonitor)) return null;
    const { check, redact } = this.options;
    let result: ProbeResult;
    try {
      ({ result } = await check(monitor, { signal: stopping.signal, redact: redact() }));
    } catch {
      result = brokenResult;
    }
    return isCalledOff(watchedMonitor) ? null : result;
  }

  private async settle(watchedMonitor: WatchedMonitor, answer: CheckAnswer): Promise<void> {
    const { clock, log, onResult } = this.options;
    try {
      await watchedMonitor.mutex.run(() => {
        const { monitor } = watchedMonitor;
        if (isCalledOff(watchedMonitor)) return undefined;
        const holdSecs = holdSecsOf(monitor);
        return this.judge(
          watchedMonitor,
          observationOfCheck(answer.result, { at: clock.now(), monitor, holdSecs }),
          answer,
        );
      });
      onResult(watchedMonitor, answer.result);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `what was seen of ${watchedMonitor.id} could not be kept: ${why}`;
      log({ level: 'error', event: 'store.refused', message, fields: { monitor: watchedMonitor.id } });
    }
  }

  private judge(
    watchedMonitor: WatchedMonitor,
    observation: Observation,
    answer: CheckAnswer,
  ): Promise<void> | undefined {
    const { result, startedMs, evidence, wasCut } = answer;
    const { recorder, diagnosis } = this.options;
    if (wasCut && (result.outcome === 'failed' || result.outcome === 'unknown')) {
      const ownFault = this.isExplained(watchedMonitor, startedMs) ? null : ownFaultKey('standstill');
      return recorder.keep(watchedMonitor, asOwnFault(observation, stoodStill, ownFault));
    }
    const isClockAtFault = this.expiryDoubt?.isClockAtFault(watchedMonitor, result) ?? false;
    if (isClockAtFault !== false) {
      const ownFault = isClockAtFault === true ? ownFaultKey('clock') : null;
      return recorder.keep(watchedMonitor, asOwnFault(observation, clockSuspected, ownFault));
    }
    if (result.outcome === 'unknown') {
      const isExplained = this.isExplained(watchedMonitor, startedMs);
      return recorder.keep(watchedMonitor, isExplained ? asExplained(observation) : observation);
    }
    if (evidence !== 'failed') return recorder.keep(watchedMonitor, observation);
    if (diagnosis.isHeld(watchedMonitor, startedMs))
      return recorder.keep(watchedMonitor, asHeld(observation));
    // What keeps an incident open that is about to end is suspected like what opens one.
    if (!isRecovering(watchedMonitor) && !recorder.wouldOpen(watchedMonitor, observation))
      return recorder.keep(watchedMonitor, observation);
    const isTrusted = diagnosis.trusts(watchedMonitor, startedMs);
    if (typeof isTrusted === 'boolean') return this.keepIf(isTrusted, watchedMonitor, observation);
    return this.judgeLater(isTrusted, watchedMonitor, observation);
  }

  /** What keeps this node from checking is not reported while its network is suspected: that has a message of its own. */
  private isExplained(watchedMonitor: WatchedMonitor, startedMs: number): boolean {
    const { diagnosis } = this.options;
    return diagnosis.network.state !== 'ok' || diagnosis.isHeld(watchedMonitor, startedMs);
  }

  private async judgeLater(
    verdict: Promise<boolean>,
    watchedMonitor: WatchedMonitor,
    observation: Observation,
  ): Promise<void> {
    const isTrusted = await unlessAborted(verdict, watchedMonitor.stopping.signal, () => false);
    if (isCalledOff(watchedMonitor)) return;
    const sample = { ...observation.sample, at: this.options.clock.now() };
    await this.keepIf(isTrusted, watchedMonitor, { ...observation, sample });
  }

  private keepIf(
    isTrusted: boolean,
    watchedMonitor: WatchedMonitor,
    observation: Observation,
  ): Promise<void> | undefined {
    return this.options.recorder.keep(watchedMonitor, isTrusted ? observation : asHeld(observation));
  }
}

/** Whether this machine itself answered. Without an address it is as it was; a proxy is no target. */
function isHere(
  watchedMonitor: WatchedMonitor,
  { address, isOwnAddress = false }: ProbeResult,
  isProxied: boolean,
): boolean {
  if (isProxied) return false;
  return isOwnAddress || (address === null && watchedMonitor.reach.isHere);
}

function isCalledOff({ stopping }: WatchedMonitor): boolean {
  return stopping.isAborted;
}
