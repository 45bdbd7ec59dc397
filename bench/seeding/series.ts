/** The samples of one monitor in a made-up history: a daily rhythm, noise, spikes, and what its episodes do to it. */
import type { StoredSample } from '../../src/db/samples/sample.ts';
import type { Chance } from './chance.ts';
import type { Episode, Span } from './episodes.ts';
import type { SeedMonitor } from './monitor.ts';
import { Timeline } from './timeline.ts';

/** A sample, and the outage it fell into. */
export interface SeedSample extends StoredSample {
  readonly outage: (Episode & { kind: 'outage' }) | null;
}

export interface Circumstances {
  readonly episodes: readonly Episode[];
  /** Nothing is checked within these. */
  readonly gaps: readonly Span[];
  readonly chance: Chance;
  readonly fromSecs: number;
}

export class Series {
  readonly #monitor: SeedMonitor;
  readonly #chance: Chance;
  readonly #episodes: Timeline<Episode>;
  readonly #gaps: Timeline<Span>;
  readonly #rhythm: {
    readonly baseMs: number;
    readonly swing: number;
    readonly peakHour: number;
    readonly noise: number;
  };
  #dueSecs: number;
  #lastSecs: number;

  constructor(monitor: SeedMonitor, { episodes, gaps, chance, fromSecs }: Circumstances) {
    this.#monitor = monitor;
    this.#chance = chance;
    this.#episodes = new Timeline(episodes);
    this.#gaps = new Timeline(gaps);
    this.#rhythm = {
      baseMs: 12 * 25 ** chance.share(),
      swing: chance.between(0.1, 0.4),
      peakHour: chance.between(9, 20),
      noise: chance.between(0.05, 0.16),
    };
    this.#dueSecs = monitor.next(fromSecs - 1);
    this.#lastSecs = fromSecs - 1;
  }

  /** The samples before `toSecs` that were not taken yet, oldest first. */
  take(toSecs: number): SeedSample[] {
    const taken: SeedSample[] = [];
    for (; this.#dueSecs < toSecs; this.#dueSecs = this.#monitor.next(this.#dueSecs)) {
      const secs = Math.max(this.#lastSecs + 1, this.#dueSecs + this.#lateness());
      if (secs >= toSecs) break;
      if (this.#gaps.at(secs).length > 0) continue;
      this.#lastSecs = secs;
      taken.push(this.#sample(secs));
    }
    return taken;
  }

  /** A check starts a second later once in a while, a heartbeat comes when it comes. */
  #lateness(): number {
    if (this.#monitor.kind === 'push') return Math.floor(this.#chance.between(0, 4));
    return this.#chance.once(0.01) ? 1 : 0;
  }

  #sample(secs: number): SeedSample {
    const now = this.#episodes.at(secs);
    const outage = now.find((episode) => episode.kind === 'outage') ?? null;
    const isUnknown = outage === null && now.some((episode) => episode.kind === 'unknown');
    const slow = now.find((episode) => episode.kind === 'slow');
    const isMute = isUnknown || outage?.failure.isAnswered === false;
    const latencyMs = isMute ? null : this.#latency(secs, outage === null ? (slow?.factor ?? 1) : 0.4);
    const { holdSecs, kind, degradedOverMs } = this.#monitor;
    const isSlow = degradedOverMs !== null && latencyMs !== null && latencyMs > degradedOverMs;
    const whole = isSlow ? 'degraded' : 'up';
    return {
      at: secs * 1000,
      status: outage !== null ? 'down' : isUnknown ? 'unknown' : whole,
      latencyMs,
      holdSecs,
      isHeartbeat: kind === 'push',
      outage,
    };
  }

  #latency(secs: number, factor: number): number {
    const { baseMs, swing, peakHour, noise } = this.#rhythm;
    const dayTime = 1 + swing * Math.cos(((secs / 3600 - peakHour) / 12) * Math.PI);
    const spike = this.#chance.once(0.006) ? this.#chance.between(2, 9) : 1;
    return Math.max(
      1,
      Math.round(baseMs * dayTime * factor * spike * Math.exp(noise * this.#chance.normal())),
    );
  }
}
