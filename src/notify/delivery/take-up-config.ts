/** Aligns channels and pending deliveries with a new configuration, before anything is decided by it. */
import { counted } from '../../engine/core/words.ts';
import type { ChannelQueue } from './due.ts';
import type { OutboxCache, PendingDelivery } from './outbox-cache.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { channels } from '../../db/tables/channels.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Config } from '../../engine/config/config.ts';
import { linkKeyOperations } from '../../engine/operations/acknowledge.ts';
import type { Log, LogEntry } from '../../engine/core/log.ts';
import { type Rename, renamesOf } from '../../engine/monitoring/renames.ts';
import { destinationOf, saltOf } from '../../engine/monitoring/identity.ts';
import { type DeliverySettings, repeatMsOf } from './context.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import { degradationOf } from '../../engine/alerting/events/outage.ts';
import { fieldsOf, textIn } from '../../engine/alerting/events/stored.ts';
import { alignReminders } from '../../engine/alerting/remind.ts';
import type { Ongoing } from '../../engine/alerting/route.ts';
import { ongoingOf, relievedBy, routeOutage, unstableTimes } from './route-outage.ts';
import { copiesFor } from './readdressed.ts';
import { type PartsWriter, writeEach } from './write-in-parts.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';

export interface TakeUpOptions extends PartsWriter {
  readonly sql: SqlReader;
  readonly settings: DeliverySettings;
  readonly stateOf: (monitor: string) => MonitorState | null;
  readonly cache: OutboxCache;
  readonly channelQueues: Map<string, ChannelQueue>;
  readonly now: () => number;
  readonly log: Log;
}

/** Answers whether it succeeded; why not is logged. */
export async function takeUpConfig(options: TakeUpOptions): Promise<boolean> {
  try {
    await align(options);
    return true;
  } catch (error) {
    options.log({
      level: 'error',
      event: 'pipeline.failed',
      message: `Open outages could not be routed under the new configuration: ${String(error)}`,
    });
    return false;
  }
}

async function align(options: TakeUpOptions): Promise<void> {
  const { sql, settings, cache, channelQueues, write, now, log } = options;
  const { operations, renames, setAside, readdressed } = settings.isStandIn
    ? newChannels(sql, settings.config, now())
    : alignChannels(sql, settings.config, now());
  const linkKey = linkKeyOperations(sql);
  const within = renamedWithin(
    cache.all(),
    renames.filter(({ from }) => !readdressed.has(from)),
  );
  const copied = copiesFor(readdressed, cache.all(), { sql, nowAt: now() });
  const before = [...operations, ...linkKey, ...within, ...copied];
  if (before.length > 0) await write(before);
  // What is on its way under the old name is waited for under the new one.
  const queues = renames.map(({ from, to }) => ({ to, queue: channelQueues.get(from) }));
  for (const { from, to } of renames) {
    if (!setAside.has(from)) log(channelRenamedLine(from, to));
    else log(channelReplacedLine(from, to, readdressed.has(from)));
    channelQueues.delete(from);
  }
  for (const { to, queue } of queues) if (queue !== undefined) channelQueues.set(to, queue);
  const released = releasedOperations(cache.all(), settings, now());
  if (released.length > 0) await write(released);
  if (!settings.isStandIn) {
    await rerouteAll(options);
    await alignAllReminders(options);
  }
  for (const line of unavailableLines(cache.all(), settings)) log(line);
}

interface ChannelAlignment {
  readonly operations: readonly Operation[];
  /** The channels that go by another name. */
  readonly renames: readonly Rename[];
  /** Those of them whose name leads to another destination now. */
  readonly setAside: ReadonlySet<string>;
  /** Those of these whose name no other channel took over: it is their own destination that was changed. */
  readonly readdressed: ReadonlySet<string>;
}

/**
 * What makes the list of channels that of the configuration. A channel that is no longer configured is remembered, so
 * that it is recognised when a later configuration reaches the same destination under a new name, be that a name that
 * another channel had. What another destination was sent under a name is kept apart, under a name of nobody: who is
 * reached by that name now knows nothing of it, and is not to get its end.
 */
export function alignChannels(sql: SqlReader, config: Config, nowAt: number): ChannelAlignment {
  const { salt, operations } = saltOf(sql);
  const usable = config.channels.map((channel) => ({
    name: channel.name,
    identity: destinationOf(channel, salt),
  }));
  const known = new Map(channels.known(sql).map((row) => [row.name, row]));
  const configured = new Set([...usable, ...config.disabled_channels].map(({ name }) => name));
  const isRecorded = ({ name, identity }: (typeof usable)[number]) =>
    known.get(name)?.removedAt === null && known.get(name)?.destination === identity;
  const reached = new Map(usable.map(({ name, identity }) => [name, identity]));
  // Those never seen, removed before, or of another destination.
  const unrecorded = usable.filter((channel) => !isRecorded(channel));
  const recognised = renamesOf(
    [...known.values()]
      // What is disabled reaches nobody that could be compared.
      .filter(
        ({ name, destination }) =>
          !configured.has(name) || (reached.get(name) ?? destination) !== destination,
      )
      .map(({ name, destination }) => ({ name, identity: destination })),
    unrecorded,
  );
  const leaving = new Set(recognised.map(({ from }) => from));
  const named = new Set(recognised.map(({ to }) => to));
  // Also where it was out of the configuration in between.
  const replaced = unrecorded
    .map(({ name }) => name)
    .filter((name) => known.has(name) && !leaving.has(name))
    .filter((name) => known.get(name)?.destination !== reached.get(name));
  const aside = replaced.map((from) => ({ from, to: nameOfNobody(from, [...known.keys(), ...configured]) }));
  const renames = [...recognised, ...aside];
  const renamed = new Set(renames.map(({ from }) => from));
  return {
    renames,
    setAside: new Set(replaced),
    readdressed: new Set(replaced.filter((name) => !named.has(name))),
    operations: [
      ...operations,
      ...inOrder(renames).map((rename) => channels.rename(rename)),
      ...aside.map(({ to }) => channels.remove({ channel: to, at: nowAt })),
      ...unrecorded.map(({ name, identity: destination }) =>
        channels.see({ channel: name, destination, at: nowAt }),
      ),
      ...[...known.values()]
        .filter(({ name, removedAt }) => removedAt === null && !configured.has(name) && !renamed.has(name))
        .map(({ name }) => channels.remove({ channel: name, at: nowAt })),
    ],
  };
}

/**
 * What has a node that stands in remember channels that only its configuration has. Those that it does not have, or has
 * under another name or with another destination, stay as the last leader had them.
 */
function newChannels(sql: SqlReader, config: Config, nowAt: number): ChannelAlignment {
  const { salt, operations } = saltOf(sql);
  const known = new Set(channels.known(sql).map(({ name }) => name));
  const unknown = config.channels.filter(({ name }) => !known.has(name));
  return {
    renames: [],
    setAside: new Set(),
    readdressed: new Set(),
    operations: [
      ...operations,
      ...unknown.map((channel) =>
        channels.see({ channel: channel.name, destination: destinationOf(channel, salt), at: nowAt }),
      ),
    ],
  };
}

function nameOfNobody(name: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const free = `${name} (${count === 1 ? '' : `${count}, `}removed)`;
    if (!taken.includes(free)) return free;
  }
}

/** One after the other: a name is free before another channel gets it, by way of a name of nobody where they change places. */
function inOrder(renames: readonly Rename[]): readonly Rename[] {
  const isTaken = ({ to }: Rename) => renames.some(({ from }) => from === to);
  const blocked = renames.filter(isTaken);
  const ready = renames.filter((rename) => !isTaken(rename));
  if (ready.length > 0) return [...ready, ...inOrder(blocked)];
  const [first, ...others] = blocked;
  if (first === undefined) return [];
  const between = `${first.from} (renamed)`;
  return [{ from: first.from, to: between }, ...inOrder(others), { from: between, to: first.to }];
}

/** What waits to say something of a channel, as that it fails, says it by the name that the channel has now. */
function renamedWithin(waiting: Iterable<PendingDelivery>, renames: readonly Rename[]): Operation[] {
  const names = new Map(renames.map(({ from, to }) => [from, to]));
  return [...waiting].flatMap(({ row: { deliveryId, payload } }) => {
    const channel = names.get(textIn(fieldsOf(payload), 'channel') ?? '');
    if (channel === undefined) return [];
    return [outbox.change({ deliveryId, changes: { channel }, nextAt: null })];
  });
}

function channelRenamedLine(from: string, to: string): LogEntry {
  return {
    level: 'info',
    event: 'channel.renamed',
    message: `channel ${from} was renamed to ${to}: its messages and its health are kept`,
    fields: { channel: to, from },
  };
}

function channelReplacedLine(from: string, to: string, isReaddressed: boolean): LogEntry {
  const change = isReaddressed
    ? `channel ${from} reaches another destination now`
    : `another channel is called ${from} now`;
  return {
    level: 'info',
    event: 'channel.replaced',
    message: `${change}: the messages of the previous one are kept as ${to}`,
    fields: { channel: from, kept: to },
  };
}

/**
 * What waited for channels that are back is due now, in the order in which it was queued, before anything new: a
 * recovery that comes after the next alert would read as if that were over.
 */
function releasedOperations(
  waiting: Iterable<PendingDelivery>,
  settings: DeliverySettings,
  nowAt: number,
): Operation[] {
  return [...waiting]
    .filter(({ row, hold }) => hold?.reason === 'channel_unavailable' && settings.channels.has(row.channel))
    .map(({ row: { deliveryId } }) => outbox.change({ deliveryId, changes: {}, nextAt: nowAt }));
}

/** One line for each channel that cannot be used while messages wait for it. */
function unavailableLines(
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
      message: `channel ${channel} is ${why}: ${what} until it is back or the outage is over`,
      fields: { channel, messages: count },
    };
  });
}

/** Notifies the channels that are routed to an open outage and do not know of it. Resolves when that is written. */
async function rerouteAll(options: TakeUpOptions): Promise<void> {
  const { sql, log, now } = options;
  const added = new Set<string>();
  const open = incidents.listOpenOutlines(sql).map(ongoingOf);
  const reroutedOf = (ongoing: Ongoing): Operation[] => {
    const { intents } = routeOutage(ongoing, { ...options, nowAt: now() });
    for (const intent of intents) if (intent.kind === 'put') added.add(intent.channel);
    return operationsOf(intents, now());
  };
  const others = [...degradations(options), ...unstableTimes(sql)];
  await writeEach([...open, ...others], reroutedOf, options);
  if (added.size > 0)
    log({
      level: 'info',
      event: 'alerts.rerouted',
      message: `open outages are sent to channels that had not received them: ${[...added].join(', ')}`,
      fields: { channels: [...added].join(', ') },
    });
}

/** One reminder waits on each channel that is to be reminded of an open outage. Resolves when that is written. */
export async function alignAllReminders(options: TakeUpOptions): Promise<void> {
  const { sql, settings, cache, now } = options;
  const { channels, monitors } = settings.config;
  if ([...channels, ...monitors].every(({ repeat_every_secs: secs }) => secs === null)) return;
  const open = incidents.listOpen(sql).filter((each) => each.ownFault === null && each.acknowledged === null);
  const remindersOf = (incident: (typeof open)[number]): Operation[] => {
    // It may have ended while others were looked at.
    if (incidents.find(sql, incident.uid)?.endedAt !== null) return [];
    const rows = cache.ofIncident(incident.uid);
    const facts = { settings, nowAt: now() };
    const isRelieved = (channel: string) =>
      relievedBy({ channel, monitor: incident.monitor }, facts) !== null;
    const repeat = (channel: string) =>
      isRelieved(channel) ? null : repeatMsOf({ monitor: incident.monitor, channel }, settings);
    return operationsOf(alignReminders(incident, rows, repeat), now());
  };
  await writeEach(open, remindersOf, options);
}

/** The confirmed degradations, where they are sent at all. */
function degradations({ settings, stateOf }: TakeUpOptions): Ongoing[] {
  if (!settings.config.alerts.alert_on_degraded) return [];
  return settings.config.monitors.flatMap(({ id: monitor }): Ongoing[] => {
    const degradation = stateOf(monitor)?.degradation ?? null;
    if (degradation === null) return [];
    const { startedAt, confirmedAt } = degradation;
    const episode = degradationOf(monitor, startedAt);
    return [{ event: 'degraded', episode, incident: null, monitor, startedAt, confirmedAt, ownFault: null }];
  });
}
