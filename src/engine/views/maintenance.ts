/** The maintenance windows a reader may know of: those that are on, and those to come. */
import { rfc3339 } from '../core/instant.ts';
import type { ConfiguredMaintenance } from '../config/config.ts';
import type { MaintenanceWindow as MuteWindow } from '../core/mute.ts';
import type { Reader } from './reader.ts';

/**
 * The windows that are not over, the next one first. One that covers only monitors that do not exist for the reader
 * does not either; an empty list of monitors means all of them.
 */
export function maintenanceViews(windows: readonly ConfiguredMaintenance[], { isVisible, nowAt }: Reader) {
  return windows
    .filter(({ end }) => end > nowAt)
    .map((window) => ({ ...window, visible: window.monitors.filter(isVisible) }))
    .filter(({ monitors, visible }) => monitors.length === 0 || visible.length > 0)
    .toSorted((a, b) => a.start - b.start)
    .map(({ title, start, end, visible }) => ({
      title,
      start: rfc3339(start),
      end: rfc3339(end),
      monitors: visible,
    }));
}

/** The same windows as the rules of muting know them. */
export function muteWindows(windows: readonly ConfiguredMaintenance[]): MuteWindow[] {
  return windows.map(({ title, start, end, monitors }) => ({ title, startAt: start, endAt: end, monitors }));
}
