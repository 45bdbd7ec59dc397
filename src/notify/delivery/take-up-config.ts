/** Brings what waits in line with a new configuration, before anything is decided by it. */
import { alignChannels, channelRenamedLine, releasedOperations, unavailableLines } from './align-channels.ts';
import type { ChannelQueue } from './channel-queue.ts';
import { rerouteAll, type RerouteOptions } from './reroute-all.ts';
import type { OutboxCache } from './outbox-cache.ts';

export interface TakeUpOptions extends Omit<RerouteOptions, 'rowsOf'> {
  readonly cache: OutboxCache;
  readonly channelQueues: Map<string, ChannelQueue>;
}

/** Answers whether it succeeded; why not stands in the log. */
export async function takeUpConfig(options: TakeUpOptions): Promise<boolean> {
  try {
    await align(options);
    return true;
  } catch (error) {
    options.log({
      level: 'error',
      event: 'pipeline.failed',
      message: `Open outages could not be routed by the new configuration: ${String(error)}`,
    });
    return false;
  }
}

async function align({ cache, channelQueues, ...options }: TakeUpOptions): Promise<void> {
  const { sql, settings, write, now, log } = options;
  const { operations, renames } = alignChannels(sql, settings.config, now());
  if (operations.length > 0) await write(operations);
  for (const { from, to } of renames) {
    log(channelRenamedLine(from, to));
    // What is on its way under the old name is waited for under the new one.
    const channelQueue = channelQueues.get(from);
    if (channelQueue === undefined) continue;
    channelQueues.set(to, channelQueue);
    channelQueues.delete(from);
  }
  const released = releasedOperations(cache.all(), settings, now());
  if (released.length > 0) await write(released);
  await rerouteAll({ ...options, rowsOf: (episode) => cache.ofIncident(episode) });
  for (const line of unavailableLines(cache.all(), settings)) log(line);
}
