/** What confirming makes of a monitor's samples: its incidents in the order they happened, its state in the end. */
import { createHash } from 'node:crypto';
import type { Operation } from '../../src/db/store/operation.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import {
  freshState,
  type OpenIncident,
  type MonitorState,
} from '../../src/engine/monitoring/confirm/state.ts';
import type { SeedMonitor } from './monitor.ts';
import type { SeedSample } from './series.ts';

export class IncidentLog {
  readonly #monitor: SeedMonitor;
  readonly #seed: number;
  #failedSince: SeedSample | null = null;
  #failures = 0;
  #healthy = 0;
  #open: (OpenIncident & { readonly uid: string }) | null = null;
  #lastKnown: SeedSample | null = null;
  #lastAnswer: SeedSample | null = null;

  constructor(monitor: SeedMonitor, seed: number) {
    this.#monitor = monitor;
    this.#seed = seed;
  }

  /** What these samples, which follow those before, open and close. */
  follow(samples: readonly SeedSample[]): Operation[] {
    return samples.flatMap((sample) => {
      if (sample.status === 'unknown') return [];
      this.#lastKnown = sample;
      return sample.status === 'down' ? this.#failed(sample) : this.#passed(sample);
    });
  }

  /** What the daemon would go on from; null: nothing was seen. */
  state(): MonitorState | null {
    const answer = this.#lastAnswer;
    if (this.#lastKnown === null) return null;
    const open = this.#open;
    const isSlow = answer?.status === 'degraded' && this.#failures === 0;
    return {
      ...freshState,
      status: open === null ? (answer?.status ?? 'unknown') : 'down',
      failures: this.#failedSince === null ? null : { count: this.#failures, sinceAt: this.#failedSince.at },
      recoveries: open === null ? 0 : this.#healthy,
      slow: isSlow ? { count: 1, sinceAt: answer.at } : null,
      incident: open && { startedAt: open.startedAt, confirmedAt: open.confirmedAt, isReattached: false },
      knownAt: this.#lastKnown.at,
    };
  }

  #failed(sample: SeedSample): Operation[] {
    this.#healthy = 0;
    this.#failures += 1;
    if (this.#failures === 1) this.#failedSince = sample;
    const first = this.#failedSince;
    if (this.#open !== null || this.#failures < this.#monitor.failThreshold || first === null) return [];
    const { id, name, kind } = this.#monitor;
    const uid = createHash('sha256')
      .update(`${this.#seed} ${id} ${first.at}`)
      .digest('base64url')
      .slice(0, 16);
    this.#open = { uid, startedAt: first.at, confirmedAt: sample.at };
    const { failure, upstream = null, impacted = [] } = sample.outage ?? {};
    const hasSnapshot = failure?.isAnswered === true && kind === 'http';
    return [
      incidents.open({
        uid,
        monitor: id,
        name,
        startedAt: first.at,
        confirmedAt: sample.at,
        category: failure?.category ?? null,
        reason: failure?.reason ?? null,
        cause: upstream,
        impacted,
        snapshot: hasSnapshot ? snapshotOf(failure.reason) : null,
        vantage: null,
      }),
    ];
  }

  #passed(sample: SeedSample): Operation[] {
    this.#failures = 0;
    this.#failedSince = null;
    this.#lastAnswer = sample;
    this.#healthy += 1;
    if (this.#open === null || this.#healthy < this.#monitor.recoverThreshold) return [];
    const closed = incidents.close({ uid: this.#open.uid, endedAt: sample.at });
    this.#open = null;
    return [closed];
  }
}

function snapshotOf(reason: string) {
  const status = /\d{3}/.exec(reason)?.[0] ?? '500';
  return {
    statusLine: `HTTP/1.1 ${status} ${status === '503' ? 'Service Unavailable' : 'Internal Server Error'}`,
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      ['retry-after', '30'],
    ] as const,
    body: '<html><head><title>Sorry</title></head><body><h1>We will be back soon</h1></body></html>',
  };
}
