/** Decides which incidents readers are shown. */
import { isMaintainedThroughout } from '../../engine/core/maintained.ts';
import type { MaintenanceWindow } from '../../engine/core/mute.ts';
import type { IncidentView } from '../../engine/views/incident.ts';

export interface Maintenance {
  /** All that exists for the reader, what is over included. */
  readonly planned: readonly MaintenanceWindow[];
  /** Whether a monitor is under maintenance now, or depends on one that is. */
  readonly isMaintained: (monitor: string) => boolean;
}

/**
 * What is down under maintenance is no news while that lasts, and what began and ended under it never is, as no uptime
 * counts it; unless an operator has something to say about it.
 */
export function isNews(
  { monitor, started_at: startedAt, ended_at: endedAt, updates, note }: IncidentView,
  { planned, isMaintained }: Maintenance,
): boolean {
  if (monitor === null || updates.some(({ message }) => message !== null)) return true;
  if (endedAt === null) return !isMaintained(monitor);
  const span = { fromAt: Date.parse(startedAt), toAt: Date.parse(endedAt) };
  return note !== null || !isMaintainedThroughout(planned, monitor, span);
}

export function newsAmong(
  incidents: readonly IncidentView[],
  maintenance: Maintenance,
): readonly IncidentView[] {
  return incidents.filter((incident) => isNews(incident, maintenance));
}
