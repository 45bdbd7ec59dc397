/**
 * Has monitors checked out of turn, each at most one check at a time, and knows the recoveries that such checks follow.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../engine/core/clock.ts';
import type { Move } from '../../engine/core/clock-shift.ts';

export interface UpstreamCheckOptions {
  /** Makes checks that begin from now on; resolves when all have ended. */
  readonly check: (ids: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Nobody waits longer than this for an answer. */
const mostMs = 60_000;

export class UpstreamChecks {
  private readonly options: UpstreamCheckOptions;
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly askedAt = new Map<string, number>();
  private readonly begunAt = new Map<string, number>();
  private readonly recoveredAt = new Map<string, number>();
  /** The monitors whose outage ended, and whose dependents were not checked since. */
  private readonly recovered = new Set<string>();

  constructor(options: UpstreamCheckOptions) {
    this.options = options;
    // Every question under way listens to the one signal; Node takes more than ten for a leak.
    setMaxListeners(0, options.signal);
  }

  /** When a monitor was last asked for, epoch ms; null: not since the start. */
  readonly lastAt = (id: string): number | null => this.askedAt.get(id) ?? null;

  /**
   * When the last check of a monitor was asked for that has ended, or nobody waited for it any longer: then. Epoch ms; null:
   * there was none since the start.
   */
  readonly lastBegunAt = (id: string): number | null => this.begunAt.get(id) ?? null;

  /** When the last outage of a monitor ended, on the clock as it is set now, epoch ms; null: none has since the start. */
  readonly lastRecoveryAt = (id: string): number | null => this.recoveredAt.get(id) ?? null;

  /** `at`: epoch ms, as recorded; a record does not move when the clock is set. */
  noteRecovery(id: string, at: number | null): void {
    this.recovered.add(id);
    if (at !== null) this.recoveredAt.set(id, Math.min(at, this.options.clock.now()));
  }

  /** The monitors that recovered since the last call. */
  takeRecovered(): readonly string[] {
    const taken = [...this.recovered];
    this.recovered.clear();
    return taken;
  }

  /** The clock was set. */
  shift(move: Move): void {
    for (const known of [this.askedAt, this.begunAt, this.recoveredAt])
      for (const [id, at] of known) known.set(id, move(at));
  }

  /** Resolves when each has been checked, or took too long; at `untilAt` (epoch ms) in any case. Never rejects. */
  async ask(ids: readonly string[], untilAt: number): Promise<void> {
    const { clock } = this.options;
    const fresh = ids.filter((id) => !this.underWay.has(id));
    if (fresh.length > 0) {
      const asking = this.checked(fresh);
      for (const id of fresh) this.underWay.set(id, asking);
    }
    const answered = Promise.all(ids.map((id) => this.underWay.get(id) ?? Promise.resolve()));
    await this.within(Math.min(untilAt - clock.now(), mostMs), answered);
    for (const id of ids) {
      this.askedAt.set(id, clock.now());
      if (this.underWay.has(id)) this.begunAt.set(id, clock.now());
    }
  }

  private async checked(ids: readonly string[]): Promise<void> {
    const { check, clock } = this.options;
    const begunMs = clock.monotonic();
    await this.within(
      mostMs,
      check(ids).catch(() => undefined),
    );
    for (const id of ids) {
      this.underWay.delete(id);
      this.askedAt.set(id, clock.now());
      // The clock may have been set meanwhile.
      this.begunAt.set(id, clock.now() - (clock.monotonic() - begunMs));
    }
  }

  /** Resolves with `answered`, after `ms`, or when everything stops. */
  private async within(ms: number, answered: Promise<unknown>): Promise<void> {
    const { clock, signal } = this.options;
    const patience = new AbortController();
    const giveUp = () => {
      patience.abort(new Error('stopped'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    await Promise.race([answered, clock.sleep(ms, patience.signal).catch(() => undefined)]);
    signal.removeEventListener('abort', giveUp);
    patience.abort(new Error('answered'));
  }
}
