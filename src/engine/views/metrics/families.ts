/** What there is to measure, as families of metrics. */
import type { DecisionVerdict, ReasonWord } from '../../alerting/reasons.ts';
import type { PeerStatus } from '../../peers/rules/state.ts';
import { type Status, statuses } from '../../core/status.ts';
import { type MetricLabels, labelsOf, noLabels } from './labels.ts';

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

/** What shows private monitors and channels, so that it needs the access token. */
export interface MeasuredInside {
  readonly notifications: readonly {
    readonly channel: string;
    readonly outcome: string;
    readonly count: number;
  }[];
  readonly decisions: readonly DecisionTotal[];
  readonly open: { readonly acknowledged: number; readonly others: number };
  readonly databaseBytes: number;
  readonly peers: readonly MeasuredPeer[];
  readonly outputs: readonly OutputCounts[];
}

/** What became of the samples that an output was given, since the process began. */
export interface OutputCounts {
  /** The name of the output. */
  readonly output: string;
  readonly sent: number;
  /** Refused by the receiver. */
  readonly failed: number;
  /** Given up because the queue was full. */
  readonly dropped: number;
  /** Waiting to be sent. */
  readonly queued: number;
}

/** How often the same was decided about an alert for the same reason, ever. */
interface DecisionTotal {
  readonly verdict: string;
  readonly reason: string;
  readonly count: number;
}

interface MeasuredPeer {
  readonly id: string;
  readonly name: string;
  readonly state: PeerStatus;
  /** Seconds since its last heartbeat; null: none received. */
  readonly age: number | null;
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

export interface NodeFamily extends MetricFamily {
  readonly samples: readonly MetricSample[];
}

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

/** Why a channel joins an outage that is open. */
const addedLater = ['escalated', 'handed_over', 'last_resort'] as const satisfies readonly ReasonWord[];

const decisionWords: Readonly<Record<string, string>> = {
  queued: 'queued',
  held: 'held',
  told: 'sent',
  spared: 'suppressed',
  undelivered: 'failed',
} satisfies Record<DecisionVerdict, string>;

function insideFamilies({
  notifications,
  decisions,
  open,
  databaseBytes,
  peers,
  outputs,
}: MeasuredInside): readonly NodeFamily[] {
  return [
    {
      name: 'statusd_notifications',
      type: 'counter',
      help: 'How messages to each channel ended, ever.',
      samples: notifications.map(({ channel, outcome, count }) => ({
        labels: labelsOf({ channel, outcome }),
        value: count,
      })),
    },
    {
      name: 'statusd_alerts_suppressed',
      type: 'counter',
      help: 'Suppressed messages, ever, by reason.',
      samples: decisions.flatMap(({ verdict, reason, count }) =>
        verdict === 'spared' ? [{ labels: labelsOf({ reason }), value: count }] : [],
      ),
    },
    {
      name: 'statusd_alerts_escalated',
      type: 'counter',
      help: 'Messages about open outages to further channels, ever: by a step of an escalation, by a turn of a rotation that began (handed_over), or because nobody else could be notified (last_resort).',
      samples: addedLater.map((reason) => ({
        labels: labelsOf({ reason }),
        value: decisions.find((each) => each.verdict === 'queued' && each.reason === reason)?.count ?? 0,
      })),
    },
    {
      name: 'statusd_alert_decisions',
      type: 'counter',
      help: 'Decisions about alerts, ever, by what was decided and why; statusd explain says the reasons in words.',
      samples: decisions
        .map(({ verdict, reason, count }) => ({
          labels: labelsOf({ decision: decisionWords[verdict] ?? verdict, reason }),
          value: count,
        }))
        .sort((one, other) => (one.labels.text < other.labels.text ? -1 : 1)),
    },
    {
      name: 'statusd_incidents_open',
      type: 'gauge',
      help: 'Open incidents of monitors, by whether they are acknowledged.',
      samples: (['true', 'false'] as const).map((acknowledged) => ({
        labels: labelsOf({ acknowledged }),
        value: acknowledged === 'true' ? open.acknowledged : open.others,
      })),
    },
    {
      name: 'statusd_database_bytes',
      type: 'gauge',
      help: 'The size of the database.',
      samples: [{ labels: noLabels, value: databaseBytes }],
    },
    {
      name: 'statusd_peer_up',
      type: 'gauge',
      help: 'Whether the node sends heartbeats (1) or not (0). Absent while nothing is known.',
      samples: peers.flatMap(({ id, name, state }) =>
        state === 'unknown' ? [] : [{ labels: labelsOf({ id, name }), value: state === 'up' ? 1 : 0 }],
      ),
    },
    {
      name: 'statusd_peer_heartbeat_age_seconds',
      type: 'gauge',
      help: 'How long ago the node last sent a heartbeat. Absent when it never did.',
      samples: peers.flatMap(({ id, name, age }) =>
        age === null ? [] : [{ labels: labelsOf({ id, name }), value: age }],
      ),
    },
    {
      name: 'statusd_output_samples',
      type: 'counter',
      help: 'Samples for each output since the process began, by what became of them.',
      samples: outputs.flatMap(({ output, sent, failed, dropped }) =>
        Object.entries({ sent, failed, dropped }).map(([outcome, value]) => ({
          labels: labelsOf({ output, outcome }),
          value,
        })),
      ),
    },
    {
      name: 'statusd_output_queued_samples',
      type: 'gauge',
      help: 'Samples that wait to be sent to each output.',
      samples: outputs.map(({ output, queued }) => ({ labels: labelsOf({ output }), value: queued })),
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
