/**
 * A made-up world of seventy days and the hundred after them, from a seed: monitors with their samples and outages, and the
 * windows of maintenance that took effect. Instants are epoch ms in whole seconds.
 */
import type { Status } from '../../src/engine/core/status.ts';
import { randomOf, type Random } from '../support/random.ts';

const minute = 60_000;
const hour = 60 * minute;
export const day = 24 * hour;

/** Samples begin here; `denseEndsAt` is the end of most of them, `endsAt` that of the slow monitors. */
export const beginsAt = Date.UTC(2026, 8, 18, 7, 30);
export const denseEndsAt = beginsAt + 70 * day;
export const endsAt = denseEndsAt + 100 * day;
/** When the file loses the monitor `lab` and every window of maintenance. */
export const tidiedAt = Date.UTC(2026, 10, 8, 12);

interface MadeSample {
  readonly at: number;
  readonly status: Status;
  readonly holdSecs: number;
  readonly isHeartbeat: boolean;
}

export interface MadeOutage {
  readonly uid: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** Null: it lasts beyond the end of the world. */
  readonly endedAt: number | null;
}

export interface MadeMonitor {
  readonly id: string;
  readonly group: string | null;
  readonly isPrivate: boolean;
  readonly slo: { readonly percent: number; readonly days: number } | null;
  readonly removedAt: number | null;
  readonly samples: readonly MadeSample[];
  readonly outages: readonly MadeOutage[];
}

/** A window that took effect, from `fromAt` to before `toAt`; no monitors: all of them. */
interface MadeWindow {
  readonly monitors: readonly string[];
  readonly fromAt: number;
  readonly toAt: number;
}

/** Maintenance that an operator planned at `at`, and cut short at `cancelledAt`. */
interface PlannedWindow extends MadeWindow {
  readonly at: number;
  readonly plannedToAt: number;
  readonly cancelledAt: number;
}

export interface MadeWorld {
  readonly monitors: readonly MadeMonitor[];
  readonly windows: readonly MadeWindow[];
  readonly planned: PlannedWindow;
  /** The configuration before and after `tidiedAt`. */
  readonly toml: string;
  readonly tidyToml: string;
}

/** `2026-10-06T10:20` or with seconds, in UTC. */
export const utc = (text: string) => Date.parse(`${text}Z`);

type FaultKind = 'outage' | 'blip' | 'degraded' | 'unknown' | 'silence' | 'failed run';

interface Fault {
  readonly kind: FaultKind;
  readonly from: number;
  readonly to: number;
}

const fault = (kind: FaultKind, from: string, to: string): Fault => ({ kind, from: utc(from), to: utc(to) });

interface Spec extends Pick<MadeMonitor, 'id' | 'group' | 'isPrivate' | 'slo'> {
  readonly intervalSecs: number;
  /** A check takes so long at most; for a push monitor, the grace. */
  readonly slackSecs: number;
  readonly isPush: boolean;
  readonly from: number;
  readonly to: number;
  readonly faults: readonly Fault[];
  /** How many faults are made up beside these. */
  readonly more: number;
}

const common = { group: null, isPrivate: false, slo: null, isPush: false, from: beginsAt, to: denseEndsAt };

const specs: readonly Spec[] = [
  {
    ...common,
    id: 'web',
    group: 'Shop',
    slo: { percent: 99.9, days: 30 },
    intervalSecs: 60,
    slackSecs: 11,
    more: 12,
    faults: [
      fault('outage', '2026-09-30T23:30:20', '2026-10-01T01:10:00'),
      fault('outage', '2026-10-03T23:40:00', '2026-10-04T00:25:30'),
      fault('outage', '2026-10-06T10:05:00', '2026-10-06T10:50:00'),
      fault('outage', '2026-10-06T11:00:00', '2026-10-06T11:20:00'),
      fault('blip', '2026-10-06T11:30:00', '2026-10-06T11:31:30'),
      fault('outage', '2026-10-25T00:10:00', '2026-10-25T02:30:00'),
    ],
  },
  {
    ...common,
    id: 'api',
    group: 'Shop',
    slo: { percent: 99.5, days: 7 },
    intervalSecs: 300,
    slackSecs: 22,
    more: 12,
    faults: [
      fault('outage', '2026-10-06T10:20:00', '2026-10-06T12:10:00'),
      fault('blip', '2026-10-20T10:00:00', '2026-10-20T10:09:00'),
      fault('outage', '2026-10-31T21:30:00', '2026-11-01T04:10:00'),
    ],
  },
  {
    ...common,
    id: 'search',
    group: 'Shop',
    intervalSecs: 300,
    slackSecs: 11,
    from: utc('2026-10-14T13:37:20'),
    more: 8,
    faults: [
      fault('outage', '2026-10-28T09:50:00', '2026-10-28T11:00:00'),
      fault('unknown', '2026-10-16T10:00:00', '2026-10-16T15:00:00'),
    ],
  },
  {
    ...common,
    id: 'mail',
    isPrivate: true,
    slo: { percent: 99, days: 14 },
    intervalSecs: 600,
    slackSecs: 11,
    more: 12,
    faults: [fault('outage', '2026-11-08T05:40:00', '2026-11-08T06:30:00')],
  },
  {
    ...common,
    id: 'cron',
    slo: { percent: 95, days: 30 },
    intervalSecs: 3600,
    slackSecs: 300,
    isPush: true,
    to: endsAt,
    more: 0,
    faults: [
      fault('silence', '2026-09-25T10:00:00', '2026-09-25T16:00:00'),
      fault('silence', '2026-10-18T00:00:00', '2026-10-18T05:20:00'),
      fault('failed run', '2026-10-10T12:00:00', '2026-10-10T14:00:00'),
      // The last 90 days begin in it, a hundred days later.
      fault('silence', '2026-12-07T04:00:00', '2026-12-07T10:00:00'),
      fault('failed run', '2027-03-01T12:00:00', '2027-03-01T14:00:00'),
    ],
  },
  {
    ...common,
    id: 'backup',
    slo: { percent: 90, days: 90 },
    intervalSecs: 86_400,
    slackSecs: 3600,
    isPush: true,
    from: utc('2026-09-19T03:10:00'),
    to: endsAt,
    more: 0,
    faults: [
      fault('failed run', '2026-10-08T00:00:00', '2026-10-09T00:00:00'),
      fault('silence', '2026-10-21T00:00:00', '2026-10-23T00:00:00'),
      fault('failed run', '2027-02-20T00:00:00', '2027-02-21T00:00:00'),
    ],
  },
  {
    ...common,
    id: 'lab',
    group: 'Inside',
    slo: { percent: 98, days: 30 },
    intervalSecs: 300,
    slackSecs: 11,
    to: tidiedAt,
    more: 10,
    faults: [
      fault('outage', '2026-10-12T08:00:00', '2026-10-13T20:00:00'),
      fault('blip', '2026-10-15T04:44:00', '2026-10-15T04:54:00'),
      fault('outage', '2026-11-05T04:30:00', '2026-11-05T05:10:00'),
    ],
  },
  // The target of this monitor is neither met nor missed.
  {
    ...common,
    id: 'idle',
    slo: { percent: 99, days: 30 },
    intervalSecs: 300,
    slackSecs: 11,
    to: beginsAt,
    more: 0,
    faults: [],
  },
];

/** The daemon did not run then. */
const stops: readonly (readonly [from: number, to: number])[] = [
  [utc('2026-09-22T14:00:00'), utc('2026-09-22T19:45:00')],
  [utc('2026-10-12T22:50:00'), utc('2026-10-13T03:20:40')],
  [utc('2026-10-25T03:00:00'), utc('2026-10-25T03:20:00')],
  [utc('2026-11-16T23:00:00'), utc('2026-11-18T01:00:00')],
];
const isStopped = (at: number) => stops.some(([from, to]) => at >= from && at < to);

const planned: PlannedWindow = {
  monitors: ['search'],
  at: utc('2026-10-27T08:00:00'),
  fromAt: utc('2026-10-28T10:00:00'),
  plannedToAt: utc('2026-10-28T14:00:00'),
  cancelledAt: utc('2026-10-28T10:40:00'),
  toAt: utc('2026-10-28T10:40:00'),
};

const fixed: readonly (MadeWindow & { readonly title: string; readonly endsAt?: number })[] = [
  {
    title: 'Move',
    monitors: ['web'],
    fromAt: utc('2026-10-06T10:20:00'),
    toAt: utc('2026-10-06T11:45:00'),
  },
  { title: 'Network', monitors: [], fromAt: utc('2026-10-31T22:00:00'), toAt: utc('2026-11-01T02:00:00') },
  {
    title: 'Schema',
    monitors: ['api'],
    fromAt: utc('2026-10-31T23:30:00'),
    toAt: utc('2026-11-01T03:30:30'),
  },
  // The window is deleted while it lasts, at noon.
  {
    title: 'Mailboxes',
    monitors: ['mail'],
    fromAt: utc('2026-11-08T06:00:00'),
    toAt: tidiedAt,
    endsAt: utc('2026-11-08T18:00:00'),
  },
];

/** Sundays at 02:30 in Berlin, 90 minutes long. Its clocks go back on 25 October, when 02:30 comes twice: the first counts. */
function sundays(): readonly MadeWindow[] {
  const found: MadeWindow[] = [];
  for (let at = Date.UTC(2026, 8, 20, 0, 30); at < tidiedAt; at += 7 * day) {
    const fromAt = at > Date.UTC(2026, 9, 25, 12) ? at + hour : at;
    found.push({ monitors: ['web', 'cron'], fromAt, toAt: fromAt + 90 * minute });
  }
  return found;
}

/** Every day at 04:40 UTC, 20 minutes long. */
function mornings(): readonly MadeWindow[] {
  const found: MadeWindow[] = [];
  for (let fromAt = Date.UTC(2026, 8, 19, 4, 40); fromAt < tidiedAt; fromAt += day)
    found.push({ monitors: ['lab'], fromAt, toAt: fromAt + 20 * minute });
  return found;
}

export function makeWorld(seed: number): MadeWorld {
  const random = randomOf(seed);
  return {
    monitors: specs.map((spec) => monitorOf(spec, random)),
    windows: [
      ...fixed.map(({ monitors, fromAt, toAt }) => ({ monitors, fromAt, toAt })),
      ...sundays(),
      ...mornings(),
      planned,
    ],
    planned,
    toml: tomlOf(specs) + windowsToml(),
    tidyToml: tomlOf(specs.filter(({ id }) => id !== 'lab')),
  };
}

function monitorOf(spec: Spec, random: Random): MadeMonitor {
  const faults = [...spec.faults];
  for (let left = spec.more; left > 0; left -= 1) {
    const made = randomFault(spec, random);
    const reach = 12 * spec.intervalSecs * 1000;
    if (faults.every(({ from, to }) => made.to + reach < from || made.from - reach > to)) faults.push(made);
  }
  const samples = spec.isPush ? heartbeatsOf(spec, faults) : checksOf(spec, faults, random);
  const outages = faults
    .flatMap((each) => outageOf(spec, each, samples) ?? [])
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const { id, group, isPrivate, slo } = spec;
  return { id, group, isPrivate, slo, removedAt: id === 'lab' ? tidiedAt : null, samples, outages };
}

function randomFault({ from, to, intervalSecs }: Spec, random: Random): Fault {
  const kind = random.pick(['outage', 'outage', 'blip', 'degraded', 'unknown'] as const);
  const at = from + day + random.below((to - from - 3 * day) / 1000) * 1000;
  const secs =
    kind === 'blip'
      ? Math.floor(1.5 * intervalSecs)
      : intervalSecs * (4 + random.below(kind === 'outage' ? 60 : 30));
  return { kind, from: at, to: at + secs * 1000 };
}

const statusOfKind: Readonly<Record<FaultKind, Status>> = {
  outage: 'down',
  blip: 'down',
  degraded: 'degraded',
  unknown: 'unknown',
  silence: 'down',
  'failed run': 'down',
};

function checksOf(
  { from, to, intervalSecs, slackSecs }: Spec,
  faults: readonly Fault[],
  random: Random,
): MadeSample[] {
  const found: MadeSample[] = [];
  const holdSecs = intervalSecs + slackSecs;
  for (let turn = from; turn < to; turn += intervalSecs * 1000) {
    const at = turn + random.below(3) * 1000;
    if (isStopped(at)) continue;
    const kind = faults.find((each) => at >= each.from && at < each.to)?.kind;
    const status = kind === undefined ? 'up' : statusOfKind[kind];
    found.push({ at, status, holdSecs, isHeartbeat: false });
  }
  return found;
}

/** Heartbeats, and what the silence between them makes: late when one is due, missed when its grace is over. */
function heartbeatsOf({ from, to, intervalSecs, slackSecs }: Spec, faults: readonly Fault[]): MadeSample[] {
  const found: MadeSample[] = [];
  let due = from;
  for (let at = from; at < to; at += intervalSecs * 1000) {
    const kind = faults.find((each) => at >= each.from && at < each.to)?.kind;
    if (kind !== 'silence' && !isStopped(at)) {
      const status = kind === undefined ? 'up' : 'down';
      found.push({ at, status, holdSecs: intervalSecs + slackSecs, isHeartbeat: true });
      due = at + intervalSecs * 1000;
    } else if (kind === 'silence') {
      // The heartbeat is late, and once it is missed, its silence counts from here.
      if (at === due)
        for (const status of ['degraded', 'down'] as const)
          found.push({ at, status, holdSecs: slackSecs + 5, isHeartbeat: false });
      const next = at + intervalSecs * 1000;
      const everySecs = Math.min(3600, intervalSecs);
      for (let missed = at + slackSecs * 1000; missed < next; missed += everySecs * 1000)
        found.push({ at: missed, status: 'down', holdSecs: everySecs + 5, isHeartbeat: false });
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}

/** Confirmed with the third failed check; a silence with the first after its grace, and it begins when the heartbeat was due. */
function outageOf(spec: Spec, { kind, from, to }: Fault, samples: readonly MadeSample[]): MadeOutage | null {
  if (kind !== 'outage' && kind !== 'silence') return null;
  const failed = samples.filter(({ at, status }) => status === 'down' && at >= from && at < to);
  const [first] = failed;
  if (first === undefined) return null;
  const confirmed = failed[kind === 'silence' ? 1 : 2] ?? first;
  const startedAt = first.at;
  const over = samples.find(({ at, status }) => at > first.at && (status === 'up' || status === 'degraded'));
  return {
    uid: `${spec.id}.${startedAt / 1000}`,
    startedAt,
    confirmedAt: confirmed.at,
    endedAt: over?.at ?? null,
  };
}

const operatorToml = `auth_token = "of-the-operator"\n[page]\ntitle = "Figures"\n`;

function tomlOf(some: readonly Spec[]): string {
  return operatorToml + some.map(monitorToml).join('');
}

function monitorToml({ id, group, isPrivate, slo, isPush, intervalSecs, slackSecs }: Spec): string {
  const facts = [
    `[[monitors]]\nid = "${id}"\nname = "${id}"`,
    isPush
      ? `kind = "push"\npush_token = "push-token-of-${id}"\ngrace_secs = ${slackSecs}`
      : `target = "https://example.com/${id}"`,
    `interval_secs = ${intervalSecs}`,
    ...(group === null ? [] : [`group = "${group}"`]),
    ...(isPrivate ? ['public = false'] : []),
    ...(slo === null ? [] : [`slo_uptime = ${slo.percent}\nslo_window_days = ${slo.days}`]),
  ];
  return `${facts.join('\n')}\n`;
}

function windowsToml(): string {
  const once = fixed.map(
    ({ title, monitors, fromAt, toAt, endsAt: written = toAt }) =>
      `[[maintenance]]\ntitle = "${title}"\nstart = "${new Date(fromAt).toISOString()}"\nend = "${new Date(written).toISOString()}"\nmonitors = ${JSON.stringify(monitors)}\n`,
  );
  return `${once.join('')}
[[maintenance]]
title = "Sundays"
schedule = "30 2 * * 0"
timezone = "Europe/Berlin"
duration = "90m"
monitors = ["web", "cron"]
[[maintenance]]
title = "Mornings"
schedule = "40 4 * * *"
duration = "20m"
monitors = ["lab"]
`;
}
