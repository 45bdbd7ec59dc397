/** The notification channels: which there are, and how each is doing. */
import { channelFailed, channelSucceeded, channelFailureNotified } from './mutations/alerts.ts';
import { removeChannel, seeChannel } from './mutations/channels.ts';
import { renameChannel } from './mutations/renames.ts';
import type { SqlReader } from '../store/sql.ts';

export interface ChannelHealthRow {
  readonly channel: string;
  readonly consecutiveFailures: number;
  /** When the streak of failures began; null: the last delivery arrived. */
  readonly failingSinceAt: number | null;
  /** When the other channels were told of the streak; null: not yet. */
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
  /** Since when the config has it no more; null while it does. */
  readonly removedAt: number | null;
}

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
