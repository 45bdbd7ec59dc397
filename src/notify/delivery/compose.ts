/** Composes the message of one or more deliveries. */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import type { Down, SeenFrom } from '../../engine/alerting/events/outage.ts';
import { joinAlerts, type ProducerAlert } from '../../engine/alerting/events/producer-alert.ts';
import type { Reminder } from '../../engine/alerting/events/reminder.ts';
import { readRecovery, type Recovered } from '../../engine/alerting/events/recovered.ts';
import type { Yielder } from '../../engine/core/yielding.ts';
import { messageOf } from '../../engine/alerting/copies.ts';
import { composeOne, headOf, type Send } from './compose-one.ts';
import { composeChecksAgain, composeUnknown } from './compose-unknown.ts';
import { uidsOf } from './context.ts';
import { type MessageContents } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import { messageIdOf } from './message-id.ts';

export interface ComposedMessage {
  readonly message: Message;
  readonly contents: MessageContents;
}

/** The message of one delivery, or of several of one event the first of which leads; null: unreadable. */
export async function compose(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
  yielder: Yielder,
): Promise<ComposedMessage | null> {
  const composed = await contentsOf(deliveries, context, yielder);
  if (composed === null) return null;
  return { ...composed, message: { ...composed.message, deliveryId: messageIdOf(deliveries) } };
}

async function contentsOf(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
  yielder: Yielder,
): Promise<ComposedMessage | null> {
  const [first, ...others] = deliveries;
  const aboutChecks = composeAboutChecks(deliveries, context);
  if (aboutChecks !== undefined) return aboutChecks;
  const dependents = new Map<string, readonly number[]>();
  const message = composeOne(first, context);
  if (message === null) return null;
  if (message.event === 'reminder') return remindersOf(message, others, context);
  if (message.event === 'alert') return alertsOf(message, others, { context, yielder });
  if (message.event !== 'down' && message.event !== 'recovered') return { message, contents: noContents };
  const rest: (Down | Recovered)[] = [];
  for (const send of others) {
    await yielder.pass();
    const other = composeOne(send, context);
    if (other?.event === 'down' || other?.event === 'recovered') {
      rest.push(other);
      dependents.set(send.row.deliveryId, other.grouping.incidentIds);
    }
  }
  dependents.set(first.row.deliveryId, message.grouping.incidentIds);
  const together = rest.length === 0 ? message : joined(message, rest);
  const isAlone = together.impacted.length === 0;
  const failing = new Map(
    [message, ...rest].map((each) => [each.deliveryId, 'failing' in each ? (each.failing ?? []) : []]),
  );
  const groupId =
    together.grouping.groupId ??
    (message.event === 'recovered' || isAlone
      ? null
      : (messageOf(first.row.payload)?.lead ?? first.row.deliveryId));
  return {
    message: {
      ...together,
      grouping: {
        ...together.grouping,
        groupId,
        incidentUids: uidsOf(together.grouping.incidentIds, context),
      },
    },
    contents: {
      groupId,
      dependents: withoutOwn(dependents, [message, ...rest], context),
      failing: new Map(deliveries.map(({ row }) => [row.deliveryId, failing.get(row.deliveryId) ?? []])),
    },
  };
}

const noContents: MessageContents = { groupId: null, dependents: new Map(), failing: new Map() };

/** One message that reminds of several outages. */
function remindersOf(message: Reminder, others: readonly Send[], context: DeliveryContext): ComposedMessage {
  const all = [message, ...others.map((send) => composeOne(send, context))].flatMap((each) =>
    each?.event === 'reminder' ? each : [],
  );
  const named = all.flatMap(({ monitor, impacted }) => [monitor, ...impacted]);
  const impacted = new Map(named.map((each) => [each.id, each]));
  impacted.delete(message.monitor.id);
  const isCritical = all.some(({ severity }) => severity === 'critical');
  const incidentIds = [...new Set(all.flatMap((each) => each.incidentIds))];
  return {
    message: {
      ...message,
      severity: isCritical ? 'critical' : message.severity,
      impacted: [...impacted.values()],
      incidentIds,
    },
    contents: noContents,
  };
}

/** One message about several alerts of producers. What cannot be read of them is left out. */
async function alertsOf(
  message: ProducerAlert,
  others: readonly Send[],
  { context, yielder }: { readonly context: DeliveryContext; readonly yielder: Yielder },
): Promise<ComposedMessage> {
  const rest: ProducerAlert[] = [];
  for (const send of others) {
    await yielder.pass();
    const other = composeOne(send, context);
    if (other?.event === 'alert') rest.push(other);
  }
  const isOfOne = rest.every(({ monitor }) => monitor.id === message.monitor.id);
  const { base_url: page } = context.settings.config.server;
  const together = joinAlerts(isOfOne ? message : { ...message, link: page }, rest);
  return { message: together, contents: noContents };
}

/** The uids; a dependent with a delivery of its own in the message is not named by another one. */
function withoutOwn(
  dependents: ReadonlyMap<string, readonly number[]>,
  messages: readonly (Down | Recovered)[],
  context: DeliveryContext,
): MessageContents['dependents'] {
  const own = new Set(messages.map(({ incidentId }) => incidentId));
  const others = (named: readonly number[]) => named.filter((incident) => !own.has(incident));
  return new Map([...dependents].map(([id, named]) => [id, uidsOf(others(named), context)]));
}

function joined(message: Down | Recovered, rest: readonly (Down | Recovered)[]): Down | Recovered {
  const incidentIds = [...new Set([message, ...rest].flatMap(({ grouping }) => grouping.incidentIds))];
  const grouping = { ...message.grouping, incidentIds };
  const impactedOf = [
    ...rest.flatMap(({ monitor, impacted }) => [monitor, ...impacted]),
    ...message.impacted,
  ];
  const all = new Map(impactedOf.map((named) => [named.id, named]));
  all.delete(message.monitor.id);
  const isCritical = [message, ...rest].some(({ severity }) => severity === 'critical');
  const severity = isCritical ? 'critical' : message.severity;
  const together = { ...message, severity, impacted: [...all.values()], grouping };
  if (together.event !== 'down') return together;
  const views = [together, ...rest].map((each) => (each.event === 'down' ? each.vantage : null));
  const changes = [together, ...rest].flatMap((each) => (each.event === 'down' ? (each.change ?? []) : []));
  return { ...together, vantage: agreedOn(views), change: changes[0] ?? null };
}

/** What each peer says of every outage it was asked about; a peer that contradicts itself is left out. */
function agreedOn(all: readonly (readonly SeenFrom[] | null)[]): SeenFrom[] | null {
  const asked = all.filter((views) => views !== null);
  if (asked.length === 0) return null;
  const byPeer = new Map<string | null, SeenFrom[]>();
  for (const view of asked.flat()) byPeer.set(view.peer, [...(byPeer.get(view.peer) ?? []), view]);
  return [...byPeer.values()].flatMap((views) => {
    const said = views.filter(({ verdict }) => verdict !== null);
    const [first] = said.length === 0 ? views : said;
    return first === undefined || said.some(({ verdict }) => verdict !== first.verdict) ? [] : [first];
  });
}

/** Of monitors that cannot be checked, or can be again; undefined when it is about anything else. */
function composeAboutChecks(
  deliveries: readonly [Send, ...Send[]],
  context: DeliveryContext,
): ComposedMessage | null | undefined {
  const [first, ...others] = deliveries;
  const rows = [first.row, ...others.map(({ row }) => row)] as const;
  const isOver = first.event === 'recovered' && readRecovery(first.row.payload)?.from === 'unknown';
  if (first.event !== 'unknown' && !isOver) return undefined;
  const head = headOf(first, context);
  const message = isOver ? composeChecksAgain(rows, head, context) : composeUnknown(rows, head, context);
  return message && { message, contents: noContents };
}
