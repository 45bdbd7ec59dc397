/** One delivery of a small world, and what is decided about it, as text. */
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { type OutagePayload, outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import type { EventFields, Hold } from '../../../src/engine/alerting/events/stored.ts';
import type { Outage, OutageMessage } from '../../../src/engine/alerting/blast.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import { decide } from '../../../src/notify/delivery/decide.ts';
import type { DeliveryDecision } from '../../../src/notify/delivery/decision.ts';
import type { PendingDelivery } from '../../../src/notify/delivery/outbox-cache.ts';
import { freshStability } from '../../../src/engine/monitoring/confirm/unstable.ts';
import { load } from '../../support/config.ts';

/** 12:00 UTC. */
export const nowAt = Date.UTC(2026, 0, 1, 12);
const second = 1000;
export const hour = 3_600_000;
/** How many seconds before now. */
export const ago = (secs: number) => nowAt - secs * second;

export const { config } = await load(`
[alerts]
alert_on_degraded = true
[[channels]]
name = "ops"
type = "webhook"
url = "https://ops.example.com/"
repeat_every_secs = 60
[[channels]]
name = "night"
type = "webhook"
url = "https://night.example.com/"
quiet_hours = "11:00-13:00"
[[channels]]
name = "never"
type = "webhook"
url = "https://never.example.com/"
quiet_hours = "11:00-13:00"
quiet = "drop"
[[monitors]]
id = "db"
name = "Database"
target = "http://127.0.0.1/"
[[monitors]]
id = "api"
target = "http://127.0.0.1/"
depends_on = ["db"]
`);

export interface Scene {
  readonly event?: string;
  readonly row?: Partial<DeliveryRow>;
  readonly payload?: Partial<OutagePayload> & EventFields;
  readonly held?: Hold;
  readonly incident?: Partial<IncidentRow> | null;
  readonly outages?: readonly Outage[];
  readonly context?: Partial<DeliveryContext>;
}

/** The times of the outage. */
export const begun = { startedAt: ago(100), confirmedAt: ago(90), confirmation: '', windowEndsAt: ago(60) };

/** The decision, as `what reason, by whom: until when (s from now)`. */
export function decided(scene: Scene): string {
  const decision = decisionOf(scene);
  const until = (at: number) => `${(at - nowAt) / second}`;
  switch (decision.kind) {
    case 'send':
      return `send ${decision.event} ${decision.reason} ${decision.cause}`;
    case 'suppress':
      return `suppress ${decision.reason}`;
    case 'late':
      return `late ${until(decision.endedAt)}: ${decision.detail}`;
    case 'ask':
      return `ask ${decision.ids.join(' ')} ${until(decision.untilAt)}`;
    case 'hold':
      return `hold ${decision.hold.reason}, ${decision.hold.by}: ${until(decision.untilAt)}`;
  }
}

/** What a decision to wait says, and whether something covers it meanwhile. */
export function waitOf(scene: Scene): readonly [detail: string, isCovered: boolean] | null {
  const decision = decisionOf(scene);
  return decision.kind === 'hold' ? [decision.detail, decision.isCovered === true] : null;
}

/** The whole decision. */
function decisionOf({
  event = 'down',
  row,
  payload,
  held,
  incident = {},
  outages = [],
  context,
}: Scene): DeliveryDecision {
  const outage = { ...outagePayload({ ...begun, ownFault: null }), ...payload };
  const hold = held ?? null;
  const open = new Map(outages.map((each) => [each.monitor, each]));
  const pending = {
    row: {
      deliveryId: 'x',
      channel: 'ops',
      event,
      monitor: 'api',
      incident: 'of-api',
      attempts: 0,
      nextAt: ago(1),
      createdAt: ago(90),
      payload: { ...outage, hold },
      ...row,
    },
    outage: { ...outage, hold },
    hold,
  } as unknown as PendingDelivery;
  const settings = deliverySettings(config);
  const found = { uid: 'of-api', ...begun, endedAt: null, acknowledged: null, ...incident } as IncidentRow;
  return decide(pending, {
    nowAt,
    startedAt: ago(hour),
    settings,
    situation: { nowAt, mutes: { silences: [], maintenances: [] } },
    outages: () => open,
    outageOf: (monitor: string) => open.get(monitor)?.uid ?? null,
    incident: (uid: string) => (incident === null || uid !== 'of-api' ? null : found),
    alertsOf: () => [],
    closedOf: () => [],
    look: () => ({ failingSinceAt: null, lookedAt: nowAt, isUp: true }),
    mutedUntil: () => null,
    isQuiet: () => false,
    laterGroups: () => () => 0,
    stabilityOf: () => freshStability,
    recoveredAt: () => null,
    sinceRecovery: () => ({ kind: 'failing' }),
    stateOf: () => null,
    healthOf: () => null,
    unreadableSince: () => null,
    certExpiresAt: () => null,
    domainExpiresAt: () => null,
    burningOf: () => [],
    network: () => ({ state: 'ok' }),
    unknownGroups: () => ({ of: () => [], uncheckedIn: () => [], isOngoing: () => false }),
    ...context,
  } as unknown as DeliveryContext);
}

/** The message about an outage on one channel: sent, or about to leave. */
export function message({ isSent, dueAt }: Pick<OutageMessage, 'isSent' | 'dueAt'>): OutageMessage {
  return {
    isSent,
    isComing: !isSent,
    dueAt,
    sentAt: isSent ? dueAt : null,
    groupId: isSent ? 'group' : null,
    named: new Set(),
    failing: [],
  };
}

/** An open outage, on its way to the channel. */
export function outageOf(monitor: string, change: Partial<Outage> = {}): Outage {
  const channels = new Map([['ops', message({ isSent: false, dueAt: ago(60) })]]);
  const times = { startedAt: begun.startedAt, windowEndsAt: begun.windowEndsAt };
  return { uid: `of-${monitor}`, monitor, ...times, isNotifiedAlone: false, channels, ...change };
}
