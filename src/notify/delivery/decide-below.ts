/** Decides about the alert of an outage by its upstreams: whether one of their messages names it, or will. */
import type { OutagePayload } from '../../engine/alerting/events/outage-payload.ts';
import type { Hold } from '../../engine/alerting/events/stored.ts';
import { causesOf, type Outage } from '../../engine/alerting/blast.ts';
import { fold, type FoldFacts, type Folding } from '../../engine/alerting/fold.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { holdEndsAt, patienceEndsAt } from '../../engine/alerting/hold-limit.ts';
import { durationText } from '../../engine/core/duration.ts';
import { upstreams } from '../../engine/core/graph.ts';
import { instantText } from '../../engine/core/instant.ts';
import { inWords } from '../../engine/core/words.ts';
import type { DeliveryContext } from './context.ts';
import { type DeliveryDecision, foldedForMs } from './decision.ts';
import type { PendingDelivery } from './outbox-cache.ts';

interface About extends PendingDelivery {
  readonly payload: OutagePayload;
  readonly event: 'down' | 'degraded';
  readonly monitor: string;
}

/** The decision about a message whose monitor depends on others, or others on it; null: it can be sent. */
export function decideBelow(about: About, context: DeliveryContext): DeliveryDecision | null {
  const { row, payload, event, monitor, hold } = about;
  const { settings, nowAt, look, recoveredAt, sinceRecovery, mutedUntil, isQuiet, laterGroups } = context;
  const { graph, windowMs, monitors } = settings;
  const isHeld = isHeldBelow(hold, settings);
  const outages = context.outages();
  const outage = event === 'down' ? outages.get(monitor) : degradationOf(about);
  if (outage === undefined) return null;
  const foldFacts = {
    graph,
    outages,
    windowMs,
    nowAt,
    look: event === 'down' ? look : neverSuspect,
    recoveredAt,
    sinceRecovery,
    mutedUntil,
    isQuiet,
    laterGroups: laterGroups(),
  };
  const heldFor = (isHeld ? hold?.by : payload.renewedAfter)?.split(' ')[0] ?? null;
  const { critical = false, interval_secs: secs = null } = monitors.get(monitor) ?? {};
  const foldable = {
    outage,
    channel: row.channel,
    event,
    isCritical: critical,
    intervalMs: (secs ?? 0) * 1000,
    confirmedAt: payload.confirmedAt,
    namedBy: namedByOf(row.payload),
    isHeld,
    heldFor,
    limitAt: holdEndsAt(payload, { windowMs, nowAt }),
    patienceEndsAt: patienceEndsAt(payload, { windowMs, nowAt }),
  };
  return decisionOf(fold(foldable, foldFacts), { about, outage, facts: context, foldFacts });
}

/** Whether an upstream holds a message back: by a message that names it, or that will, or by a mute. */
function isHeldBelow(hold: Hold | null, { monitors }: DeliveryContext['settings']): boolean {
  if (hold?.reason === 'folded' || hold?.reason === 'upstream_due') return true;
  // The mute of a monitor itself is written with its end, and is no id.
  return hold?.reason === 'muted' && hold.by !== null && monitors.has(hold.by);
}

interface Folded {
  readonly about: About;
  readonly outage: Outage;
  readonly facts: DeliveryContext;
  readonly foldFacts: FoldFacts;
}

function decisionOf(folding: Folding, { about, outage, facts, foldFacts }: Folded): DeliveryDecision {
  const nameOf = (id: string) => facts.settings.names.get(id) ?? id;
  switch (folding.kind) {
    case 'send':
      return {
        kind: 'send',
        event: about.event,
        cause: folding.cause,
        reason: folding.reason,
        later: folding.later,
      };
    case 'ask':
      return { kind: 'ask', ids: folding.ids, untilAt: folding.untilAt };
    case 'fold':
      return {
        kind: 'hold',
        untilAt: facts.nowAt + foldedForMs,
        hold: { reason: 'folded', by: folding.into.join(' ') },
        detail: `The message about ${folding.into.map(nameOf).join(', ')}, which it depends on, ${about.event === 'down' ? 'names' : 'covers'} it.`,
        causes: causesOf(outage, foldFacts),
        isCovered: true,
        ...(folding.namedBy !== null && { namedBy: folding.namedBy }),
      };
    case 'mute':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'muted', by: folding.by },
        detail: `${nameOf(folding.by)}, which it depends on, took it down, and is muted until ${instantText(folding.untilAt)}.`,
        causes: causesOf(outage, foldFacts),
        isCovered: true,
      };
    case 'gather':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'later_group', by: folding.by },
        detail: `It failed after the message about ${nameOf(folding.by)} left: it is sent with whatever else fails by ${instantText(folding.untilAt)}.`,
        causes: causesOf(outage, foldFacts),
      };
    case 'await':
      return {
        kind: 'hold',
        untilAt: Math.min(folding.untilAt, facts.nowAt + foldedForMs),
        hold: { reason: 'upstream_due', by: folding.by.join(' ') },
        detail: `${folding.by.map(nameOf).join(', ')}, which it depends on, is down too: it waits for the message about that.`,
        causes: causesOf(outage, foldFacts),
      };
    case 'hold':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'upstream_failing', by: folding.by },
        detail: `${nameOf(folding.by)}, which it depends on, is failing too: it waits to see whether that is the cause.`,
        isNewWindow: true,
      };
    case 'renew':
      return afterRecovery(
        `it is still ${about.event}, and is sent after a window of its own, ${durationText(facts.settings.windowMs)}.`,
        folding,
        { about, facts },
      );
    case 'watch':
      return {
        ...afterRecovery(
          folding.heardBy === null
            ? 'it answers, and the next checks show whether it did too.'
            : `the next heartbeat, due by ${instantText(folding.heardBy)}, shows whether it did too.`,
          folding,
          { about, facts },
        ),
        mayBeOver: true,
      };
  }
}

/** A hold for another window, because an upstream recovered; `state`: what is known of the dependent meanwhile. */
function afterRecovery(
  state: string,
  { untilAt }: { readonly untilAt: number },
  { about, facts }: Pick<Folded, 'about' | 'facts'>,
): Extract<DeliveryDecision, { readonly kind: 'hold' }> {
  const { hold, payload, monitor } = about;
  const { graph, names } = facts.settings;
  const by = (isHeldBelow(hold, facts.settings) ? hold?.by : null) ?? payload.renewedAfter;
  const ended = upstreams(graph, monitor).filter((id) => (facts.recoveredAt(id) ?? 0) > payload.startedAt);
  const recovered = (by?.split(' ') ?? ended).filter((id) => !facts.outages().has(id));
  const what =
    recovered.length === 0
      ? 'Nothing covers it any more'
      : `${inWords(recovered.map((id) => names.get(id) ?? id))} recovered`;
  return {
    kind: 'hold',
    untilAt,
    hold: { reason: 'window', by: null },
    detail: `${what}; ${state}`,
    isNewWindow: true,
    renewedAfter: by,
  };
}

function degradationOf({ row, payload, monitor }: About): Outage {
  return {
    uid: row.incident ?? row.deliveryId,
    monitor,
    startedAt: payload.startedAt,
    windowEndsAt: payload.windowEndsAt,
    isNotifiedAlone: row.attempts > 0,
    channels: new Map(),
  };
}

/** A degraded monitor is folded into what is down, but does not wait to see what else fails. */
function neverSuspect() {
  return { failingSinceAt: null, lookedAt: Infinity, isUp: false };
}
