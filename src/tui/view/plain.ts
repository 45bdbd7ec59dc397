/** Describes the summary in sentences, a line each, for screen readers and grep. */
import type { Status } from '../../engine/core/status.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { stateInWords, whyOf } from '../../engine/views/incident.ts';
import { countStatuses, type PageMonitor, type PageSummary } from '../../engine/views/page.ts';
import { errorText, permilleText, shortTimeText } from '../../engine/views/page-wording.ts';
import { durationText, latencyText } from '../../engine/core/duration.ts';
import { acknowledgedText } from '../incidents.ts';
import { bannersOf, brokenChannels, ownTroubles, silentPeers } from '../notices.ts';
import { countsText, type RowChoice, rowsOf } from '../rows.ts';

/** Everything there is to say, the worst first. */
export function plainLines(summary: PageSummary, choice: RowChoice): string[] {
  const monitors = rowsOf(summary, { ...choice, isGrouped: false });
  const counts = countsText(countStatuses(summary.monitors));
  return [
    `${summary.title}: ${summary.overall_label}.${counts === '' ? '' : ` ${counts}.`}`,
    ...ownTroubles(summary).map(({ text }) => text),
    ...bannersOf(summary).map(({ text }) => text),
    ...summary.incidents.map(
      ({ name, kind, duration_secs, acknowledged, ...incident }) =>
        `incident: ${name} ${stateInWords(kind, true)} for ${durationText(duration_secs * 1000)}${incident.error === null ? '' : `: ${whyOf(incident) ?? ''}`}${acknowledged === null ? '' : `, ${acknowledgedText(acknowledged, summary.generated_at)}`}`,
    ),
    ...monitors.flatMap((row) =>
      row.kind === 'monitor' ? [monitorSentence(row.monitor, summary.generated_at)] : [],
    ),
  ].map(cleanLine);
}

/** What is another than it was, a line each. */
export function plainChanges(before: PageSummary, after: PageSummary): string[] {
  const known = new Map(before.monitors.map((monitor) => [monitor.id, monitor.status]));
  const banners = new Set(bannersOf(before).map(({ text }) => text));
  return [
    ...after.monitors
      .filter(({ id, status }) => known.get(id) !== status)
      .map((monitor) => monitorSentence(monitor, after.generated_at)),
    ...operatorChanges(before, after),
    ...channelChanges(before, after),
    ...peerChanges(before, after),
    ...bannersOf(after)
      .map(({ text }) => text)
      .filter((text) => !banners.has(text)),
  ].map(cleanLine);
}

/** What an operator opened, then what is over; those of monitors change with their monitors. */
function operatorChanges({ incidents: before }: PageSummary, { incidents: after }: PageSummary): string[] {
  const lacking = (all: PageSummary['incidents'], others: PageSummary['incidents']) =>
    all.filter(({ uid, kind }) => kind === 'operator' && !others.some((other) => other.uid === uid));
  return [
    ...lacking(after, before).map(({ name }) => `incident: ${name} is open`),
    ...lacking(before, after).map(({ name }) => `incident: ${name} is over`),
  ];
}

/** The channels that broke, then those that are well again. */
function channelChanges(
  { channels: before = [] }: PageSummary,
  { channels: after = [] }: PageSummary,
): string[] {
  const failing = new Set(before.filter((channel) => channel.failing).map(({ name }) => name));
  return [
    ...brokenChannels({ channels: after.filter(({ name }) => !failing.has(name)) }).map(({ text }) => text),
    ...after
      .filter((channel) => !channel.failing && failing.has(channel.name))
      .map(({ name }) => `channel ${name} works again`),
  ];
}

/** The nodes that went silent, then those that are heard again. */
function peerChanges({ peers: before }: PageSummary, { peers: after }: PageSummary): string[] {
  const known = new Map(before.map(({ id, state }) => [id, state]));
  const changed = after.filter(({ id, state }) => known.get(id) !== state);
  return [
    ...silentPeers({ peers: changed }).map(({ text }) => text),
    ...changed
      .filter(({ id, state }) => state === 'up' && known.has(id))
      .map(({ name }) => `node ${name} sends heartbeats again`),
  ];
}

function monitorSentence(monitor: PageMonitor, now: string): string {
  const { name, id, group, status, maintenance, silenced_until, unstable_since = null, cause } = monitor;
  const parts = [
    group === null ? null : `group ${group}`,
    monitor.uptime_24h_permille === null ? null : `uptime ${permilleText(monitor.uptime_24h_permille, '')}`,
    monitor.latency_p95_ms === null ? null : `p95 ${latencyText(monitor.latency_p95_ms, '')}`,
    maintenance ? 'in maintenance' : null,
    silenced_until === null ? null : `silenced until ${shortTimeText(silenced_until, now)}`,
    unstable_since === null ? null : `unstable since ${shortTimeText(unstable_since, now)}`,
    cause === null ? null : `because of ${cause}`,
    errorText(monitor.last_error),
  ].filter((part) => part !== null);
  return `${wordOf(status)}: ${name}${name === id ? '' : ` (${id})`}${parts.length === 0 ? '' : `, ${parts.join(', ')}`}`;
}

function wordOf(status: Status): string {
  return status === 'unknown' ? 'no data' : status;
}
