/** Folds incidents, producer alerts and maintenance into one timeline, day by day. */
import type { IncidentView } from './incident.ts';
import type { PageMaintenance } from './page.ts';

/** A producer alert as a line of the timeline. */
export interface AlertLine {
  readonly at: string;
  readonly monitor: string;
  readonly name: string;
  readonly severity: string;
  /** Null: the reader sees that there was an alert, and not what it says. */
  readonly title: string | null;
  readonly message: string | null;
  /** How many repeats were coalesced with it. */
  readonly suppressed: number;
}

export type TimelineEntry =
  | { readonly kind: 'incident'; readonly at: string; readonly incident: IncidentView }
  | { readonly kind: 'alert'; readonly at: string; readonly alert: AlertLine }
  | { readonly kind: 'maintenance'; readonly at: string; readonly window: PageMaintenance };

export interface TimelineDay {
  /** `2026-11-21`, of the zone of `dayOf`; by default UTC. */
  readonly date: string;
  readonly entries: readonly TimelineEntry[];
}

export interface TimelineFacts {
  readonly incidents: readonly IncidentView[];
  readonly alerts: readonly AlertLine[];
  readonly maintenance?: readonly PageMaintenance[];
}

/** The newest first; what lasts stands at its start. Of two at the same instant, the incident comes first. */
export function timelineOf(
  { incidents, alerts, maintenance = [] }: TimelineFacts,
  dayOf: (instant: string) => string = (instant) => instant.slice(0, 10),
): readonly TimelineDay[] {
  const entries: TimelineEntry[] = [
    ...incidents.map((incident) => ({ kind: 'incident' as const, at: incident.started_at, incident })),
    ...alerts.map((alert) => ({ kind: 'alert' as const, at: alert.at, alert })),
    ...maintenance.map((window) => ({ kind: 'maintenance' as const, at: window.start, window })),
  ];
  const days: { date: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
    const date = dayOf(entry.at);
    const last = days.at(-1);
    if (last?.date === date) last.entries.push(entry);
    else days.push({ date, entries: [entry] });
  }
  return days;
}
