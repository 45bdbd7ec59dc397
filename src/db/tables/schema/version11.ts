/**
 * The tables of version 11: the seconds of days under maintenance, and the time zone of closed months. Apart from tables.ts,
 * which would be too long with them.
 */
export const version11 = `
  ALTER TABLE closed_months ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
  -- slot = day since the epoch (UTC) * 1048576 + monitors.key. Seconds of the day under maintenance, and what they held.
  CREATE TABLE maintained_days (
    slot INTEGER PRIMARY KEY,
    span_secs INTEGER NOT NULL,
    up_secs INTEGER NOT NULL,
    degraded_secs INTEGER NOT NULL,
    down_secs INTEGER NOT NULL,
    unknown_secs INTEGER NOT NULL
  );`;
