/** All metrics, as families. */
import { type Status, statuses } from '../../core/status.ts';
import type { MetricFamily, MetricSample, NodeFamily } from './family.ts';
import { insideFamilies, type MeasuredInside } from './inside-families.ts';
import { type MetricLabels, labelsOf } from './labels.ts';

/** Upper bounds of the buckets of response times in seconds, inclusive; the last one has none. */
export const bucketSecs = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Checks of a monitor since the process began. */
export interface ProbeCounts {
  readonly results: Readonly<Record<Status, number>>;
  /** Answers that took up to each of `bucketSecs` and longer than the one before; longer ones last. */
  readonly buckets: readonly number[];
  readonly answered: number;
  readonly sumMs: number;
}

/** A monitor that exists for the reader. Null: nothing is known. */
export interface MeasuredMonitor {
  readonly id: string;
  /** Which monitor it is: `id`, `name` and `group`; the same object as long as these are the same. */
  readonly labels: MetricLabels;
  readonly status: Status;
  /** Of the last 24 hours, 0 to 1. */
  readonly uptime: number | null;
  /** Epoch ms. */
  readonly certExpiresAt: number | null;
  readonly isUnstable: boolean;
  readonly incidents: number;
  /** Null: it is pushed, not probed. */
  readonly probes: ProbeCounts | null;
}

/** Three points of a distribution, in milliseconds. */
export interface Spread {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface MeasuredNode {
  readonly version: string;
  readonly lateness: Spread;
  readonly loopLag: Spread;
}

const bounds = [
  ...bucketSecs.map((bound) => (Number.isInteger(bound) ? `${bound}.0` : String(bound))),
  '+Inf',
];

/** What samples of a monitor differ by, to be put behind its own labels. */
const ofStatus = statuses.map((status) => ({ status, extra: labelsOf({ status }) }));
const ofResult = statuses.map((result) => ({ result, extra: labelsOf({ result }) }));
const ofBound = bounds.map((le) => labelsOf({ le }));

/** A family with samples of every monitor. */
export interface MonitorFamily extends MetricFamily {
  readonly samplesOf: (monitor: MeasuredMonitor) => readonly MetricSample[];
}

export const monitorFamilies: readonly MonitorFamily[] = [
  {
    name: 'statusd_monitor_up',
    type: 'gauge',
    help: 'Whether the monitor is up or degraded (1) or down (0). Absent while nothing is known.',
    samplesOf: ({ labels, status }) =>
      status === 'unknown' ? [] : [{ labels, value: status === 'down' ? 0 : 1 }],
  },
  {
    name: 'statusd_monitor_status',
    type: 'gauge',
    help: 'Which status the monitor has: 1 for that one, 0 for the others.',
    samplesOf: (monitor) =>
      ofStatus.map(({ status, extra }) => ({
        labels: monitor.labels,
        extra,
        value: status === monitor.status ? 1 : 0,
      })),
  },
  {
    name: 'statusd_monitor_unstable',
    type: 'gauge',
    help: 'Whether the monitor is unstable (1): it goes down and comes back again and again.',
    samplesOf: ({ labels, isUnstable }) => [{ labels, value: isUnstable ? 1 : 0 }],
  },
  {
    name: 'statusd_monitor_uptime_ratio',
    type: 'gauge',
    help: 'The share of the last 24 hours that the monitor was up or degraded. Absent without data.',
    samplesOf: ({ labels, uptime }) => (uptime === null ? [] : [{ labels, value: uptime }]),
  },
  {
    name: 'statusd_cert_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the certificate of the monitor expires, as a Unix timestamp.',
    samplesOf: ({ labels, certExpiresAt }) =>
      certExpiresAt === null ? [] : [{ labels, value: certExpiresAt / 1000 }],
  },
  {
    name: 'statusd_incidents',
    type: 'counter',
    help: 'Incidents of the monitor, ever.',
    samplesOf: ({ labels, incidents }) => [{ labels, value: incidents }],
  },
  {
    name: 'statusd_probes',
    type: 'counter',
    help: 'Checks since the process began, by the status they saw. A check with its retries counts once.',
    samplesOf: ({ labels, probes }) =>
      probes === null
        ? []
        : ofResult.map(({ result, extra }) => ({ labels, extra, value: probes.results[result] })),
  },
  {
    name: 'statusd_probe_duration_seconds',
    type: 'histogram',
    help: 'How long checks took that got an answer, since the process began.',
    samplesOf: ({ labels, probes }) => (probes === null ? [] : durations(labels, probes)),
  },
];

/** The families of the process as a whole. `inside` null: they are for the public. */
export function nodeFamilies(node: MeasuredNode, inside: MeasuredInside | null): readonly NodeFamily[] {
  return [
    {
      name: 'statusd_scheduler_lateness_seconds',
      type: 'summary',
      help: 'How late the last 1,000 checks began.',
      samples: spreadSamples(node.lateness),
    },
    {
      name: 'statusd_event_loop_lag_seconds',
      type: 'summary',
      help: 'How long the event loop kept others waiting, in the last whole minute.',
      samples: spreadSamples(node.loopLag),
    },
    ...(inside === null ? [] : insideFamilies(inside)),
    {
      name: 'statusd_build',
      type: 'info',
      help: 'The version that runs.',
      samples: [{ labels: labelsOf({ version: node.version }), value: 1 }],
    },
  ];
}

/** Counts up to each bound, then the sum and the count of all. */
function durations(labels: MetricLabels, { buckets, answered, sumMs }: ProbeCounts): readonly MetricSample[] {
  let upTo = 0;
  const upToBounds = ofBound.map((extra, index): MetricSample => {
    upTo += buckets[index] ?? 0;
    return { suffix: '_bucket', labels, extra, value: upTo };
  });
  return [
    ...upToBounds,
    { suffix: '_sum', labels, value: sumMs / 1000 },
    { suffix: '_count', labels, value: answered },
  ];
}

function spreadSamples({ p50Ms, p99Ms, maxMs }: Spread): readonly MetricSample[] {
  const points = [
    ['0.5', p50Ms],
    ['0.99', p99Ms],
    ['1.0', maxMs],
  ] as const;
  return points.map(([quantile, ms]) => ({ labels: labelsOf({ quantile }), value: ms / 1000 }));
}

/** All that is measured, as of one instant. */
export interface MetricReading {
  /** Epoch ms. */
  readonly at: number;
  readonly monitors: readonly MeasuredMonitor[];
  readonly node: readonly NodeFamily[];
}
