/**
 * The columns of version 12: the latest reason of an outage, and acknowledgements that are carried over to the next
 * incident. Apart from tables.ts, which would be too long with them.
 */
export const version12 = `
  -- Why the checks of an outage fail by now, and since when; NULL: for the reason that it began with.
  ALTER TABLE incidents ADD COLUMN latest_category TEXT;
  ALTER TABLE incidents ADD COLUMN latest_reason TEXT;
  ALTER TABLE incidents ADD COLUMN latest_at INTEGER;
  -- The uid of the incident whose acknowledgement was carried over to this one; NULL: none was.
  ALTER TABLE incidents ADD COLUMN carried_from TEXT;
  -- When an acknowledged incident ended, as long as the next one of its monitor may carry that over; NULL: it may not.
  ALTER TABLE incidents ADD COLUMN ack_ended_at INTEGER;
  CREATE INDEX incidents_by_ack ON incidents (monitor) WHERE ack_ended_at IS NOT NULL;`;
