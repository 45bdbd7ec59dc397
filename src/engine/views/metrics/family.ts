/** What a family of metrics consists of, and the names of its series. */
import type { MetricLabels } from './labels.ts';

/** One value. */
export interface MetricSample {
  /** Stands after the name of the family. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: MetricLabels;
  /** What stands behind them. */
  readonly extra?: MetricLabels;
  readonly value: number;
}

/** What the samples of one name have in common. */
export interface MetricFamily {
  /** Without `_total` and `_info`, which the type adds. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram' | 'summary' | 'info';
  readonly help: string;
}

const endings = { gauge: '', counter: '_total', histogram: '', summary: '', info: '_info' } as const;

/** The name of a series as Prometheus has it: `statusd_probes_total`. */
export function seriesName({ name, type }: MetricFamily, suffix: MetricSample['suffix']): string {
  return `${name}${suffix ?? endings[type]}`;
}

export interface NodeFamily extends MetricFamily {
  readonly samples: readonly MetricSample[];
}
