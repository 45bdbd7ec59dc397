/** Samples side by side in columns, so that millions can be looked at without an object for each. */
import type { Status } from '../../engine/core/status.ts';
import { withRoom } from './column.ts';
import { type StoredSample, statusByCode, statusCodes } from './sample.ts';

/** What a sample is, in one number: the code of its status in the low bits, then these. */
export const kindBits = { status: 3, hasLatency: 4, isHeartbeat: 8 } as const;

export function kindOf(sample: StoredSample): number {
  return (
    statusCodes[sample.status] +
    (sample.latencyMs === null ? 0 : kindBits.hasLatency) +
    (sample.isHeartbeat ? kindBits.isHeartbeat : 0)
  );
}

/** The first `length` values of each column count; the memory behind them is used again. */
export class SampleColumns {
  length = 0;
  /** Epoch ms of whole seconds. */
  ats: Float64Array = new Float64Array(64);
  kinds: Float64Array = new Float64Array(64);
  /** NaN where nothing was measured. */
  latencies: Float64Array = new Float64Array(64);
  holds: Float64Array = new Float64Array(64);

  /** Takes these samples in place of what was there. */
  fill(samples: readonly StoredSample[]): void {
    this.length = 0;
    this.ats = withRoom(this.ats, samples.length);
    this.kinds = withRoom(this.kinds, samples.length);
    this.latencies = withRoom(this.latencies, samples.length);
    this.holds = withRoom(this.holds, samples.length);
    for (const sample of samples) {
      this.ats[this.length] = sample.at;
      this.kinds[this.length] = kindOf(sample);
      this.latencies[this.length] = sample.latencyMs ?? Number.NaN;
      this.holds[this.length] = sample.holdSecs;
      this.length += 1;
    }
  }

  statusOf(index: number): Status {
    return statusByCode[(this.kinds[index] ?? 0) & kindBits.status] ?? 'unknown';
  }

  latencyOf(index: number): number | null {
    const latencyMs = this.latencies[index] ?? Number.NaN;
    return Number.isNaN(latencyMs) ? null : latencyMs;
  }

  isHeartbeat(index: number): boolean {
    return ((this.kinds[index] ?? 0) & kindBits.isHeartbeat) !== 0;
  }

  sample(index: number): StoredSample {
    return {
      at: this.ats[index] ?? 0,
      status: this.statusOf(index),
      latencyMs: this.latencyOf(index),
      holdSecs: this.holds[index] ?? 0,
      isHeartbeat: this.isHeartbeat(index),
    };
  }
}
