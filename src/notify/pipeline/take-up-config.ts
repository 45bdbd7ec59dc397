/** Brings what waits in line with a new configuration, before anything is decided by it. */
import { alignChannels, channelRenamedLine, releasedOperations, unavailableLines } from './align-channels.ts';
import type { Lane } from './lane.ts';
import { rerouteAll, type RerouteOptions } from './reroute-all.ts';
import type { Waiting } from './waiting.ts';

export interface TakeUpOptions extends Omit<RerouteOptions, 'rowsOf'> {
  readonly waiting: Waiting;
  readonly lanes: Map<string, Lane>;
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

async function align({ waiting, lanes, ...options }: TakeUpOptions): Promise<void> {
  const { sql, setting, write, now, log } = options;
  const { operations, renames } = alignChannels(sql, setting.config, now());
  if (operations.length > 0) await write(operations);
  for (const { from, to } of renames) {
    log(channelRenamedLine(from, to));
    // What is on its way under the old name is waited for under the new one.
    const lane = lanes.get(from);
    if (lane === undefined) continue;
    lanes.set(to, lane);
    lanes.delete(from);
  }
  const released = releasedOperations(waiting.all(), setting, now());
  if (released.length > 0) await write(released);
  await rerouteAll({ ...options, rowsOf: (episode) => waiting.ofIncident(episode) });
  for (const line of unavailableLines(waiting.all(), setting)) log(line);
}
