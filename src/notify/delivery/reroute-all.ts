/** Has every open outage routed anew after a start or a reload. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Monitor } from '../../engine/config/config.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { Log } from '../../engine/core/log.ts';
import { degradationOf } from '../../engine/alerting/ids.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { reroute, type Ongoing } from '../../engine/alerting/reroute.ts';
import { routeOf } from '../../engine/alerting/route.ts';
import type { Yielder } from '../../engine/monitoring/yielder.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import type { DeliverySettings } from './settings.ts';

export interface RerouteOptions {
  readonly sql: SqlReader;
  readonly settings: DeliverySettings;
  readonly stateOf: (monitor: string) => MonitorState | null;
  /** Every delivery of an episode, the finished ones too. */
  readonly rowsOf: (episode: string) => readonly DeliveryRow[];
  readonly write: (operations: readonly Operation[]) => Promise<void>;
  readonly now: () => number;
  readonly yielder: Yielder;
  readonly log: Log;
}

/** Operations written in one transaction. */
const atOnce = 50;

/** Notifies the channels that are routed to an open outage and know nothing of it. Resolves when that is written. */
export async function rerouteAll(options: RerouteOptions): Promise<void> {
  const { sql, settings, yielder, write, log } = options;
  const added = new Set<string>();
  let operations: Operation[] = [];
  const open = incidents
    .listOpen(sql)
    .flatMap(({ uid, monitor, startedAt, confirmedAt, ownFault }): Ongoing[] => [
      {
        event: ownFault === null ? 'down' : 'unknown',
        episode: uid,
        incident: uid,
        monitor,
        startedAt,
        confirmedAt,
        ownFault,
      },
    ]);
  for (const ongoing of [...open, ...degradations(options)]) {
    const monitor = settings.monitors.get(ongoing.monitor);
    if (monitor === undefined) continue;
    await yielder.pass();
    const intents = intentsOf(ongoing, monitor, options);
    for (const intent of intents) if (intent.kind === 'put') added.add(intent.channel);
    operations.push(...operationsOf(intents, options.now()));
    if (operations.length < atOnce) continue;
    await write(operations);
    operations = [];
  }
  if (operations.length > 0) await write(operations);
  if (added.size > 0)
    log({
      level: 'info',
      event: 'alerts.rerouted',
      message: `open outages are sent to channels that did not know of them: ${[...added].join(', ')}`,
      fields: { channels: [...added].join(', ') },
    });
}

function intentsOf(
  ongoing: Ongoing,
  { notify }: Monitor,
  { sql, settings, rowsOf, now }: RerouteOptions,
): readonly Intent[] {
  const { incident } = ongoing;
  // It may have ended while others were looked at.
  if (incident !== null && incidents.find(sql, incident)?.endedAt !== null) return [];
  return reroute(ongoing, {
    rows: rowsOf(ongoing.episode),
    channels: routeOf(notify, settings.config.channels),
    notified: () => (incident === null ? new Set<string>() : notifiedOf(sql, incident)),
    windowMs: settings.windowMs,
    nowAt: now(),
  });
}

/** The channels that took a message that it is down, by the decision log, which outlives the outbox. */
function notifiedOf(sql: SqlReader, incident: string): ReadonlySet<string> {
  const sent = decisions
    .ofIncident(sql, incident)
    .filter(({ event, verdict }) => (event === 'down' || event === 'unknown') && verdict === 'told');
  return new Set(sent.flatMap(({ channel }) => channel ?? []));
}

/** The confirmed degradations, where they are sent at all. */
function degradations({ settings, stateOf }: RerouteOptions): Ongoing[] {
  if (!settings.config.alerts.alert_on_degraded) return [];
  return settings.config.monitors.flatMap(({ id: monitor }): Ongoing[] => {
    const degradation = stateOf(monitor)?.degradation ?? null;
    if (degradation === null) return [];
    const { startedAt, confirmedAt } = degradation;
    const episode = degradationOf(monitor, startedAt);
    return [{ event: 'degraded', episode, incident: null, monitor, startedAt, confirmedAt, ownFault: null }];
  });
}
