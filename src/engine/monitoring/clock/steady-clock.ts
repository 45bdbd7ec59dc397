/**
 * The clock that everything in the daemon reads: the wall clock, which changes only together with everything that was
 * measured on it.
 *
 * When the wall clock is set, time goes on as it did until the store has moved what is open or waits (`clock.shift`);
 * in that same moment this clock follows, and `onShift` moves what is held in memory. What is written in between stands
 * behind the move in the log, so `store` moves it on its way.
 */
import type { Clock } from '../../core/clock.ts';
import { type ClockShift, type Move, moveAhead, moveInstants, movePast } from '../../core/clock-shift.ts';
import type { ClockEvidence } from './expiry.ts';
import { type ClockJump, jumpBetween, type ClockReading, toleratedMs } from './jump.ts';
import type { Log } from '../../core/log.ts';
import {
  afterRunning,
  afterSleep,
  afterStop,
  trustedAt,
  deletableAt,
  freshTrust,
  readTrust,
  setBy,
  type TrustedTime,
} from './trusted-time.ts';
import type { Json, Operation } from '../../../db/store/operation.ts';
import type { Store } from '../../../db/store/store.ts';
import { clockRecord } from '../../../db/tables/clock.ts';
import { schema } from '../../../db/tables/schema/schema.ts';

export interface SteadyClockOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
}

/** How fast a clock may drift without having been set. */
const driftShare = 0.01;

/** Corrections of no more than this in all change nothing for what is counted in days. */
const correctionMs = 600_000;

/** What the arguments of each operation are called. */
const fieldsOf = new Map(schema.operations.map(({ name, fields = [] }) => [name, fields]));

/** Arguments that lie ahead of the moment of writing. */
const waitedFor: readonly string[] = ['nextAt', 'untilAt'];

/** What a certificate says is no instant of this clock. */
const ofOthers: readonly string[] = ['validFromAt', 'validToAt'];

/** What is assumed of the clock is written down this often. */
const saveEveryMs = 60_000;

export class SteadyClock {
  /** What everything else is given. */
  readonly clock: Clock;
  /** The present by which warnings, digests and packing go. */
  readonly trusted: Clock;
  /** The store for writing what was measured on this clock. */
  readonly store: Store;
  /** Called in the moment in which the clock follows. */
  onShift: (shift: ClockShift) => void = () => undefined;
  private readonly options: SteadyClockOptions;
  /** The wall clock less the monotonic one: as last followed, and as it may drift to. */
  private offsetMs: number;
  private anchorMs: number;
  /** When the machine was last known to be awake. */
  private awake: ClockReading;
  private observedMs: number;
  private trust: TrustedTime;
  private savedMs: number;
  private correctedMs = 0;
  /** What is being written down, and the offset from then on. */
  private pending: { readonly shift: ClockShift; readonly offsetMs: number } | null = null;

  constructor(options: SteadyClockOptions) {
    const { monotonic, sleep, after } = options.clock;
    const waiting = { monotonic, sleep, ...(after !== undefined && { after }) };
    this.options = options;
    this.clock = { now: this.now, ...waiting };
    this.trusted = { now: () => trustedAt({ ...this.trust, at: this.now() }), ...waiting };
    const { store } = options;
    this.store = {
      ...store,
      write: (operations, how) => store.write(this.moved(operations), how),
      record: (operations) => {
        store.record(this.moved(operations));
      },
    };
    this.awake = this.read();
    const { wallAt, monotonicMs } = this.awake;
    this.offsetMs = wallAt - monotonicMs;
    this.anchorMs = this.offsetMs;
    this.observedMs = monotonicMs;
    this.savedMs = monotonicMs;
    this.trust = freshTrust(wallAt);
  }

  /** Goes on from the last run. A clock that was set back meanwhile takes what waits with it. */
  async begin(): Promise<void> {
    const { clock, store } = this.options;
    const stored = readTrust(clockRecord.read(store.sql));
    const at = clock.now();
    const setBackMs = stored === null || at >= stored.at - toleratedMs ? 0 : at - stored.at;
    const before = stored ?? freshTrust(at);
    const trust =
      setBackMs === 0 ? afterStop(before, at) : setBy(before, setBackMs, { at, isCorrection: false });
    const operations = [this.saving(trust)];
    if (setBackMs !== 0 || clockRecord.isAnyAhead(store.sql, at))
      operations.unshift(clockRecord.shift({ byMs: setBackMs, sinceAt: before.sinceAt, at }));
    this.trust = trust;
    if (stored !== null || operations.length > 1) await store.write(operations, { mustBeDurable: false });
    store.onChange(({ operations: written, isForeign }) => {
      if (!isForeign && written.some(([name]) => name === 'clock.shift')) this.follow();
    });
  }

  /** Epoch ms. */
  readonly now = (): number => {
    const { wallAt, monotonicMs } = this.readBoth();
    const offsetMs = wallAt - monotonicMs;
    if (!this.isClose(offsetMs)) return Math.round(monotonicMs + this.offsetMs);
    this.offsetMs = offsetMs;
    return wallAt;
  };

  /** To be called on every beat, and before what came back is judged. */
  readonly observe = (): void => {
    const { wallAt, monotonicMs } = this.readBoth();
    const passedMs = monotonicMs - this.observedMs;
    const offsetMs = wallAt - monotonicMs;
    this.observedMs = monotonicMs;
    this.trust = afterRunning(this.trust, passedMs, this.now());
    if (this.pending === null) {
      if (this.isClose(offsetMs)) this.drift(offsetMs, passedMs * driftShare);
      else this.onJump(offsetMs);
    }
    if (monotonicMs - this.savedMs >= saveEveryMs) this.save();
  };

  /** The present by which things are deleted; null: nothing is. */
  readonly deletableAt = (): number | null => deletableAt({ ...this.trust, at: this.now() });

  /** What the machine's own clock says, which others judge by, and what is vouched for. */
  readonly evidence = (): ClockEvidence => ({
    wallAt: this.options.clock.now(),
    vouchedAt: this.trust.vouchedAt,
    stoppedMs: this.trust.stoppedMs,
  });

  /** Writes down what is trusted, so that the next run goes on from there. */
  save(): void {
    const { store, clock } = this.options;
    this.savedMs = clock.monotonic();
    this.awake = this.read();
    // What is being written says more, and would be followed by a present that is over.
    if (this.pending !== null) return;
    try {
      store.record([this.saving({ ...this.trust, at: this.now() })]);
    } catch {
      // The store is closed, or another process has it: then there is nothing to go on from.
    }
  }

  private onJump(offsetMs: number): void {
    const now = this.read();
    const jump = jumpBetween(this.awake, now, offsetMs - this.offsetMs);
    this.awake = now;
    this.jump(jump, offsetMs);
  }

  private jump({ sleptMs, setByMs }: ClockJump, offsetMs: number): void {
    if (sleptMs > 0) {
      this.offsetMs += sleptMs;
      this.anchorMs += sleptMs;
      this.trust = afterSleep(this.trust, sleptMs, this.now());
    }
    if (Math.abs(setByMs) > toleratedMs) this.shift(setByMs, offsetMs);
    // Many small steps: they were followed one by one, and come to more than a drift.
    else if (sleptMs === 0) this.shift(offsetMs - this.anchorMs, offsetMs);
  }

  private shift(setByMs: number, offsetMs: number): void {
    const { store, log, clock } = this.options;
    const byMs = Math.round(setByMs);
    const at = Math.max(0, Math.round(clock.monotonic() + offsetMs));
    const shift = { byMs, sinceAt: this.trust.sinceAt, at };
    this.pending = { shift, offsetMs };
    this.correctedMs += Math.abs(byMs);
    const isCorrection = this.correctedMs <= correctionMs;
    if (!isCorrection) this.correctedMs = 0;
    const trust = setBy(this.trust, byMs, { at, isCorrection });
    store.write([clockRecord.shift(shift), this.saving(trust)], { mustBeDurable: false }).then(
      () => {
        this.follow();
      },
      (error: unknown) => {
        // It is tried again on the next beat; until then time continues as before.
        this.pending = null;
        const why = error instanceof Error ? error.message : String(error);
        log({
          level: 'error',
          event: 'store.refused',
          message: `the clock was set, and this could not be written to the database: ${why}`,
        });
      },
    );
    this.trust = { ...trust, at: this.trust.at };
  }

  /** Operations as they are on the clock that is being followed. */
  private moved(operations: readonly Operation[]): readonly Operation[] {
    if (this.pending === null) return operations;
    const { shift } = this.pending;
    const how = { past: movePast(shift), ahead: moveAhead(shift, this.now()) };
    return operations.map((operation) => movedOperation(operation, how));
  }

  /** What was measured on the clock has moved: now the clock does. */
  private follow(): void {
    const { pending } = this;
    if (pending === null) return;
    this.pending = null;
    this.offsetMs = pending.offsetMs;
    this.anchorMs = pending.offsetMs;
    this.onShift(pending.shift);
  }

  private drift(offsetMs: number, mostMs: number): void {
    this.offsetMs = offsetMs;
    const byMs = offsetMs - this.anchorMs;
    this.anchorMs += Math.sign(byMs) * Math.min(Math.abs(byMs), mostMs);
  }

  private isClose(offsetMs: number): boolean {
    return (
      this.pending === null &&
      Math.abs(offsetMs - this.offsetMs) <= toleratedMs &&
      Math.abs(offsetMs - this.anchorMs) <= toleratedMs
    );
  }

  private saving(trust: TrustedTime): Operation {
    return clockRecord.save(trust as unknown as Json);
  }

  private read(): ClockReading {
    return { uptimeMs: this.options.clock.uptime?.() ?? null, ...this.readBoth() };
  }

  private readBoth(): Pick<ClockReading, 'monotonicMs' | 'wallAt'> {
    const { clock } = this.options;
    return { monotonicMs: clock.monotonic(), wallAt: clock.now() };
  }
}

/** An operation as if it had been written on the clock as it is set; `how` moves instants there. */
function movedOperation(
  [name, ...args]: Operation,
  how: { readonly past: Move; readonly ahead: Move },
): Operation {
  const moved = args.map((value, index): Json => {
    const field = fieldsOf.get(name)?.[index] ?? '';
    if (ofOthers.includes(field)) return value;
    if (typeof value === 'number' && waitedFor.includes(field)) return how.ahead(value);
    if (typeof value === 'number' && field === 'at') return how.past(value);
    return moveInstants(value, how, field) as Json;
  });
  return [name, ...moved];
}
