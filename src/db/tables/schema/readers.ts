/**
 * The tables of readers who want mails, and of what they are to be mailed. What happens to an incident and what is said
 * about it is put there with it, whichever process writes it, so that none is missed and none counts twice.
 */
export const readers = `
  CREATE TABLE subscribers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- JSON: names of groups, '' for monitors of none; an empty list is everything.
    groups TEXT NOT NULL,
    -- JSON: SHA-256 of the secrets in the links that were mailed, the newest first.
    tokens TEXT NOT NULL DEFAULT '[]',
    requested_at INTEGER NOT NULL,
    -- Since when a mail with a link waits to be sent; NULL: none does.
    asked_at INTEGER,
    confirmed_at INTEGER
  );
  CREATE INDEX subscribers_asked ON subscribers (asked_at) WHERE asked_at IS NOT NULL;

  CREATE TABLE broadcasts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    -- Of an incident; NULL: about a maintenance, which 'about' names.
    incident TEXT,
    about TEXT,
    event TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Those who asked later get none of it.
    last_subscriber INTEGER NOT NULL,
    -- Those up to this one are done, but for those in 'later'.
    cursor INTEGER NOT NULL DEFAULT 0,
    -- JSON: beyond the cursor, those that are done; and those to be tried again, with how often they were.
    ahead TEXT NOT NULL DEFAULT '[]',
    later TEXT NOT NULL DEFAULT '[]',
    sent INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER
  );
  CREATE INDEX broadcasts_open ON broadcasts (id) WHERE finished_at IS NULL;
  CREATE INDEX broadcasts_by_incident ON broadcasts (incident);

  CREATE TRIGGER incidents_are_mailed AFTER INSERT ON incidents
    WHEN NEW.impact IS NULL AND NEW.own_fault IS NULL
      AND EXISTS (SELECT 1 FROM subscribers WHERE confirmed_at IS NOT NULL) BEGIN
    INSERT OR IGNORE INTO broadcasts (uid, incident, event, created_at, last_subscriber)
      VALUES (NEW.uid || '.opened', NEW.uid, 'opened', NEW.confirmed_at, (SELECT max(id) FROM subscribers));
  END;
  CREATE TRIGGER incident_updates_are_mailed AFTER INSERT ON incident_updates
    WHEN EXISTS (SELECT 1 FROM subscribers WHERE confirmed_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM incidents WHERE uid = NEW.incident AND own_fault IS NOT NULL) BEGIN
    INSERT OR IGNORE INTO broadcasts (uid, incident, about, event, created_at, last_subscriber)
      VALUES (NEW.uid, NEW.incident, NEW.uid, 'updated', NEW.at, (SELECT max(id) FROM subscribers));
  END;
  CREATE TRIGGER incident_ends_are_mailed AFTER UPDATE OF ended_at ON incidents
    WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.impact IS NULL AND NEW.own_fault IS NULL
      AND EXISTS (SELECT 1 FROM subscribers WHERE confirmed_at IS NOT NULL) BEGIN
    INSERT OR IGNORE INTO broadcasts (uid, incident, event, created_at, last_subscriber)
      VALUES (NEW.uid || '.resolved', NEW.uid, 'resolved', NEW.ended_at, (SELECT max(id) FROM subscribers));
  END;`;

/** Version 7, in part: when links were mailed to a reader, and incidents that an operator opened without mails to readers. */
export const quietIncidents = `
  -- JSON: the latest ones, epoch ms.
  ALTER TABLE subscribers ADD COLUMN link_mails TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE incidents ADD COLUMN is_quiet INTEGER NOT NULL DEFAULT 0;
  DROP TRIGGER incident_updates_are_mailed;
  CREATE TRIGGER incident_updates_are_mailed AFTER INSERT ON incident_updates
    WHEN EXISTS (SELECT 1 FROM subscribers WHERE confirmed_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM incidents WHERE uid = NEW.incident AND (own_fault IS NOT NULL OR is_quiet)) BEGIN
    INSERT OR IGNORE INTO broadcasts (uid, incident, about, event, created_at, last_subscriber)
      VALUES (NEW.uid, NEW.incident, NEW.uid, 'updated', NEW.at, (SELECT max(id) FROM subscribers));
  END;`;
