/** One output: reads the metrics at its interval, and sends each reading as soon as the receiver accepts it. */
import type { OutputSettings } from '../../engine/config/config.ts';
import { durationText } from '../../engine/core/duration.ts';
import type { Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import { paced } from '../../engine/core/yielding.ts';
import type { MetricReading } from '../../engine/views/metrics/families.ts';
import type { OutputCounts } from '../../engine/views/metrics/inside-families.ts';
import type { SendContext } from '../channels/channel.ts';
import type { EncodedBatch, OutputFormat } from './format.ts';
import { otlp } from './otlp.ts';
import { BatchQueue } from './queue.ts';
import { remoteWrite } from './remote-write.ts';
import { sendBatch, type SendOutcome } from './send.ts';
import { counted } from '../../engine/core/words.ts';

export interface OutputOptions {
  readonly output: OutputSettings;
  /** All metrics as of now. */
  readonly read: () => Promise<MetricReading>;
  readonly clock: Clock;
  readonly log: Log;
  /** What requests are made with. */
  readonly tools: Omit<SendContext, 'signal'>;
  /** What an output of the same name and type had waiting. */
  readonly inherited?: BatchQueue | undefined;
  readonly mostBytes?: number;
  /** Resolves when something may be sent, or `signal` is aborted: another node may lead by now. */
  readonly untilTrusted: (signal: AbortSignal) => Promise<void>;
}

export interface RunningOutput {
  readonly counts: () => OutputCounts;
  /** Ends it; answers what still waits. */
  readonly stop: () => Promise<BatchQueue>;
}

/** What may wait, in memory. */
const mostQueuedBytes = 64 * 1024 * 1024;

/** What has just begun has other things to do. */
const firstReadMs = 1000;

const [firstPauseMs, longestPauseMs] = [1000, 60_000];

/** A receiver that asks for more has perhaps lost count. */
const longestRetryAfterMs = 600_000;

/** An episode of failures, or of warnings, is over when none comes for so long. */
const calmMs = 60_000;

export function formatOf(output: OutputSettings, version: string): OutputFormat {
  switch (output.type) {
    case 'remote_write':
      return remoteWrite(output.labels);
    case 'otlp':
      return otlp({ attributes: output.labels, version });
  }
}

export function startOutput(options: OutputOptions): RunningOutput {
  const { output, tools } = options;
  const sender = new OutputSender(options, formatOf(output, tools.version));
  const running = Promise.all([sender.readOnAndOn(), sender.sendOnAndOn()]);
  return {
    counts: () => sender.counts(),
    stop: async () => {
      sender.stopping.abort(new Error('the output is stopping'));
      await running;
      return sender.queue;
    },
  };
}

interface Episode {
  readonly sinceMs: number;
  lastMs: number;
  /** Samples that were lost in it. */
  lost: number;
}

class OutputSender {
  readonly stopping = new AbortController();
  readonly queue: BatchQueue;
  private readonly options: OutputOptions;
  private readonly format: OutputFormat;
  private readonly total = { sent: 0, failed: 0, dropped: 0 };
  private sending: EncodedBatch | null = null;
  private wake: () => void = () => undefined;
  private episode: Episode | null = null;
  /** When the receiver warned last about samples that it took. */
  private warnedMs: number | null = null;

  constructor(options: OutputOptions, format: OutputFormat) {
    this.options = options;
    this.format = format;
    this.queue = options.inherited ?? new BatchQueue(options.mostBytes ?? mostQueuedBytes);
    this.stopping.signal.addEventListener('abort', () => {
      this.wake();
    });
  }

  counts(): OutputCounts {
    const queued = this.queue.samples + (this.sending?.samples ?? 0);
    return { output: this.options.output.name, ...this.total, queued };
  }

  /** At the beats of the interval, so that samples are evenly apart; a beat that is missed is left out. */
  async readOnAndOn(): Promise<void> {
    const { clock, output, log, tools } = this.options;
    const everyMs = output.interval_secs * 1000;
    for (let dueMs = clock.monotonic() + firstReadMs; ; ) {
      if (!(await this.pause(dueMs - clock.monotonic()))) return;
      try {
        await this.read();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        const why = error instanceof Error ? error.message : String(error);
        const message = `output ${output.name}: the metrics could not be read: ${tools.redact(why)}`;
        log({ level: 'error', event: 'output.fault', message, fields: { output: output.name } });
      }
      dueMs += everyMs * Math.max(1, Math.ceil((clock.monotonic() - dueMs) / everyMs));
    }
  }

  async sendOnAndOn(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.sending = this.queue.take() ?? null;
      if (this.sending === null) await this.nextBatch();
      else if (!(await this.deliver(this.sending))) this.queue.putBack(this.sending);
    }
    this.sending = null;
  }

  private async read(): Promise<void> {
    const { clock } = this.options;
    const yieldTurn = paced(clock.monotonic);
    for (const batch of this.format.encode(await this.options.read())) {
      this.stopping.signal.throwIfAborted();
      if (batch !== null) {
        const body = (await this.format.pack?.(batch.body)) ?? batch.body;
        const dropped = this.queue.add({ ...batch, body });
        this.total.dropped += dropped;
        if (dropped > 0) this.note('the receiver takes less than there is', dropped);
        this.wake();
      }
      await yieldTurn();
    }
  }

  /** Until it is taken or refused. False: this is to end. */
  private async deliver(batch: EncodedBatch): Promise<boolean> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const outcome = await this.attempt(batch);
      if (outcome === null) return false;
      if (outcome.kind === 'sent') {
        this.total.sent += batch.samples;
        if (outcome.warning !== null) this.logWarning(outcome.warning);
        this.calm();
        return true;
      }
      if (outcome.kind === 'partly') {
        const rejected = Math.min(outcome.rejected, batch.samples);
        this.total.sent += batch.samples - rejected;
        this.total.failed += rejected;
        this.note(outcome.why, rejected);
        return true;
      }
      if (outcome.kind === 'refused') {
        this.total.failed += batch.samples;
        this.note(outcome.why, batch.samples);
        return true;
      }
      this.note(outcome.why, 0);
      const askedMs = Math.min(outcome.retryAfterMs ?? 0, longestRetryAfterMs);
      if (!(await this.pause(Math.max(pauseMs, askedMs)))) return false;
    }
  }

  /** Null: it was called off. */
  private async attempt({ body }: EncodedBatch): Promise<SendOutcome | null> {
    const { output, tools, untilTrusted } = this.options;
    const { signal } = this.stopping;
    try {
      await untilTrusted(signal);
      return await sendBatch({ output, format: this.format, body }, { ...tools, signal });
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** One line for all that goes wrong until it is over. */
  private note(why: string, lost: number): void {
    const { clock, log, output } = this.options;
    const nowMs = clock.monotonic();
    if (this.episode === null) {
      this.episode = { sinceMs: nowMs, lastMs: nowMs, lost: 0 };
      const after = lost > 0 ? 'samples are lost' : 'samples wait, and it is tried again';
      log({
        level: 'warning',
        event: 'output.failing',
        message: `output ${output.name}: ${why}; ${after}`,
        fields: { output: output.name },
      });
    }
    this.episode.lastMs = nowMs;
    this.episode.lost += lost;
  }

  /** One line for all warnings until none comes for a while. */
  private logWarning(warning: string): void {
    const { clock, log, output } = this.options;
    const nowMs = clock.monotonic();
    const lastMs = this.warnedMs ?? -Infinity;
    this.warnedMs = nowMs;
    if (nowMs - lastMs < Math.max(calmMs, 2 * output.interval_secs * 1000)) return;
    const message = `output ${output.name}: ${warning}; all samples were taken`;
    log({ level: 'warning', event: 'output.warning', message, fields: { output: output.name } });
  }

  private calm(): void {
    const { clock, log, output } = this.options;
    const nowMs = clock.monotonic();
    if (this.episode === null || nowMs - this.episode.lastMs < calmMs) return;
    const { sinceMs, lost } = this.episode;
    this.episode = null;
    const loss = lost === 0 ? 'nothing was lost' : `${counted(lost, 'sample was', 'samples were')} lost`;
    log({
      level: 'info',
      event: 'output.recovered',
      message: `output ${output.name}: the receiver accepts samples again after ${durationText(nowMs - sinceMs)}; ${loss}`,
      fields: { output: output.name, lost },
    });
  }

  private nextBatch(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** False: this is to end. */
  private async pause(ms: number): Promise<boolean> {
    await this.options.clock.sleep(ms, this.stopping.signal).catch(() => undefined);
    return !this.stopping.signal.aborted;
  }
}
