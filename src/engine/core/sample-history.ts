/** The samples of one monitor over a long time, in columns: millions of them are walked more than once. */
import type { Status } from './status.ts';
import type { ConfirmSample } from './sample.ts';

/** What was found at each instant, oldest first. The columns are of one length. */
export interface SampleHistory {
  /** Epoch ms. */
  readonly ats: Float64Array;
  /** NaN where nothing was measured. */
  readonly latencies: Float64Array;
  readonly marks: Uint8Array;
}

/** A stretch of time in epoch ms; `toAt` is not in it. */
export interface TimeSpan {
  readonly fromAt: number;
  readonly toAt: number;
}

/** What a sample says, but for its latency: an `answered` one is slow or healthy by the limit it is held against. */
export const marks = { answered: 0, warned: 1, failed: 2, unknown: 3, late: 4, missed: 5 } as const;
export type Mark = (typeof marks)[keyof typeof marks];

/** A sample as it was stored. */
export interface RecordedSample {
  readonly at: number;
  /** By the limits of its day, before any threshold. */
  readonly status: Status;
  readonly latencyMs: number | null;
  readonly isHeartbeat: boolean;
}

/** Collects stored samples, oldest first, into columns. */
export class HistoryBuilder {
  private readonly isPush: boolean;
  private columns = emptyColumns(1024);
  private length = 0;
  private isWarning = false;

  /** `isPush`: what is no heartbeat is the silence between two. */
  constructor({ isPush }: { readonly isPush: boolean }) {
    this.isPush = isPush;
  }

  /** `hasReason`: one was stored with this very sample. What is slow has none, what warns of itself has. */
  add(sample: RecordedSample, hasReason: boolean): void {
    if (this.isCountedBack(sample)) return;
    if (this.length === this.columns.ats.length) this.columns = resized(this.columns, this.length * 4);
    const { ats, latencies } = this.columns;
    ats[this.length] = sample.at;
    latencies[this.length] = sample.latencyMs ?? Number.NaN;
    this.columns.marks[this.length] = this.markOf(sample, hasReason);
    this.length += 1;
  }

  /** What was added so far. Nothing may be added after that. */
  finish(): SampleHistory {
    return shortened(this.columns, this.length);
  }

  /** Silence that was judged later, and counts from when the heartbeat was late: no judgement of that instant. */
  private isCountedBack({ at, status, isHeartbeat }: RecordedSample): boolean {
    const last = this.length - 1;
    return (
      this.isPush &&
      !isHeartbeat &&
      status === 'down' &&
      this.columns.ats[last] === at &&
      this.columns.marks[last] === marks.late
    );
  }

  private markOf({ status, latencyMs, isHeartbeat }: RecordedSample, hasReason: boolean): Mark {
    const isSilence = this.isPush && !isHeartbeat;
    // A reason that stays the same is stored once, so it holds until something else is seen.
    this.isWarning = status === 'degraded' && (this.isWarning || hasReason);
    switch (status) {
      case 'up':
        return marks.answered;
      case 'degraded':
        if (isSilence) return marks.late;
        return latencyMs === null || this.isWarning ? marks.warned : marks.answered;
      case 'down':
        return isSilence ? marks.missed : marks.failed;
      case 'unknown':
        return marks.unknown;
    }
  }
}

/** The sample at `index`, as confirming takes it. `graceMs`: how long a heartbeat may be late. */
export function sampleAt(
  { ats, latencies, marks: found }: SampleHistory,
  index: number,
  graceMs: number,
): ConfirmSample {
  const at = ats[index] ?? 0;
  const latency = latencies[index] ?? Number.NaN;
  const latencyMs = Number.isNaN(latency) ? null : latency;
  const mark = (found[index] ?? marks.unknown) as Mark;
  switch (mark) {
    case marks.answered:
      return { kind: 'check', at, outcome: 'healthy', latencyMs };
    case marks.warned:
      return { kind: 'check', at, outcome: 'degraded', latencyMs };
    case marks.failed:
      return { kind: 'check', at, outcome: 'failed', latencyMs };
    case marks.late:
      return { kind: 'late', at, dueAt: at };
    case marks.missed:
      return { kind: 'missed', at, dueAt: at - graceMs };
    case marks.unknown:
      return { kind: 'check', at, outcome: 'unknown', latencyMs };
  }
}

/** The history without what lies in any of `spans`, and how many samples that were. */
export function leaveOut(
  history: SampleHistory,
  spans: readonly TimeSpan[],
): { readonly history: SampleHistory; readonly leftOut: number } {
  if (spans.length === 0) return { history, leftOut: 0 };
  const { length } = history.ats;
  const columns = emptyColumns(length);
  let kept = 0;
  for (let index = 0; index < length; index++) {
    const at = history.ats[index] ?? 0;
    if (spans.some(({ fromAt, toAt }) => fromAt <= at && at < toAt)) continue;
    columns.ats[kept] = at;
    columns.latencies[kept] = history.latencies[index] ?? Number.NaN;
    columns.marks[kept] = history.marks[index] ?? marks.unknown;
    kept += 1;
  }
  return kept === length
    ? { history, leftOut: 0 }
    : { history: shortened(columns, kept), leftOut: length - kept };
}

/** How long the samples spoke for the monitor, in ms: each until the next, for at most `holdMs`. */
export function watchedMs({ ats }: SampleHistory, holdMs: number): number {
  let sum = 0;
  for (let index = 0; index < ats.length; index++) {
    const next = ats[index + 1];
    sum += next === undefined ? 0 : Math.min(holdMs, Math.max(0, next - (ats[index] ?? 0)));
  }
  return sum;
}

function emptyColumns(length: number): SampleHistory {
  return {
    ats: new Float64Array(length),
    latencies: new Float64Array(length),
    marks: new Uint8Array(length),
  };
}

function resized(columns: SampleHistory, length: number): SampleHistory {
  const { ats, latencies, marks: found } = emptyColumns(length);
  ats.set(columns.ats);
  latencies.set(columns.latencies);
  found.set(columns.marks);
  return { ats, latencies, marks: found };
}

/** The first `length` samples, in the memory of the columns. */
function shortened({ ats, latencies, marks: found }: SampleHistory, length: number): SampleHistory {
  return {
    ats: ats.subarray(0, length),
    latencies: latencies.subarray(0, length),
    marks: found.subarray(0, length),
  };
}
