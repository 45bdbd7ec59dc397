/** The health of the notification channels. */
import { channelFailed, channelSucceeded, channelTold } from '../ops/alerts.ts';
import type { SqlReader } from '../sql.ts';

export interface ChannelHealthRow {
  readonly channel: string;
  readonly consecutiveFailures: number;
  /** When the streak of failures began; null: the last delivery arrived. */
  readonly failingSinceAt: number | null;
  /** When the other channels were told of the streak; null: not yet. */
  readonly toldAt: number | null;
  readonly lastError: string | null;
  readonly lastOkAt: number | null;
  readonly lastFailedAt: number | null;
}

export const channels = {
  succeeded: channelSucceeded,
  failed: channelFailed,
  told: channelTold,

  /** Every channel that ever tried, by name. */
  list: (sql: SqlReader): ChannelHealthRow[] =>
    sql.all('SELECT * FROM channel_health ORDER BY channel', [], (row) => ({
      channel: row.text('channel'),
      consecutiveFailures: row.number('consecutive_failures'),
      failingSinceAt: row.numberOrNull('failing_since_at'),
      toldAt: row.numberOrNull('told_at'),
      lastError: row.textOrNull('last_error'),
      lastOkAt: row.numberOrNull('last_ok_at'),
      lastFailedAt: row.numberOrNull('last_failed_at'),
    })),
};
