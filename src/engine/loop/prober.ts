/** Checks probed monitors on their schedules, and out of turn when asked. */
import type { Clock } from '../core/clock.ts';
import { evidenceOf, type Evidence } from '../core/doubt/evidence.ts';
import { type ClockWitness, isExpiredByClockAlone } from '../core/doubt/expiry.ts';
import type { Log } from '../core/log.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import { type CheckResult, noTimings, type ProbeResult } from '../core/probe.ts';
import { decideTick, firstTick, nextTick, type Schedule, scheduleOf, type Tick } from '../core/schedule.ts';
import type { Redact } from '../config/redact.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import type { Agenda, Appointment } from './agenda.ts';
import { type Gate, hangsAfterMs, type Place } from './gate.ts';
import type { LatenessLog } from './lateness.ts';
import type { Pulse } from './pulse.ts';
import type { Recorder } from './recorder.ts';
import { holdSecsOf } from './rhythm.ts';
import { asExplained, asHeld, asOwnFault, seenByCheck, type Seen } from './seen.ts';
import type { Sight } from './sight.ts';
import type { Slices } from './slices.ts';
import type { Check, Watched } from './watched.ts';

export type CheckMonitor = (
  monitor: ProbedMonitor,
  how: { readonly signal: AbortSignal; readonly redact: Redact },
) => Promise<CheckResult>;

export interface ProberOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly gate: Gate;
  readonly pulse: Pulse;
  readonly sight: Sight;
  readonly recorder: Recorder;
  readonly lateness: LatenessLog;
  /** Thousands that are asked or answer at once share the event loop with everything else. */
  readonly slices: Slices;
  readonly check: CheckMonitor;
  readonly redact: () => Redact;
  /** By what certificates are judged; absent: the clock is right. */
  readonly clockWitness?: () => ClockWitness;
  /** A check has begun. */
  readonly onTick: () => void;
  /** A check has come back, and what it says is kept. */
  readonly onResult: (watched: Watched, result: ProbeResult) => void;
}

/** Where a monitor stands in its schedule. */
interface Turn {
  watched: Watched;
  readonly schedule: Schedule;
  tick: Tick;
  alarm: Appointment | null;
}

/** How a check begins. */
interface Entry {
  /** When it was due on the monotonic clock; null: it was asked for out of turn. */
  readonly dueMs: number | null;
  readonly place: Place;
  readonly onAnswered: () => void;
}

/** What came back, before it is judged. */
interface Answer {
  readonly result: ProbeResult;
  /** When it was asked for, on the monotonic clock. */
  readonly startedMs: number;
  readonly evidence: Evidence | null;
  /** This process stood still while the check was under way. */
  readonly wasCut: boolean;
}

const stoodStill = 'this process stood still while the check was under way';
const clockDoubted = 'the certificate is valid, and the clock of this machine is far off';

export class Prober {
  private readonly options: ProberOptions;
  private readonly turns = new Map<string, Turn>();

  constructor(options: ProberOptions) {
    this.options = options;
  }

  /** Takes a monitor on; one whose interval stayed the same keeps its place in the schedule. */
  start(watched: Watched): void {
    const intervalMs = watched.monitor.interval_secs * 1000;
    const known = this.turns.get(watched.id);
    if (known?.schedule.intervalMs === intervalMs) {
      known.watched = watched;
      return;
    }
    if (known !== undefined) this.stop(watched.id);
    const schedule = scheduleOf(watched.id, intervalMs, this.options.clock.monotonic());
    const turn: Turn = { watched, schedule, tick: firstTick(schedule), alarm: null };
    this.turns.set(watched.id, turn);
    this.arrange(turn);
  }

  stop(id: string): void {
    const alarm = this.turns.get(id)?.alarm ?? null;
    if (alarm !== null) this.options.agenda.cancel(alarm);
    this.turns.delete(id);
  }

  /** Checks a monitor now, unless that is under way. */
  checkNow(watched: Watched): Check {
    return watched.check ?? this.begin(watched, null);
  }

  private arrange(turn: Turn): void {
    turn.alarm = this.options.agenda.at(turn.tick.dueMs, () => {
      this.onAlarm(turn);
    });
  }

  private onAlarm(turn: Turn): void {
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
        if (watched.check === null) this.begin(watched, tick.dueMs);
    }
    this.arrange(turn);
  }

  private begin(watched: Watched, dueMs: number | null): Check {
    const { gate } = this.options;
    let onAnswered: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      onAnswered = resolve;
    });
    const kept = new Promise<void>((resolve) => {
      gate.pass(watched.isSlow, (place) => {
        void this.run(watched, { dueMs, place, onAnswered }).then(resolve);
      });
    });
    watched.check = { answered, kept };
    return watched.check;
  }

  private async run(watched: Watched, { dueMs, place, onAnswered }: Entry): Promise<void> {
    const { clock, gate, lateness, onTick, pulse, sight, slices } = this.options;
    await slices.pass();
    const startedMs = clock.monotonic();
    // A target that hangs waits among its kind, which says nothing of the schedule.
    if (dueMs !== null && !watched.isSlow) lateness.note(startedMs - dueMs);
    onTick();
    const result = await this.ask(watched);
    gate.leave(place);
    watched.check = null;
    watched.isSlow = clock.monotonic() - startedMs >= hangsAfterMs;
    if (result === null) {
      onAnswered();
      return;
    }
    pulse.observe();
    const wasCut = pulse.wasCutSince(startedMs);
    const isProxied = watched.monitor.kind === 'http' && watched.monitor.proxy !== null;
    const evidence = wasCut && result.outcome === 'failed' ? null : evidenceOf(result, { isProxied });
    if (evidence !== null)
      sight.note(watched, evidence, { startedMs, isHere: isHere(watched, result, isProxied) });
    onAnswered();
    await slices.pass();
    await this.settle(watched, { result, startedMs, evidence, wasCut });
  }

  /** Null when it was called off. */
  private async ask(watched: Watched): Promise<ProbeResult | null> {
    const { monitor, stopping } = watched;
    if (monitor.kind === 'push' || isCalledOff(watched)) return null;
    const { check, redact } = this.options;
    const result = await check(monitor, { signal: stopping.signal, redact: redact() }).then(
      (answer) => answer.result,
      () => brokenResult,
    );
    return isCalledOff(watched) ? null : result;
  }

  private async settle(watched: Watched, answer: Answer): Promise<void> {
    const { clock, log, onResult } = this.options;
    try {
      await watched.lane.run(() => {
        const { monitor } = watched;
        if (isCalledOff(watched)) return undefined;
        const holdSecs = holdSecsOf(monitor);
        return this.judge(
          watched,
          seenByCheck(answer.result, { at: clock.now(), monitor, holdSecs }),
          answer,
        );
      });
      onResult(watched, answer.result);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `what was seen of ${watched.id} could not be kept: ${why}`;
      log({ level: 'error', event: 'store.refused', message, fields: { monitor: watched.id } });
    }
  }

  private judge(watched: Watched, seen: Seen, answer: Answer): Promise<void> | undefined {
    const { result, startedMs, evidence, wasCut } = answer;
    const { recorder, sight } = this.options;
    if (wasCut && result.outcome === 'failed') return recorder.keep(watched, asOwnFault(seen, stoodStill));
    if (this.isClockAtFault(result)) return recorder.keep(watched, asOwnFault(seen, clockDoubted, 'clock'));
    if (result.outcome === 'unknown') return recorder.keep(watched, this.weighUnknown(watched, seen, answer));
    if (evidence !== 'failed') return recorder.keep(watched, seen);
    if (sight.isHeld(watched, startedMs)) return recorder.keep(watched, asHeld(seen));
    if (!recorder.wouldOpen(watched, seen)) return recorder.keep(watched, seen);
    const isBelieved = sight.believes(watched, startedMs);
    if (typeof isBelieved === 'boolean') return this.keepIf(isBelieved, watched, seen);
    return this.judgeLater(isBelieved, watched, seen);
  }

  private isClockAtFault(result: ProbeResult): boolean {
    const witness = this.options.clockWitness?.();
    return witness !== undefined && isExpiredByClockAlone(result, witness);
  }

  /** What keeps this node from checking is not reported while its network is doubted: that has a message of its own. */
  private weighUnknown(watched: Watched, seen: Seen, { startedMs, wasCut }: Answer): Seen {
    const { sight } = this.options;
    const isDoubted = sight.network.state !== 'ok' || sight.isHeld(watched, startedMs);
    return wasCut || isDoubted ? asExplained(seen) : seen;
  }

  private async judgeLater(verdict: Promise<boolean>, watched: Watched, seen: Seen): Promise<void> {
    const isBelieved = await Promise.race([verdict, aborted(watched.stopping.signal)]);
    if (isCalledOff(watched)) return;
    const sample = { ...seen.sample, at: this.options.clock.now() };
    await this.keepIf(isBelieved, watched, { ...seen, sample });
  }

  private keepIf(isBelieved: boolean, watched: Watched, seen: Seen): Promise<void> | undefined {
    return this.options.recorder.keep(watched, isBelieved ? seen : asHeld(seen));
  }
}

/** A check that broke although it never should. */
const brokenResult: ProbeResult = {
  outcome: 'unknown',
  reason: {
    category: 'own_fault',
    message: 'the check could not be carried out',
    ownFault: ownFaultKey('program'),
  },
  latencyMs: null,
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
};

/** Whether this machine itself answered. Without an address it is as it was; a proxy is no target. */
function isHere(
  watched: Watched,
  { address, isOwnAddress = false }: ProbeResult,
  isProxied: boolean,
): boolean {
  if (isProxied) return false;
  return isOwnAddress || (address === null && watched.isHere);
}

function isCalledOff({ stopping }: Watched): boolean {
  return stopping.signal.aborted;
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    const onAbort = () => {
      resolve(false);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
