/** Writes the status page for a terminal. */
import type { Status } from '../../engine/core/status.ts';
import { circumstancesOf } from '../../engine/views/incident.ts';
import {
  groupsOf,
  maintenanceSoon,
  noFigures,
  type PageFigures,
  type PageOverview,
  type ShownMonitor,
} from '../../engine/views/page.ts';
import { durationText, latencyText } from '../../engine/core/duration.ts';
import { percentText, shortTimeText, timeText, wholeMinutesMs } from '../../engine/views/page-wording.ts';
import { peersHeard, peerWords, skewWords } from '../../engine/views/peers.ts';
import { causesFirst, headlineOf } from '../../engine/views/verdict.ts';
import { numberText } from '../../engine/core/words.ts';
import type { Steps } from '../../engine/core/yielding.ts';
import { type PlainColumn, documentOf, labelled, spread, plainTables } from './lines.ts';
import { newestWords } from './updates.ts';

export interface StatusTextFacts {
  /** As this viewer may see it; on the page of a group, that group's alone. */
  readonly summary: PageOverview;
  readonly group: string | null;
  /** By id of the monitor. */
  readonly figures: ReadonlyMap<string, PageFigures>;
  /** Of monitors that are named and need not be on the page, by id. */
  readonly names?: ReadonlyMap<string, string>;
  /** Absent: they are shown. */
  readonly showsLatency?: boolean;
  /** No line has more cells. */
  readonly width: number;
}

/** In steps, as there may be thousands of monitors. */
export function* statusTextSteps(facts: StatusTextFacts): Steps<string> {
  const { summary, group, width } = facts;
  const { title, generated_at: now, monitors } = summary;
  const names = facts.names ?? new Map(monitors.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const heading = group === null ? title : `${title}: ${group}`;
  const lines = [
    spread(heading, timeText(now), width),
    '',
    ...labelled(headlineOf(summary).overall_label.toUpperCase(), countsText(monitors), width),
    '',
    ...announcementLines(summary, width),
    ...incidentLines(summary, { nameOf, width }),
    ...maintenanceLines(summary, { nameOf, width }),
  ];
  for (const table of yield* groupTables(facts)) lines.push(...table, '');
  if (monitors.length > 0) lines.push(...labelled('Key', keyText(monitors), width));
  return documentOf([...lines, ...(group === null ? peerLines(summary, width) : [])]);
}

function countsText(monitors: readonly ShownMonitor[]): string {
  if (monitors.length === 0) return 'No monitor is on this page.';
  const words = [
    ['down', 'down'],
    ['degraded', 'degraded'],
    ['up', 'up'],
    ['maintenance', 'in maintenance'],
    ['unknown', 'without data'],
  ] as const;
  return words
    .flatMap(([state, word]) => {
      const count = monitors.filter((monitor) => monitor.state === state).length;
      return count === 0 ? [] : `${numberText(count)} ${word}`;
    })
    .join(', ');
}

function announcementLines({ announcements, generated_at: now }: PageOverview, width: number): string[] {
  return announcements.flatMap(({ title, body, severity, until }) => [
    ...labelled(severity.toUpperCase(), title, width),
    ...(body === null || body === '' ? [] : labelled(' '.repeat(severity.length), body, width)),
    ...(until === null
      ? []
      : labelled(' '.repeat(severity.length), `Until ${shortTimeText(until, now)}.`, width)),
    '',
  ]);
}

interface Naming {
  readonly nameOf: (id: string) => string;
  readonly width: number;
}

const heads = { down: 'DOWN', unknown: 'UNKNOWN', operator: 'INCIDENT' } as const;

function incidentLines(
  { incidents, monitors, generated_at: now }: PageOverview,
  { nameOf, width }: Naming,
): string[] {
  const causes = new Map(monitors.map(({ id, cause }) => [id, cause]));
  return causesFirst(incidents, (id) => causes.get(id) ?? null).flatMap((incident) => {
    const { name, kind, started_at, duration_secs, note } = incident;
    const said = newestWords(incident, now);
    const since = `${name}${kind === 'unknown' ? ' cannot be checked' : ''} since ${shortTimeText(started_at, now)}, ${durationText(wholeMinutesMs(duration_secs * 1000))}.`;
    return [
      ...labelled(heads[kind], [since, ...circumstancesOf(incident, nameOf)].join(' '), width),
      ...(said === null ? [] : labelled('    ', said, width)),
      ...(note === null ? [] : labelled('    ', `Note: ${note}`, width)),
      '',
    ];
  });
}

function maintenanceLines(
  { maintenances, generated_at: now }: PageOverview,
  { nameOf, width }: Naming,
): string[] {
  return maintenanceSoon(maintenances, now).flatMap(({ title, start, end, monitors }) => {
    const names = monitors.length === 0 ? 'all monitors' : monitors.map(nameOf).join(', ');
    const span = `${shortTimeText(start, now)} to ${shortTimeText(end, start)}`;
    return [...labelled('MAINTENANCE', `${title} (${names}), ${span}`, width), ''];
  });
}

function keyText(monitors: readonly ShownMonitor[]): string {
  const mutes = [
    monitors.some(({ maintenance }) => maintenance) ? '; (m) under maintenance' : '',
    monitors.some(({ silenced_until }) => silenced_until !== null) ? '; (s) silenced' : '',
  ];
  return `days: | up, ~ degraded, X down, . no data${mutes.join('')}`;
}

const latencyColumn: PlainColumn<ShownMonitor> = {
  heading: 'Latency',
  isNumber: true,
  text: (monitor) => latencyText(monitor.latency_p50_ms),
  spare: 2,
};

function groupTables({ figures, width, summary, showsLatency = true }: StatusTextFacts): Steps<string[][]> {
  const now = summary.generated_at;
  const uptime = (
    heading: string,
    key: 'day' | 'week' | 'month' | 'quarter',
    spare = 0,
  ): PlainColumn<ShownMonitor> => ({
    heading,
    isNumber: true,
    text: ({ id }) => percentText((figures.get(id) ?? noFigures)[key]),
    spare,
  });
  const plainColumns: readonly PlainColumn<ShownMonitor>[] = [
    { heading: '', text: (monitor) => monitor.name, least: 12 },
    { heading: 'Status', text: statusText },
    uptime('24 h', 'day'),
    uptime('7 d', 'week', 4),
    uptime('30 d', 'month', 3),
    uptime('90 d', 'quarter', 1),
    ...(showsLatency ? [latencyColumn] : []),
    { heading: 'Days', text: daysText, spare: 5 },
    {
      heading: 'Cert',
      isNumber: true,
      text: ({ cert_expiry_days: days }) => (days === null ? '' : `${days} d`),
      spare: 9,
    },
    { heading: 'Muted', text: (monitor) => mutedText(monitor, now), spare: 10 },
  ];
  const sections = groupsOf(summary).map(({ name, monitors }) => ({
    heading: name ?? 'Monitors',
    rows: monitors,
  }));
  return plainTables(plainColumns, sections, width);
}

const statusTexts: Readonly<Record<Status, string>> = {
  up: 'up',
  degraded: 'DEGRADED',
  down: 'DOWN',
  unknown: 'no data',
};

/** One failure that nothing confirmed is none, as on the page; what is under maintenance says how it is all the same. */
function shownStatus({ status, state }: Pick<ShownMonitor, 'status' | 'state'>): Status {
  return state === 'maintenance' ? status : state;
}

function statusText(monitor: ShownMonitor): string {
  const { maintenance, silenced_until } = monitor;
  const text = statusTexts[shownStatus(monitor)];
  if (maintenance) return `${text} (m)`;
  return silenced_until === null ? text : `${text} (s)`;
}

const dayMarks: Readonly<Record<Status, string>> = { up: '|', degraded: '~', down: 'X', unknown: '.' };
const shownDays = 14;

function daysText({ history }: ShownMonitor): string {
  return history
    .slice(-shownDays)
    .map(({ state }) => dayMarks[state])
    .join('');
}

function mutedText(
  { maintenance, silenced_until, unstable_since = null }: ShownMonitor,
  now: string,
): string {
  const parts = [
    maintenance ? 'maintenance' : '',
    silenced_until === null ? '' : `silenced until ${shortTimeText(silenced_until, now)}`,
    unstable_since === null ? '' : `unstable since ${shortTimeText(unstable_since, now)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function peerLines({ peers, peer_counts }: PageOverview, width: number): string[] {
  const heard = peersHeard(peer_counts);
  if (heard === null) return [];
  const rows = peers.flatMap(({ name, state, age, clock_skew_ms, reason }) => {
    const facts = [
      `${name}: ${peerWords[state].toLowerCase()}`,
      age === null ? null : `heard ${durationText(age * 1000)} ago`,
      skewWords(clock_skew_ms),
      reason,
    ];
    return labelled('Node', facts.filter((fact) => fact !== null).join(', '), width);
  });
  return ['', ...(rows.length > 0 ? rows : labelled('Other nodes', `${heard}.`, width))];
}
