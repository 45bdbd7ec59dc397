/** The incidents that a monitor's samples amount to, as operations in the order things happened. */
import { createHash } from 'node:crypto';
import type { Operation } from '../../src/db/operation.ts';
import { incidents } from '../../src/db/topics/incidents.ts';
import type { SeedMonitor } from './monitor.ts';
import type { SeedSample } from './series.ts';

export class IncidentLog {
  readonly #monitor: SeedMonitor;
  readonly #seed: number;
  #failedSince: SeedSample | null = null;
  #failures = 0;
  #healthy = 0;
  #openUid: string | null = null;

  constructor(monitor: SeedMonitor, seed: number) {
    this.#monitor = monitor;
    this.#seed = seed;
  }

  /** What these samples, which follow those before, open and close. */
  follow(samples: readonly SeedSample[]): Operation[] {
    return samples.flatMap((sample) => {
      if (sample.status === 'unknown') return [];
      return sample.status === 'down' ? this.#failed(sample) : this.#passed(sample);
    });
  }

  #failed(sample: SeedSample): Operation[] {
    this.#healthy = 0;
    this.#failures += 1;
    if (this.#failures === 1) this.#failedSince = sample;
    const first = this.#failedSince;
    if (this.#openUid !== null || this.#failures < this.#monitor.failThreshold || first === null) return [];
    const { id, name, kind } = this.#monitor;
    this.#openUid = createHash('sha256')
      .update(`${this.#seed} ${id} ${first.at}`)
      .digest('base64url')
      .slice(0, 16);
    const { failure, upstream = null, impacted = [] } = sample.outage ?? {};
    const hasSnapshot = failure?.isAnswered === true && kind === 'http';
    return [
      incidents.open({
        uid: this.#openUid,
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
    this.#healthy += 1;
    if (this.#openUid === null || this.#healthy < this.#monitor.recoverThreshold) return [];
    const closed = incidents.close({ uid: this.#openUid, endedAt: sample.at });
    this.#openUid = null;
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
