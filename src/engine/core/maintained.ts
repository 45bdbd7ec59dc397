/** Which windows of maintenance are taken out of figures. Instants are epoch ms. */
import type { MaintenanceWindow } from './mute.ts';

/** From `fromAt` to before `toAt`. */
export interface Stretch {
  readonly fromAt: number;
  readonly toAt: number;
}

/** When the windows cover a monitor themselves: what covers its upstream does not stand in its days. */
export function maintenanceSpans(windows: readonly MaintenanceWindow[], id: string) {
  return windows.flatMap(({ startAt, endAt, monitors }) =>
    monitors.length === 0 || monitors.includes(id) ? [{ startedAt: startAt, endedAt: endAt }] : [],
  );
}

/** What windows that cover a monitor take of a stretch of time, in order, and none of it twice. */
export function maintainedWithin(
  windows: readonly MaintenanceWindow[],
  id: string,
  { fromAt, toAt }: Stretch,
): readonly Stretch[] {
  const found: { fromAt: number; toAt: number }[] = [];
  const touching = windows.filter(({ startAt, endAt }) => startAt < toAt && endAt > fromAt);
  const spans = maintenanceSpans(touching, id).toSorted((a, b) => a.startedAt - b.startedAt);
  for (const { startedAt, endedAt } of spans) {
    const part = { fromAt: Math.max(startedAt, fromAt), toAt: Math.min(endedAt, toAt) };
    const last = found.at(-1);
    if (last !== undefined && part.fromAt <= last.toAt) last.toAt = Math.max(last.toAt, part.toAt);
    else found.push(part);
  }
  return found;
}

/** Whether windows that cover a monitor take all of a stretch, be it an instant. */
export function isMaintainedThroughout(
  windows: readonly MaintenanceWindow[],
  id: string,
  { fromAt, toAt }: Stretch,
): boolean {
  const endAt = Math.max(toAt, fromAt + 1);
  return stretchesMs(maintainedWithin(windows, id, { fromAt, toAt: endAt })) === endAt - fromAt;
}

/** How long stretches that do not overlap last together. */
export function stretchesMs(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { fromAt, toAt }) => sum + toAt - fromAt, 0);
}
