/** Brings the list of channels in line with a configuration: which are there, which go by another name. */
import { counted } from '../../engine/core/words.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { channels } from '../../db/tables/channels.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Config } from '../../engine/config/config.ts';
import type { LogEntry } from '../../engine/core/log.ts';
import { renamesOf, type Rename } from '../../engine/monitoring/renames.ts';
import { destinationOf, saltOf } from '../../engine/monitoring/identity.ts';
import type { DeliverySettings } from './settings.ts';
import type { PendingDelivery } from './outbox-cache.ts';

interface ChannelAlignment {
  readonly operations: readonly Operation[];
  /** The channels that go by another name. */
  readonly renames: readonly Rename[];
}

/**
 * What makes the list of channels that of the configuration. A channel that is configured no more is remembered, so
 * that it is recognised when a later configuration reaches the same destination under a new name.
 */
export function alignChannels(sql: SqlReader, config: Config, nowAt: number): ChannelAlignment {
  const { salt, operations } = saltOf(sql);
  const usable = config.channels.map((channel) => ({
    name: channel.name,
    identity: destinationOf(channel, salt),
  }));
  const known = new Map(channels.known(sql).map((row) => [row.name, row]));
  const configured = new Set([...usable, ...config.disabled_channels].map(({ name }) => name));
  const renames = renamesOf(
    [...known.values()]
      .filter(({ name }) => !configured.has(name))
      .map(({ name, destination }) => ({ name, identity: destination })),
    usable.filter(({ name }) => (known.get(name)?.removedAt ?? null) !== null || !known.has(name)),
  );
  const renamed = new Set(renames.map(({ from }) => from));
  const isRecorded = ({ name, identity }: (typeof usable)[number]) =>
    known.get(name)?.removedAt === null && known.get(name)?.destination === identity;
  return {
    renames,
    operations: [
      ...operations,
      ...renames.map((rename) => channels.rename(rename)),
      ...usable
        .filter((channel) => !isRecorded(channel))
        .map(({ name, identity }) => channels.see({ channel: name, destination: identity, at: nowAt })),
      ...[...known.values()]
        .filter(({ name, removedAt }) => removedAt === null && !configured.has(name) && !renamed.has(name))
        .map(({ name }) => channels.remove({ channel: name, at: nowAt })),
    ],
  };
}

export function channelRenamedLine(from: string, to: string): LogEntry {
  return {
    level: 'info',
    event: 'channel.renamed',
    message: `channel ${from} is called ${to} now: its messages and its health follow`,
    fields: { channel: to, from },
  };
}

/**
 * What waited for channels that are back is due now, in the order in which it was queued, before anything new: a
 * recovery that comes after the next alert would sound as if that were over.
 */
export function releasedOperations(
  waiting: Iterable<PendingDelivery>,
  settings: DeliverySettings,
  nowAt: number,
): Operation[] {
  return [...waiting]
    .filter(({ row, hold }) => hold?.reason === 'channel_unavailable' && settings.channels.has(row.channel))
    .map(({ row: { deliveryId, event, payload } }) =>
      outbox.replace({ deliveryId, event, payload, nextAt: nowAt }),
    );
}

/** One line for each channel that cannot be used while messages wait for it. */
export function unavailableLines(
  waiting: Iterable<PendingDelivery>,
  { channels: usable, disabled }: DeliverySettings,
): LogEntry[] {
  const counts = new Map<string, number>();
  for (const { row } of waiting)
    if (!usable.has(row.channel)) counts.set(row.channel, (counts.get(row.channel) ?? 0) + 1);
  return [...counts].map(([channel, count]) => {
    const why = disabled.has(channel) ? 'disabled' : 'not configured';
    const what = counted(count, 'message waits', 'messages wait');
    return {
      level: 'warning',
      event: 'channel.unavailable',
      message: `channel ${channel} is ${why}: ${what} until it is back, or the outage is over`,
      fields: { channel, messages: count },
    };
  });
}
