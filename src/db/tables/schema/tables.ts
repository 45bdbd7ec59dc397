/**
 * The tables of version 1, as SQL, and what later versions change about them.
 *
 * Instants are epoch milliseconds and end in `_at`; samples count in epoch seconds. Monitors are in the hot
 * tables by a small number (`monitors.key`), elsewhere by their config id. Numbers that something points at
 * are never used twice (AUTOINCREMENT). Statuses are numbers: 0 up, 1 degraded, 2 down, 3 unknown.
 */

const monitors = `
  CREATE TABLE monitors (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    removed_at INTEGER,
    -- The sample recorded last, whatever its second: what "last checked" shows.
    last_secs INTEGER,
    last_status INTEGER,
    last_latency_ms INTEGER,
    last_category TEXT,
    last_message TEXT,
    -- The sample of the latest second: it speaks until the next one, or for tail_hold_secs.
    tail_secs INTEGER,
    tail_status INTEGER,
    tail_hold_secs INTEGER,
    -- The first hour that ever had a sample.
    oldest_hour INTEGER NOT NULL,
    -- Hours before this one are packed, and counted in daily.
    packed_before INTEGER NOT NULL,
    -- Samples of hours before this one have been pruned; none is taken in any more.
    pruned_before INTEGER NOT NULL DEFAULT 0,
    -- Samples ever recorded.
    samples INTEGER NOT NULL DEFAULT 0,
    -- Goes up whenever an hour before the tail's changes: readers that remember older hours look again.
    rewrites INTEGER NOT NULL DEFAULT 0
  );`;

const samples = `
  -- The last hours, sample by sample. n distinguishes samples of one second, in the order they came.
  CREATE TABLE samples (
    monitor INTEGER NOT NULL,
    secs INTEGER NOT NULL,
    n INTEGER NOT NULL,
    status INTEGER NOT NULL,
    latency_ms INTEGER,
    hold_secs INTEGER NOT NULL,
    is_heartbeat INTEGER NOT NULL,
    PRIMARY KEY (monitor, secs, n)
  ) WITHOUT ROWID;

  -- Older hours, one block a monitor-hour. slot = hour since the epoch * 1048576 + monitors.key.
  CREATE TABLE packed_hours (slot INTEGER PRIMARY KEY, block BLOB NOT NULL);

  -- Why a sample was not healthy, or what a heartbeat said; kept where it differs from the one before.
  CREATE TABLE remarks (
    id INTEGER PRIMARY KEY,
    monitor INTEGER NOT NULL,
    secs INTEGER NOT NULL,
    category TEXT,
    message TEXT
  );
  CREATE INDEX remarks_by_monitor ON remarks (monitor, secs);`;

const rollup = (name: string, bucket: string) => `
  -- slot = ${bucket} since the epoch (UTC) * 1048576 + monitors.key.
  CREATE TABLE ${name} (
    slot INTEGER PRIMARY KEY,
    up_secs INTEGER NOT NULL,
    degraded_secs INTEGER NOT NULL,
    down_secs INTEGER NOT NULL,
    unknown_secs INTEGER NOT NULL,
    up INTEGER NOT NULL,
    degraded INTEGER NOT NULL,
    down INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    latency_count INTEGER NOT NULL,
    latency_sum_ms INTEGER NOT NULL,
    latency_min_ms INTEGER,
    latency_max_ms INTEGER,
    -- A histogram of the latencies, and those not yet in it: two bytes each, their bucket.
    latencies BLOB,
    recent_latencies BLOB
  );`;

const incidents = `
  CREATE TABLE incidents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    monitor TEXT NOT NULL,
    name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    confirmed_at INTEGER NOT NULL,
    ended_at INTEGER,
    category TEXT,
    reason TEXT,
    cause TEXT,
    impacted TEXT NOT NULL,
    note TEXT,
    noted_at INTEGER,
    snapshot TEXT,
    vantage TEXT
  );
  CREATE INDEX incidents_by_start ON incidents (started_at, uid);
  CREATE INDEX incidents_by_monitor ON incidents (monitor, started_at, uid);
  CREATE INDEX incidents_open ON incidents (started_at, uid) WHERE ended_at IS NULL;
  CREATE UNIQUE INDEX incidents_one_open ON incidents (monitor) WHERE ended_at IS NULL;
  CREATE INDEX incidents_by_end ON incidents (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE incident_totals (monitor TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    monitor TEXT,
    incident TEXT,
    channel TEXT,
    event TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT
  );
  CREATE INDEX decisions_by_time ON decisions (at);
  CREATE INDEX decisions_by_monitor ON decisions (monitor, at);
  CREATE INDEX decisions_by_incident ON decisions (incident, at) WHERE incident IS NOT NULL;
  CREATE TABLE decision_totals (
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (verdict, reason)
  ) WITHOUT ROWID;`;

const alerting = `
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    event TEXT NOT NULL,
    monitor TEXT,
    incident TEXT,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    last_error TEXT,
    finished_at INTEGER
  );
  CREATE INDEX outbox_due ON outbox (next_at) WHERE state = 'waiting';
  CREATE INDEX outbox_finished ON outbox (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX outbox_by_incident ON outbox (incident) WHERE incident IS NOT NULL;
  CREATE TABLE delivery_totals (
    channel TEXT NOT NULL,
    outcome TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (channel, outcome)
  ) WITHOUT ROWID;

  CREATE TABLE alert_states (
    monitor TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    saved_at INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE channel_health (
    channel TEXT PRIMARY KEY,
    consecutive_failures INTEGER NOT NULL,
    failing_since_at INTEGER,
    told_at INTEGER,
    last_error TEXT,
    last_ok_at INTEGER,
    last_failed_at INTEGER
  ) WITHOUT ROWID;

  CREATE TABLE producer_alerts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    monitor TEXT NOT NULL,
    at INTEGER NOT NULL,
    severity TEXT NOT NULL,
    title TEXT NOT NULL,
    message TEXT,
    tags TEXT NOT NULL,
    dedup_key TEXT,
    window_ends_at INTEGER NOT NULL,
    suppressed INTEGER NOT NULL
  );
  CREATE INDEX producer_alerts_by_time ON producer_alerts (at);
  CREATE INDEX producer_alerts_by_monitor ON producer_alerts (monitor, at);
  CREATE INDEX producer_alerts_by_key ON producer_alerts (monitor, dedup_key, at) WHERE dedup_key IS NOT NULL;`;

const operator = `
  CREATE TABLE silences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    monitors TEXT NOT NULL,
    until_at INTEGER NOT NULL,
    reason TEXT,
    created_at INTEGER NOT NULL
  );

  CREATE TABLE announcements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    body TEXT,
    severity TEXT NOT NULL,
    until_at INTEGER,
    created_at INTEGER NOT NULL
  );`;

const observed = `
  CREATE TABLE certificates (
    monitor TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    issuer TEXT NOT NULL,
    valid_from_at INTEGER NOT NULL,
    valid_to_at INTEGER NOT NULL,
    spki_sha256 TEXT NOT NULL,
    is_trusted INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- The expiry a warning was sent for: a renewed certificate has another.
    warned_for_at INTEGER
  ) WITHOUT ROWID;

  CREATE TABLE domains (
    monitor TEXT PRIMARY KEY,
    domain TEXT NOT NULL,
    expires_at INTEGER,
    error TEXT,
    checked_at INTEGER NOT NULL,
    warned_for_at INTEGER
  ) WITHOUT ROWID;

  CREATE TABLE peers (
    id TEXT PRIMARY KEY,
    heard_at INTEGER NOT NULL,
    state TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE peer_verdicts (
    peer TEXT NOT NULL,
    monitor TEXT NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    latency_ms INTEGER,
    error TEXT,
    skew_ms INTEGER,
    PRIMARY KEY (peer, monitor)
  ) WITHOUT ROWID;

  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`;

/**
 * Silences and banners have a name that the writer chose, like incidents: what clears one means it and no other,
 * whatever became of the records before. Those of version 1 have none.
 */
export const uidsOfOperator = `
  ALTER TABLE silences ADD COLUMN uid TEXT;
  CREATE UNIQUE INDEX silences_by_uid ON silences (uid) WHERE uid IS NOT NULL;
  ALTER TABLE announcements ADD COLUMN uid TEXT;
  CREATE UNIQUE INDEX announcements_by_uid ON announcements (uid) WHERE uid IS NOT NULL;`;

/** What kept this host from checking the monitor (ownFaultKey); null for an outage. */
export const ownFaultOfIncidents = 'ALTER TABLE incidents ADD COLUMN own_fault TEXT;';

/** Version 3: since when a certificate cannot be read, once that was notified; NULL: it can. */
export const unreadableCertificates = 'ALTER TABLE certificates ADD COLUMN unreadable_since_at INTEGER;';

/** Version 4: when a push monitor was last heard, as far as its state of alerting does not say it. */
export const heardAtOfMonitors = 'ALTER TABLE monitors ADD COLUMN heard_at INTEGER;';

/** Version 7: who takes care of an incident, since when, and what they said; NULL: nobody is known to. */
export const acknowledgements = `
  ALTER TABLE incidents ADD COLUMN acknowledged_at INTEGER;
  ALTER TABLE incidents ADD COLUMN acknowledged_by TEXT;
  ALTER TABLE incidents ADD COLUMN acknowledged_why TEXT;`;

/** Version 8: hourly rollups of hours whose samples are not in memory any more, a UTC day of a monitor in one row. */
export const hourlyDays = `
  -- slot = day since the epoch (UTC) * 1048576 + monitors.key.
  CREATE TABLE hourly_days (slot INTEGER PRIMARY KEY, hours BLOB NOT NULL);`;

/** Version 9: rollups of weeks whose samples are not in memory any more, seven UTC days of a monitor in one row. */
export const rollupWeeks = `
  -- slot = week since the epoch (UTC) * 1048576 + monitors.key. Of hours, of days, and of the latencies of days.
  CREATE TABLE hourly_weeks (slot INTEGER PRIMARY KEY, packed BLOB NOT NULL);
  CREATE TABLE daily_weeks (slot INTEGER PRIMARY KEY, packed BLOB NOT NULL);
  CREATE TABLE latency_weeks (slot INTEGER PRIMARY KEY, packed BLOB NOT NULL);`;

/** Version 10: the months that are closed, and what the configuration says of a monitor that its months are shown with. */
export const closedMonths = `
  CREATE TABLE closed_months (
    month TEXT PRIMARY KEY,
    closed_at INTEGER NOT NULL,
    definitions INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE closed_monitors (
    month TEXT NOT NULL,
    monitor TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (month, monitor)
  ) WITHOUT ROWID;
  -- A document {group, slo, private, position}; NULL: not known.
  ALTER TABLE monitors ADD COLUMN shown TEXT;`;

export const version1 = [
  monitors,
  samples,
  rollup('hourly', 'hour'),
  rollup('daily', 'day'),
  incidents,
  alerting,
  operator,
  observed,
].join('\n');

/** Version 3: what makes a monitor, or a channel, the same one under another name. */
export const identities = `
  -- A digest of what it watches; NULL: not known.
  ALTER TABLE monitors ADD COLUMN identity TEXT;

  -- The channels that were ever usable, with a digest of whom each reaches. removed_at: the config has it no more.
  CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    destination TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    removed_at INTEGER
  ) WITHOUT ROWID;`;
