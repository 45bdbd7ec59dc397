/** Measures from outside how long a daemon keeps its own event loop waiting, and how long it waits for a processor. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Reading {
  /** The longest turn of the event loop since the last reading, without the time in which others had the processor. */
  readonly stallMs: number;
  /** The processor time of all threads since the last reading. */
  readonly cpuMs: number;
}

/** Runs in the daemon: a beat every millisecond, which comes late by as much as a turn is long. */
const source = `
  import { readFileSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread && process.send) {
    const waitedMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
    const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    let last = [performance.now(), waitedMs()];
    let longest = 0;
    let used = usedMs();
    const beat = () => {
      const next = [performance.now(), waitedMs()];
      longest = Math.max(longest, next[0] - last[0] - (next[1] - last[1]) - 1);
      last = next;
    };
    setInterval(beat, 1).unref();
    process.on('message', () => {
      beat();
      process.send({ stallMs: longest, cpuMs: usedMs() - used });
      longest = 0;
      used = usedMs();
    });
    process.channel.unref();
  }
`;

/** What node is started with for it. The child needs a channel. */
export const meterArguments = ['--import', `data:text/javascript,${encodeURIComponent(source)}`] as const;

export async function readMeter(child: ChildProcess): Promise<Reading> {
  child.send('read');
  const [reading] = (await once(child, 'message')) as [Reading];
  return reading;
}

/** How long the main thread of a process has waited for a processor so far, in ms. */
export function waitedMs({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid ?? 0}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}
