/**
 * Where a monitor's hour or day lies in a table: slot = hour × 2^20 + monitor key, an INTEGER PRIMARY KEY.
 *
 * Time comes before the monitor, so that the tables grow at their end and shrink at their start: pages are
 * filled to the brim, pruning frees whole pages, and an hour of all monitors lies together. One monitor's hours
 * are point lookups.
 */

export const hourSecs = 3600;
export const daySecs = 86_400;

/** Keys of monitors are below this. */
const maxMonitorKey = 2 ** 20 - 1;

export function slotOf(bucket: number, monitorKey: number): number {
  return bucket * (maxMonitorKey + 1) + monitorKey;
}

/** The first slot of an hour or a day, whichever monitor it belongs to. */
export function firstSlotOf(bucket: number): number {
  return slotOf(bucket, 0);
}

export function bucketOfSlot(slot: number): number {
  return Math.floor(slot / (maxMonitorKey + 1));
}

/** The hour (since the epoch, UTC) that a second lies in. */
export function hourOf(secs: number): number {
  return Math.floor(secs / hourSecs);
}

/** The UTC day (since the epoch) that an hour lies in. */
export function dayOfHour(hour: number): number {
  return Math.floor(hour / 24);
}
