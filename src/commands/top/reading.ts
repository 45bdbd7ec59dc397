/** Reads a source repeatedly: at its interval, and when something changed. */
import type { Clock } from '../../engine/core/clock.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Model } from '../../tui/model.ts';
import type { SummarySource } from './source.ts';

export interface ReadingOptions {
  readonly source: Pick<SummarySource, 'read' | 'patienceMs' | 'follow'>;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** What this process has taken of processors so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onRead: (model: Model) => void;
  /** What was wrong with a reading; the next one is tried all the same. */
  readonly onFailed: (trouble: string) => void;
}

export interface SummaryPoller {
  /** Reads again soon. */
  readonly hurry: () => void;
  /** Resolves when it has ended; rejects with what is no named error. */
  readonly ended: Promise<void>;
}

/** Of the time, so much at most goes into reading: 1,000 monitors take longer to read than their figures take to change. */
const mostShare = 0.005;

/** What happens together is read together. */
const gatherMs = 200;

export function startReading(options: ReadingOptions): SummaryPoller {
  const { source, clock, signal } = options;
  let wake = new AbortController();
  let costMs = 0;
  const hurry = () => {
    wake.abort();
  };
  const unfollow = source.follow(hurry);
  const rest = async () => {
    await slept(
      clock,
      Math.max(options.intervalMs, costMs / mostShare, source.patienceMs()),
      AbortSignal.any([signal, wake.signal]),
    );
    wake = new AbortController();
    if (!signal.aborted) await slept(clock, Math.max(gatherMs, source.patienceMs()), signal);
  };
  const run = async () => {
    try {
      for (;;) {
        await rest();
        if (signal.aborted) return;
        const beforeMs = options.cpuMs();
        await readOnce(options);
        costMs = options.cpuMs() - beforeMs;
      }
    } finally {
      unfollow();
    }
  };
  return { hurry, ended: run() };
}

async function readOnce({ source, onRead, onFailed }: ReadingOptions): Promise<void> {
  try {
    onRead(await source.read());
  } catch (error) {
    if (!(error instanceof StatusdError)) throw error;
    onFailed(error.message);
  }
}

/** Resolves after the time, or earlier when `signal` is aborted. */
async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined);
}
