/** Reads the status behind badges and icons; planned maintenance is no outage there. */
import { uptimeShare } from '../../db/read/share.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { graphOfMonitors } from '../../engine/core/graph.ts';
import { isMaintained, type MaintenanceWindow } from '../../engine/core/mute.ts';
import type { ReaderState } from '../../engine/core/status.ts';
import { overallOf } from '../../engine/views/frame.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import { declaredIn } from '../../engine/views/verdict.ts';
import { readerState } from '../../engine/views/monitor.ts';
import type { BadgeFacts, BadgeWindow } from '../svg/badge.ts';
import { type GatherSources, noSecs } from './gather.ts';
import { statusOf } from './status.ts';

export type IsMaintained = (monitor: string) => boolean;

/** Whether a monitor is under maintenance, or depends on one that is; among `monitors`, which exist for the reader. */
export function maintainedAmong(
  monitors: readonly Monitor[],
  windows: readonly MaintenanceWindow[],
  nowAt: number,
): IsMaintained {
  const maintenances = windows.filter(({ startAt, endAt }) => startAt <= nowAt && nowAt < endAt);
  if (maintenances.length === 0) return () => false;
  const graph = graphOfMonitors(monitors);
  return (id) => isMaintained(id, graph, { mutes: { silences: [], maintenances }, nowAt });
}

type BadgeSources = Pick<GatherSources, 'store' | 'stateOf' | 'figures'>;

/** As pages show it. `at`: the present, epoch ms. */
function stateOf(
  id: string,
  sources: BadgeSources,
  { at, isMaintained }: Pick<Shown, 'at' | 'isMaintained'>,
) {
  const { status, isUnconfirmed } = statusOf(id, sources);
  const day = isUnconfirmed ? sources.figures.recentDay(id, at) : null;
  return readerState({ status, maintenance: isMaintained(id) }, { isUnconfirmed, day });
}

interface Shown {
  readonly window: BadgeWindow;
  readonly at: number;
  readonly isMaintained: IsMaintained;
}

export function badgeOf(
  sources: BadgeSources,
  { id, name }: Monitor,
  { window, at, isMaintained }: Shown,
): BadgeFacts {
  const { figures } = sources;
  const uptimePermille =
    window === '24h'
      ? (figures.recentDay(id, at)?.uptimePermille ?? null)
      : uptimeShare(
          figures
            .at(at)
            .of(id)
            ?.rolling([Number.parseInt(window, 10)])[0] ?? noSecs,
        );
  const status = stateOf(id, sources, { at, isMaintained });
  // One failure that nothing confirmed, and nothing before it.
  const isNoData = uptimePermille === 0 && status === 'unknown' && statusOf(id, sources).isUnconfirmed;
  return { name, status, uptimePermille: isNoData ? null : uptimePermille };
}

interface Asked {
  readonly monitors: readonly Monitor[];
  readonly isMaintained: IsMaintained;
  /** Since when this node cannot see its targets; null: it can. */
  readonly sinceAt: number | null;
  readonly nowAt: number;
  /** Those that are open. */
  readonly incidents: () => readonly IncidentView[];
}

/** The worst that pages show; `maintenance` while that is all there is to say. */
export function overallStatus(
  sources: BadgeSources,
  { monitors, isMaintained, sinceAt, nowAt, incidents }: Asked,
): ReaderState {
  const judged = monitors.map(({ id }) => {
    return { status: statusOf(id, sources).status, state: stateOf(id, sources, { at: nowAt, isMaintained }) };
  });
  const { overall_state: state } = overallOf(judged, { sinceAt, nowAt });
  // Nothing that an operator says makes these another.
  const isSettled = state === 'major_outage' || state === 'unknown';
  const declared = isSettled ? null : declaredIn({ overall_state: state, incidents: incidents() });
  if (declared !== null) return declared.tone;
  return state === 'major_outage' || state === 'partial_outage' ? 'down' : state;
}
