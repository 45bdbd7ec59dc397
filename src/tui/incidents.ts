/** Orders the open incidents: root causes, with what they impact and who was alerted. */
import { durationText } from '../engine/core/duration.ts';
import { clockText } from '../engine/core/instant.ts';
import { cleanLine } from '../engine/core/text.ts';
import { type AcknowledgedView, type IncidentView, whyOf } from '../engine/views/incident.ts';
import type { LiveIncident, LiveView } from '../engine/views/live.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { shortTimeText } from '../engine/views/page-wording.ts';
import { type Marks, type StyledText, span } from './theme.ts';

export interface IncidentBlock {
  readonly uid: string;
  /** `#14 ✗ PostgreSQL primary  39s  connection refused`. */
  readonly what: readonly StyledText[];
  /** `sent 01:45:54 → phone chat`, or why nothing was sent; empty: the source does not say. */
  readonly sent: readonly StyledText[];
  /** `5 impacted: …` and what was said last; empty: nothing. */
  readonly more: readonly StyledText[];
}

export interface IncidentSources {
  readonly summary: PageSummary;
  /** Null: the source does not say, or it is still being read. */
  readonly live: LiveView | null;
  /** Since the summary was made, in milliseconds. */
  readonly aheadMs: number;
  readonly nowAt: number;
}

/** Those that no other open one is the cause of, in the order of the summary. */
export function rootIncidents({ incidents }: Pick<PageSummary, 'incidents'>): readonly IncidentView[] {
  const down = new Set(incidents.map(({ monitor }) => monitor));
  return incidents.filter(({ cause, monitor }) => cause === null || cause === monitor || !down.has(cause));
}

/** As many root causes as fit on any screen. */
export function incidentBlocks(sight: IncidentSources, marks: Marks): readonly IncidentBlock[] {
  if (sight.summary.incidents.length === 0) return [];
  const names = new Map(sight.summary.monitors.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => cleanLine(names.get(id) ?? id);
  return rootIncidents(sight.summary)
    .slice(0, mostBlocks)
    .map((incident) => blockOf(incident, { ...sight, nameOf }, marks));
}

/** More than fit on any screen. */
const mostBlocks = 50;

interface NamedSight extends IncidentSources {
  readonly nameOf: (monitor: string) => string;
}

function blockOf(incident: IncidentView, sight: NamedSight, marks: Marks): IncidentBlock {
  const { summary, live, aheadMs, nameOf } = sight;
  const { id, kind, monitor, name, cause, note, updates, acknowledged } = incident;
  const tone = kind === 'down' ? 'bad' : 'warn';
  const about = kind === 'operator' ? incident.monitors : impactedBy(incident, summary);
  const length = durationText(incident.duration_secs * 1000 + aheadMs);
  const said = updates.find(({ message }) => message !== null);
  const uids = summary.incidents.filter((other) => about.includes(other.monitor ?? '')).map(({ uid }) => uid);
  const isFolded =
    uids.length > 0 && uids.every((uid) => live?.incidents.some((one) => one.uid === uid && one.folded));
  const more = [
    acknowledged === null ? null : cleanLine(acknowledgedText(acknowledged, summary.generated_at)),
    about.length === 0
      ? null
      : `${about.length} ${kind === 'operator' ? 'affected' : 'impacted'}: ${about.map(nameOf).join(` ${marks.dot} `)}${isFolded ? '  (folded, no extra message)' : ''}`,
    said === undefined ? null : cleanLine(`${said.state}: ${said.message ?? ''}`),
    note === null ? null : `note: ${cleanLine(note)}`,
  ].filter((part) => part !== null);
  const why = whyOf(incident);
  const because = cause === null ? '' : ` (because of ${nameOf(cause)})`;
  const known = live?.incidents.find(({ uid }) => uid === incident.uid) ?? null;
  return {
    uid: incident.uid,
    what: [
      span(id === undefined ? '' : `#${id} `, 'dim'),
      span(`${kind === 'unknown' ? marks.status.unknown : marks.status.down} ${cleanLine(name)}`, tone),
      span(`  ${length}`, tone),
      span(`  ${kind === 'operator' ? (updates[0]?.state ?? '') : cleanLine(why ?? '')}${because}`),
    ],
    sent: live === null || kind === 'operator' ? [] : sentSpans({ known, monitor }, sight, marks),
    more: more.length === 0 ? [] : [span(`${marks.branch} `, 'dim'), span(more.join(`  `))],
  };
}

/** The ids of the monitors that it took along. */
export function impactedBy(
  { monitor, impacted }: Pick<IncidentView, 'monitor' | 'impacted'>,
  { incidents }: Pick<PageSummary, 'incidents'>,
): readonly string[] {
  const others = incidents.filter(({ cause }) => cause !== null && cause === monitor);
  return [...new Set([...impacted, ...others.flatMap((other) => other.monitor ?? [])])];
}

/** `acknowledged by ann at 14:03 UTC: restarting it`; the public sees neither who nor why. */
export function acknowledgedText({ at, by = null, reason = null }: AcknowledgedView, now: string): string {
  const who = by === null ? '' : ` by ${by}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `acknowledged${who} at ${shortTimeText(at, now)}${why}`;
}

function sentSpans(
  { known, monitor }: { readonly known: LiveIncident | null; readonly monitor: string | null },
  { live, nowAt, summary }: IncidentSources,
  marks: Marks,
): readonly StyledText[] {
  const failed = (known?.failed ?? []).map((channel) =>
    span(` ${cleanLine(channel)}${marks.status.down}`, 'bad'),
  );
  const [first] = known?.sent ?? [];
  if (known !== null && first !== undefined) {
    const channels = known.sent.map(({ channel }) => cleanLine(channel)).join(' ');
    return [
      span('sent ', 'dim'),
      span(`${clockText(Date.parse(first.at))} ${marks.arrow} `, 'dim'),
      span(channels, 'good'),
      ...failed,
    ];
  }
  const silence = silenceOver(live, monitor);
  if (silence !== null) {
    const left = durationText(Math.max(0, Date.parse(silence.until) - nowAt));
    const reason = silence.reason === null ? '' : ` "${cleanLine(silence.reason)}"`;
    return [span(`silenced ${left}${reason}`, 'accent')];
  }
  if (summary.monitors.find(({ id }) => id === monitor)?.maintenance === true)
    return [span('in maintenance', 'accent')];
  if (failed.length > 0) return [span('not delivered:', 'bad'), ...failed];
  if (known?.folded === true) return [span('covered by the message about its cause', 'dim')];
  const why = known?.withheld ?? null;
  return [span(why === null ? 'not sent yet' : `not sent: ${cleanLine(why).replace(/\.$/, '')}`, 'dim')];
}

/** The silence that names the monitor, or all; null: none does. */
export function silenceOver(live: LiveView | null, monitor: string | null) {
  if (live === null || monitor === null) return null;
  return live.silences.find(({ monitors }) => monitors.includes(monitor) || monitors.includes('*')) ?? null;
}
