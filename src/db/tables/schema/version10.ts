/**
 * The tables of version 10: the months that are closed, the days that had maintenance, and what the configuration says of a
 * monitor that its months are shown with. Apart from tables.ts, which would be too long with them.
 */
export const version10 = `
  CREATE TABLE closed_months (
    month TEXT PRIMARY KEY,
    closed_at INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    zone TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE closed_monitors (
    month TEXT NOT NULL,
    monitor TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (month, monitor)
  ) WITHOUT ROWID;
  -- slot = day since the epoch (UTC) * 1048576 + monitors.key. Seconds of the day under maintenance, and what they held.
  CREATE TABLE maintained_days (
    slot INTEGER PRIMARY KEY,
    span_secs INTEGER NOT NULL,
    up_secs INTEGER NOT NULL,
    degraded_secs INTEGER NOT NULL,
    down_secs INTEGER NOT NULL,
    unknown_secs INTEGER NOT NULL
  );
  -- A document {group, slo, private}; NULL: not known.
  ALTER TABLE monitors ADD COLUMN shown TEXT;`;
