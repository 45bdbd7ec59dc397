/** Plans a turn over all due deliveries: what is written, what is checked first, and what is handed to channels. */
import type { Decide, Intent } from '../../engine/alerting/intent.ts';
import { type EventName, eventRow } from '../../engine/alerting/events/catalogue.ts';
import { called } from '../../engine/alerting/escalate.ts';
import type { LaterGroup } from '../../engine/alerting/group.ts';
import type { Hold } from '../../engine/alerting/events/stored.ts';
import { isOutageEvent } from '../../engine/alerting/events/outage.ts';
import { withCover } from '../../engine/alerting/hold-limit.ts';
import { reasons, type ReasonWord } from '../../engine/alerting/reasons.ts';
import { decide } from './decide.ts';
import type { DeliveryDecision } from './decision.ts';
import type { DeliveryContext } from './context.ts';
import type { OutboxCache, PendingDelivery } from './outbox-cache.ts';
import { begun, type PartsWriter } from './write-in-parts.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';

/** A delivery that may go out, and why. */
export interface Ready extends PendingDelivery {
  readonly event: EventName;
  readonly cause: string | null;
  readonly reason: ReasonWord;
  /** The later group below a root that it goes in; absent or null: in none. */
  readonly later?: LaterGroup | null;
}

/** A dependent whose message is folded, and the upstreams that are the cause. */
export interface Relation {
  readonly monitor: string;
  readonly causes: readonly string[];
}

/** Upstreams, or the monitor itself, to be checked before a delivery is decided about again, `untilAt` at the latest. */
export interface Ask {
  readonly deliveryId: string;
  readonly ids: readonly string[];
  readonly untilAt: number;
}

/** What a turn is to do with the deliveries it decided about. All that was to be written is written. */
export interface Planned {
  readonly relations: readonly Relation[];
  readonly asks: readonly Ask[];
  /** The deliveries that can be sent, by channel; each channel has an order of its own. */
  readonly ready: ReadonlyMap<string, readonly Ready[]>;
  /** What changed meanwhile, and was not decided about. */
  readonly changed: readonly PendingDelivery[];
}

interface Planning {
  readonly relations: Relation[];
  readonly asks: Ask[];
  readonly ready: Map<string, Ready[]>;
  readonly changed: PendingDelivery[];
}

export interface PlanOptions extends PartsWriter {
  readonly cache: Pick<OutboxCache, 'isCurrent'>;
}

/** Deliveries decided about at once, and written in one transaction. */
const atOnce = 50;

/**
 * Decides about each of `pendings`, part by part, so that thousands of decisions delay nothing else. What a part
 * decides is under way when the next one is planned; all of it is written when this resolves.
 */
export async function plan(
  pendings: readonly PendingDelivery[],
  context: DeliveryContext,
  { yielder, cache, write }: PlanOptions,
): Promise<Planned> {
  const planning: Planning = { relations: [], asks: [], ready: new Map(), changed: [] };
  const writes: Promise<void>[] = [];
  for (let from = 0; from < pendings.length; from += atOnce) {
    await yielder.pass();
    const intents: Intent[] = [];
    for (const pending of pendings.slice(from, from + atOnce))
      if (cache.isCurrent(pending.row)) intents.push(...planOne(pending, context, planning));
      else planning.changed.push(pending);
    if (intents.length > 0) writes.push(begun(write(operationsOf(intents, context.nowAt))));
  }
  await Promise.all(writes);
  return planning;
}

/** Answers what is to be written, and adds what is to be done to `planning`. */
function planOne(
  pending: PendingDelivery,
  context: DeliveryContext,
  { relations, asks, ready }: Planning,
): Intent[] {
  const { row } = pending;
  const decision = decide(pending, context);
  const isEarly = row.nextAt > context.nowAt;
  if (isEarly && (decision.kind === 'send' || decision.kind === 'ask'))
    return [released(pending, context.nowAt)];
  if (decision.kind === 'ask')
    asks.push({ deliveryId: row.deliveryId, ids: decision.ids, untilAt: decision.untilAt });
  if (decision.kind === 'hold' && decision.causes !== undefined && row.monitor !== null)
    relations.push({ monitor: row.monitor, causes: decision.causes });
  if (decision.kind === 'send') {
    const list = ready.get(row.channel) ?? [];
    list.push({ ...pending, ...decision });
    ready.set(row.channel, list);
  }
  return intentsOf(pending, decision, context);
}

/** What is written of a decision about a delivery that is not sent now. */
export function intentsOf(
  pending: PendingDelivery,
  decision: DeliveryDecision,
  context: DeliveryContext,
): Intent[] {
  const { row } = pending;
  switch (decision.kind) {
    case 'send':
    case 'ask':
      return [];
    case 'suppress':
      return [
        { kind: 'drop', deliveryId: row.deliveryId },
        say(pending, 'spared', {
          reason: decision.reason,
          detail: decision.detail ?? reasons[decision.reason],
        }),
      ];
    case 'hold':
      return holdIntents(pending, decision, context);
    case 'late':
      return [
        {
          kind: 'replace',
          deliveryId: row.deliveryId,
          event: 'recovered',
          payload: {
            from: isOutageEvent(row.event) ? row.event : 'down',
            startedAt: pending.outage?.startedAt ?? row.createdAt,
            endedAt: decision.endedAt,
            isLate: true,
            isRemoved: false,
            ownFault: pending.outage?.ownFault ?? null,
            causeGroup: null,
            alsoNamed: [],
            outages: pending.outage?.outages ?? null,
            hold: null,
          },
          nextAt: context.nowAt,
        },
        say(pending, 'queued', { reason: 'late', detail: decision.detail }),
      ];
  }
}

/** A hold is written when it changes or has run out; it is logged only when it says something new. */
function holdIntents(
  pending: PendingDelivery,
  hold: DeliveryDecision & { kind: 'hold' },
  { nowAt, settings }: DeliveryContext,
): Intent[] {
  const { row, outage } = pending;
  const isSame = isEqual(pending.hold ?? { reason: 'window', by: null }, hold.hold);
  const isCovered = hold.isCovered === true;
  const wasFolded = pending.hold?.reason === 'folded';
  const wasSpokenFor = wasFolded || (outage?.spokenForUntilAt ?? -Infinity) >= nowAt;
  if (isSame && row.nextAt > nowAt) return [];
  const word = `${hold.hold.reason} ${hold.hold.by ?? hold.renewedAfter ?? ''}`;
  const logged = isCovered ? [] : (outage?.loggedHolds ?? []);
  const changes = {
    hold: { ...hold.hold },
    ...(outage !== null && isOwn(hold.hold) && called(row, nowAt)),
    ...(hold.isNewWindow === true ? { windowEndsAt: hold.untilAt } : {}),
    ...(outage === null ? {} : withCover(outage, isCovered, nowAt)),
    ...(outage === null ? {} : { loggedHolds: logged.includes(word) ? logged : [...logged, word] }),
    // So that it says how long the monitor was degraded altogether.
    ...(hold.hold.reason === 'still_degraded' ? { endedAt: nowAt } : {}),
    ...(wasFolded ? { spokenForUntilAt: nowAt + settings.windowMs } : {}),
    ...(wasSpokenFor && hold.mayBeOver === true ? { spokenForUntilAt: hold.untilAt } : {}),
    ...(hold.namedBy === undefined ? {} : { namedBy: { ...hold.namedBy }, ...called(row, nowAt) }),
    ...(hold.renewedAfter === undefined ? {} : { renewedAfter: hold.renewedAfter }),
  };
  return [
    { kind: 'change', deliveryId: row.deliveryId, changes, nextAt: hold.untilAt },
    ...((isSame && hold.hold.reason !== 'window') || logged.includes(word)
      ? []
      : [say(pending, 'held', { reason: hold.hold.reason, detail: hold.detail })]),
  ];
}

/** Its channel alone holds it back: it could be sent. */
function isOwn({ reason }: Hold): boolean {
  return reason === 'quiet_hours' || reason === 'channel_unavailable';
}

/** What is held no longer is due from now on, also if its channel is busy at the moment. */
function released({ row }: PendingDelivery, nowAt: number): Intent {
  return { kind: 'change', deliveryId: row.deliveryId, changes: {}, nextAt: nowAt };
}

export function say(
  { row }: Pick<PendingDelivery, 'row'>,
  verdict: Decide['verdict'],
  why: Pick<Decide, 'reason' | 'detail'>,
): Decide {
  return {
    kind: 'decide',
    monitor: row.monitor,
    incident: incidentOf(row),
    channel: row.channel,
    event: row.event as EventName,
    verdict,
    ...why,
  };
}

/** Some events, such as a degradation, are filed under a name that is no incident. */
function incidentOf({ event, payload, incident }: PendingDelivery['row']): string | null {
  return eventRow(event)?.isWithoutIncident?.(payload) === true ? null : incident;
}

function isEqual(a: Hold, b: Hold): boolean {
  return a.reason === b.reason && a.by === b.by;
}
