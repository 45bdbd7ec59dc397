/** The changes to what alerting remembers: the state of each monitor, the health of each channel. */
import { instant } from './fields.ts';
import { channelName, document, monitorId, sentence } from './names.ts';
import { declareWrite } from './write.ts';

/** Keeps the state of a monitor's alerting, which only its owner understands. */
export const saveAlertState = declareWrite(
  'alert.state',
  { monitor: monitorId, state: document, at: instant },
  (sql, { monitor, state, at }) => {
    sql.run(
      'INSERT OR REPLACE INTO alert_states (monitor, state, saved_at) VALUES (?, ?, ?)',
      monitor,
      JSON.stringify(state),
      at,
    );
    return null;
  },
);

/** A delivery arrived: the streak is over. */
export const channelSucceeded = declareWrite(
  'channel.ok',
  { channel: channelName, at: instant },
  (sql, { channel, at }) => {
    sql.run(
      `INSERT INTO channel_health (channel, consecutive_failures, last_ok_at) VALUES (?1, 0, ?2)
       ON CONFLICT (channel) DO UPDATE SET
         consecutive_failures = 0, failing_since_at = NULL, told_at = NULL, last_error = NULL, last_ok_at = ?2`,
      channel,
      at,
    );
    return null;
  },
);

/** A delivery failed with all its retries. Answers how many in a row that makes. */
export const channelFailed = declareWrite(
  'channel.failed',
  { channel: channelName, at: instant, error: sentence },
  (sql, { channel, at, error }) => {
    sql.run(
      `INSERT INTO channel_health (channel, consecutive_failures, failing_since_at, last_error, last_failed_at)
       VALUES (?1, 1, ?2, ?3, ?2)
       ON CONFLICT (channel) DO UPDATE SET
         consecutive_failures = consecutive_failures + 1,
         failing_since_at = coalesce(failing_since_at, ?2), last_error = ?3, last_failed_at = ?2`,
      channel,
      at,
      error,
    );
    return (
      sql.get('SELECT consecutive_failures FROM channel_health WHERE channel = ?', [channel], (row) =>
        row.number('consecutive_failures'),
      ) ?? 0
    );
  },
);

/** The other channels were told of this streak. */
export const channelFailureNotified = declareWrite(
  'channel.told',
  { channel: channelName, at: instant },
  (sql, { channel, at }) =>
    sql.run(
      'UPDATE channel_health SET told_at = ? WHERE channel = ? AND failing_since_at IS NOT NULL',
      at,
      channel,
    ) > 0,
);
