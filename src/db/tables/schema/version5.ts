/**
 * Version 5 of the tables: incidents that an operator opens, what people say about incidents while they last, post-mortems, and
 * markers of what was changed. All that belongs to an incident goes with it.
 */
export const version5 = `
  -- Of an incident that an operator opened, whose monitor is '' and whose name is its title; NULL: of a monitor.
  ALTER TABLE incidents ADD COLUMN impact TEXT;
  ALTER TABLE incidents ADD COLUMN monitors TEXT;
  DROP INDEX incidents_one_open;
  CREATE UNIQUE INDEX incidents_one_open ON incidents (monitor) WHERE ended_at IS NULL AND impact IS NULL;

  CREATE TABLE incident_updates (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    incident TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT,
    message TEXT,
    author TEXT
  );
  CREATE INDEX incident_updates_by_incident ON incident_updates (incident, at);

  CREATE TABLE postmortems (incident TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TRIGGER incidents_take_theirs AFTER DELETE ON incidents BEGIN
    DELETE FROM incident_updates WHERE incident = OLD.uid;
    DELETE FROM postmortems WHERE incident = OLD.uid;
  END;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    monitors TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE INDEX events_by_time ON events (at);`;

/** Version 6: maintenance that an operator planned, and the windows of schedules that took place. */
export const plannedMaintenance = `
  CREATE TABLE maintenances (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    monitors TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    end_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX maintenances_by_end ON maintenances (end_at);`;
