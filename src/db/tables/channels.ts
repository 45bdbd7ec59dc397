/** The notification channels and the health of each. */
import { renameChannel } from './renames.ts';
import type { SqlReader } from '../store/sql.ts';
import { channelName, instant, sentence, text } from './fields.ts';
import { declareWrite } from './write.ts';

/** The config has this channel, and it can be used. `destination`: a digest of whom it reaches. */
export const seeChannel = declareWrite(
  'channel.see',
  { channel: channelName, destination: text(64), at: instant },
  (sql, { channel, destination, at }) => {
    sql.run(
      `INSERT INTO channels (name, destination, seen_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET destination = ?2, seen_at = ?3, removed_at = NULL`,
      channel,
      destination,
      at,
    );
    return null;
  },
);

/** The config no longer has this channel; it is remembered, in case it comes back under another name. */
export const removeChannel = declareWrite(
  'channel.remove',
  { channel: channelName, at: instant },
  (sql, { channel, at }) => {
    sql.run('UPDATE channels SET removed_at = ? WHERE name = ? AND removed_at IS NULL', at, channel);
    return null;
  },
);

export interface ChannelHealthRow {
  readonly channel: string;
  readonly consecutiveFailures: number;
  /** When the streak of failures began; null: the last delivery arrived. */
  readonly failingSinceAt: number | null;
  /** When the other channels were notified of the streak; null: not yet. */
  readonly notifiedAt: number | null;
  readonly lastError: string | null;
  readonly lastOkAt: number | null;
  readonly lastFailedAt: number | null;
}

/** A channel that was usable at some time. */
export interface ChannelRow {
  readonly name: string;
  /** A digest of whom it reaches. */
  readonly destination: string;
  /** Since when the config no longer has it; null while it does. */
  readonly removedAt: number | null;
}

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

/** The other channels were notified of this streak. */
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

export const channels = {
  see: seeChannel,
  remove: removeChannel,
  rename: renameChannel,

  /** Every channel that was ever usable, by name. */
  known: (sql: SqlReader): ChannelRow[] =>
    sql.all('SELECT name, destination, removed_at FROM channels ORDER BY name', [], (row) => ({
      name: row.text('name'),
      destination: row.text('destination'),
      removedAt: row.numberOrNull('removed_at'),
    })),

  succeeded: channelSucceeded,
  failed: channelFailed,
  notified: channelFailureNotified,

  /** Every channel that ever tried, by name. */
  list: (sql: SqlReader): ChannelHealthRow[] =>
    sql.all('SELECT * FROM channel_health ORDER BY channel', [], (row) => ({
      channel: row.text('channel'),
      consecutiveFailures: row.number('consecutive_failures'),
      failingSinceAt: row.numberOrNull('failing_since_at'),
      notifiedAt: row.numberOrNull('told_at'),
      lastError: row.textOrNull('last_error'),
      lastOkAt: row.numberOrNull('last_ok_at'),
      lastFailedAt: row.numberOrNull('last_failed_at'),
    })),
};
