/** Outputs as a configuration has them, on the real network, with metrics that are made up. */
import assert from 'node:assert/strict';
import type { OutputSettings } from '../../../src/engine/config/config.ts';
import type { Clock } from '../../../src/engine/core/clock.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { createResolver } from '../../../src/engine/net/resolve.ts';
import { createTrust } from '../../../src/engine/net/tls-trust.ts';
import type { OutputOptions } from '../../../src/notify/outputs/output.ts';
import { load } from '../../support/config.ts';
import { realClock } from '../../support/real-clock.ts';
import { measuredMonitor, readingOf } from './reading.ts';

/** When the metrics are read first, less one interval. */
const at = Date.UTC(2026, 5, 7, 12, 0, 0);

/** Intervals and pauses so many times as fast. */
export function hurriedBy(factor: number): Clock {
  return {
    ...realClock,
    monotonic: () => realClock.monotonic() * factor,
    sleep: (ms, signal) => realClock.sleep(ms / factor, signal),
  };
}

export interface OutputWorld {
  /** What outputs of this world are started with. */
  readonly context: Pick<OutputOptions, 'read' | 'clock' | 'log' | 'tools' | 'untilTrusted'>;
  readonly logged: readonly LogEntry[];
  readonly readings: () => number;
  /** One output, read every 5 s; `settings`: more lines of its table. */
  readonly configured: (type: string, url: string, settings?: string) => Promise<OutputSettings>;
}

interface WorldOptions {
  readonly clock?: Clock;
  /** Files that a configuration may name, by path. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** The secrets of the configuration that was loaded last are masked. */
export function openOutputWorld({ clock = hurriedBy(100), files = {} }: WorldOptions = {}): OutputWorld {
  const logged: LogEntry[] = [];
  let readings = 0;
  let redact: (text: string) => string = (text) => text;
  return {
    context: {
      read: () => {
        readings += 1;
        return Promise.resolve(readingOf([measuredMonitor()], at + readings * 5000));
      },
      clock,
      untilTrusted: () => Promise.resolve(),
      log: (entry) => logged.push(entry),
      tools: {
        clock: realClock,
        resolver: createResolver({ clock: realClock }),
        trust: createTrust({ env: {}, bundles: [] }),
        redact: (text) => redact(text),
        version: '1.2.3',
        execDir: null,
      },
    },
    logged,
    readings: () => readings,
    configured: async (type, url, settings = '') => {
      const loaded = await load(
        `[[monitors]]
id = "web"
target = "https://example.com"
[[outputs]]
type = "${type}"
url = "${url}"
interval_secs = 5
${settings}`,
        { files },
      );
      redact = loaded.redact;
      const [output] = loaded.config.outputs;
      assert.ok(output !== undefined);
      return output;
    },
  };
}
