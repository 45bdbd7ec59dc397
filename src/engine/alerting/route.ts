/** Decides which channels get an alert: those of the route, and after a reload those that are new to an open outage. */
import { deliveryIdOf } from './ids.ts';
import type { Intent, QueuedRow } from './intent.ts';
import { type OutageEvent, outagePayload, type OutagePayload, readOutage } from './events/outage.ts';
import { reasons } from './reasons.ts';

/** An outage that lasts. Instants are epoch ms. */
export interface Ongoing {
  readonly event: OutageEvent;
  /** What its deliveries are filed under: see episodeOf. */
  readonly episode: string;
  /** The uid of its incident; null: a degradation has none. */
  readonly incident: string | null;
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** What keeps its monitor from being checked; null: it is checked. */
  readonly ownFault: string | null;
}

export interface RerouteFacts {
  /** Every delivery of the episode, the finished ones too. */
  readonly rows: readonly QueuedRow[];
  /** The channels that its monitor is routed to, and that can be used: routeOf. */
  readonly channels: readonly string[];
  /** Channels that were notified of it as the decision log says, whether or not their delivery is still there. */
  readonly notified: () => ReadonlySet<string>;
  readonly windowMs: number;
  readonly nowAt: number;
}

/**
 * One message for each channel that knows nothing of the outage. It waits for the window that the others wait for,
 * and is due at once when that is over.
 */
export function reroute(ongoing: Ongoing, facts: RerouteFacts): readonly Intent[] {
  const { event, episode, incident, monitor } = ongoing;
  const alerts = facts.rows.filter((row) => row.event === event);
  const known = new Set(alerts.map(({ channel }) => channel));
  const missing = facts.channels.filter((channel) => !known.has(channel));
  if (missing.length === 0) return [];
  const notified = facts.notified();
  const payload = payloadOf(ongoing, alerts, facts.windowMs);
  const nextAt = Math.max(facts.nowAt, payload.windowEndsAt);
  return missing
    .filter((channel) => !notified.has(channel))
    .flatMap((channel): Intent[] => [
      {
        kind: 'put',
        deliveryId: freeIdOf(`${episode}.${event}`, channel, facts.rows),
        channel,
        event,
        monitor,
        incident: episode,
        payload: { ...payload },
        nextAt,
      },
      {
        kind: 'decide',
        monitor,
        incident,
        channel,
        event,
        verdict: 'queued',
        reason: 'rerouted',
        detail: reasons.rerouted,
      },
    ]);
}

/** What the deliveries of the others say of the outage itself. */
function payloadOf(
  { startedAt, confirmedAt, ownFault }: Ongoing,
  alerts: readonly QueuedRow[],
  windowMs: number,
): OutagePayload & { readonly hold: null } {
  const others = alerts.flatMap(({ payload }) => readOutage(payload) ?? []);
  const [first] = others;
  return outagePayload({
    startedAt,
    confirmedAt,
    confirmation: first?.confirmation ?? '',
    windowEndsAt: others.reduce(
      (latest, { windowEndsAt }) => Math.max(latest, windowEndsAt),
      confirmedAt + windowMs,
    ),
    latencyMs: first?.latencyMs ?? null,
    limitMs: first?.limitMs ?? null,
    reason: first?.reason ?? null,
    ownFault,
  });
}

/** A channel may have the name that another one had when the delivery of that one was named. */
function freeIdOf(key: string, channel: string, rows: readonly QueuedRow[]): string {
  const taken = new Set(rows.map(({ deliveryId }) => deliveryId));
  for (let count = 1; ; count += 1) {
    const id = deliveryIdOf(count === 1 ? key : `${key}.${count}`, channel);
    if (!taken.has(id)) return id;
  }
}

/** Names of the usable channels a `notify` leads to, each once; null means all of them. */
export function routeOf(
  notify: readonly string[] | null,
  usable: readonly { readonly name: string }[],
): readonly string[] {
  const names = usable.map(({ name }) => name);
  return notify === null ? names : names.filter((name) => notify.includes(name));
}
