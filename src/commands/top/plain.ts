/** Prints the current state in lines of plain text, then each change. */
import type { Writable } from 'node:stream';
import type { Clock } from '../../engine/core/clock.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { noDaemonText } from '../../tui/headline.ts';
import type { DaemonState, Model } from '../../tui/model.ts';
import { plainChanges } from '../../tui/view/plain.ts';
import { startReading } from './reading.ts';
import type { SummarySource } from './source.ts';

export interface PlainOptions {
  readonly source: Pick<SummarySource, 'read' | 'patienceMs' | 'follow' | 'daemon'>;
  readonly stdout: Writable;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly cpuMs: () => number;
  /** What was shown first. */
  readonly first: Model;
  /** Whether a daemon ran then. */
  readonly daemon: DaemonState;
  readonly interrupt: AbortSignal;
}

/** Goes on until it is interrupted; rejects with why. */
export async function printChanges(options: PlainOptions): Promise<never> {
  const { stdout, source, clock, intervalMs, cpuMs, interrupt } = options;
  let { summary } = options.first;
  let trouble: string | null = null;
  let { daemon } = options;
  const lookForDaemon = async (model: Model) => {
    const before = daemon;
    daemon = await source.daemon();
    if (daemon === before) return;
    if (daemon === 'gone') stdout.write(`${noDaemonText(model, clock.now())}\n`);
    else if (before === 'gone') stdout.write('a daemon runs again\n');
  };
  const { ended } = startReading({
    source,
    clock,
    intervalMs,
    cpuMs,
    signal: interrupt,
    onRead: (model) => {
      const changes = plainChanges(summary, model.summary);
      if (trouble !== null) changes.unshift('it can be read again');
      for (const change of changes) stdout.write(`${change}\n`);
      summary = model.summary;
      trouble = null;
      void lookForDaemon(model);
    },
    onFailed: (text) => {
      if (text !== trouble) stdout.write(`${cleanLine(text)}\n`);
      trouble = text;
    },
  });
  await ended;
  throw interrupt.reason;
}
