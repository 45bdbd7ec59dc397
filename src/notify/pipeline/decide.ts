/** Decides what is to become of one delivery now: mute, fold, late, or send. */
import { eventNames, isPeerEvent, type EventName } from '../../engine/core/tell/event.ts';
import { causesOf, fold, type Folding, type FoldFacts } from '../../engine/core/tell/fold.ts';
import { namedByOf } from '../../engine/core/tell/group.ts';
import { copiesOf } from '../../engine/core/tell/copies.ts';
import { holdEndsAt } from '../../engine/core/tell/hold-limit.ts';
import { late } from '../../engine/core/tell/late.ts';
import { mute } from '../../engine/core/tell/mute.ts';
import type { Outage } from '../../engine/core/tell/outage.ts';
import type { Hold, OutagePayload } from '../../engine/core/tell/payload.ts';
import { reasons, type ReasonWord } from '../../engine/core/tell/reasons.ts';
import { muteOf } from '../../engine/core/mute.ts';
import { spanInWords } from '../../engine/core/tell/words.ts';
import { numberIn, fieldsOf, readRecovery, severityOf, textIn } from '../../engine/core/tell/payload.ts';
import { keepWithoutChannel } from '../../engine/core/tell/keep.ts';
import { decideChecksAgain, decideUnknown } from './decide-unknown.ts';
import type { Facts } from './facts.ts';
import type { Waiter } from './waiting.ts';

export type Decision =
  | {
      readonly kind: 'send';
      readonly event: EventName;
      readonly cause: string | null;
      readonly reason: ReasonWord;
    }
  | {
      readonly kind: 'hold';
      readonly untilAt: number;
      readonly hold: Hold;
      readonly detail: string;
      readonly isNewWindow?: boolean;
      /** A mute, or a message about an upstream, covers it: this does not count against the limit of holding. */
      readonly isCovered?: boolean;
      /** It gets another window after these upstreams, apart by spaces, recovered without it. */
      readonly renewedAfter?: string | null;
      /** The upstreams it is folded into, the roots first. */
      readonly causes?: readonly string[];
    }
  | { readonly kind: 'spare'; readonly reason: ReasonWord }
  | { readonly kind: 'late'; readonly endedAt: number; readonly detail: string }
  /** `untilAt` (epoch ms): when it is decided again at the latest. */
  | { readonly kind: 'ask'; readonly ids: readonly string[]; readonly untilAt: number };

/** What waits for an outage is looked at again when an incident opens or closes; this often in any case. */
const foldedForMs = 3_600_000;

/** A message this much overdue is not sent before somebody looked whether it is still true. */
const overdueMs = 60_000;

export function decide(waiter: Waiter, facts: Facts): Decision {
  const { row } = waiter;
  const { setting } = facts;
  const event = eventNames.find((name) => name === row.event);
  if (event === undefined) return spare('unreadable');
  if (row.monitor !== null && !setting.names.has(row.monitor) && endsWithMonitor(event, waiter, facts))
    return spare('monitor_removed');
  if (!setting.channels.has(row.channel)) return withoutChannel(waiter, event, facts);
  if (event === 'down' || event === 'degraded' || event === 'unknown')
    return decideOutage(waiter, event, facts);
  if (event === 'budget_burn' && isOutageOpen(waiter, facts)) return spare('outage_open');
  if (event === 'channel_failing' && isStreakOver(waiter, facts)) return spare('over');
  const recovery = event === 'recovered' ? readRecovery(row.payload) : null;
  return (
    muted(waiter, event, facts) ??
    (recovery?.from === 'unknown' ? decideChecksAgain(waiter, recovery, facts) : null) ??
    (recovery?.from === 'down' && !recovery.isLate ? downAgain(waiter, facts) : null) ??
    alone(event)
  );
}

/** Nothing that is down is called up: what is down again waits until that outage is over, or its message goes out. */
function downAgain({ row }: Waiter, { outageOf, nowAt }: Facts): Decision | null {
  const by = row.monitor === null ? null : outageOf(row.monitor);
  if (by === null) return null;
  return {
    kind: 'hold',
    untilAt: nowAt + foldedForMs,
    hold: { reason: 'down_again', by },
    detail: reasons.down_again,
  };
}

/**
 * Whether a message is worth nothing once its monitor is not configured. While an incident is open its monitor is
 * configured, whatever the configuration of a moment ago says: it goes by another name.
 */
function endsWithMonitor(event: EventName, { row }: Waiter, facts: Facts): boolean {
  switch (event) {
    case 'down':
    case 'unknown':
      return !hasOpenIncident(row, facts);
    case 'recovered':
    case 'peer_recovered':
    case 'alert':
      return false;
    case 'degraded':
    case 'channel_failing':
    case 'cert_expiring':
    case 'cert_changed':
    case 'domain_expiring':
    case 'budget_burn':
    case 'peer_down':
    case 'peer_link_degraded':
    case 'node_blind':
    case 'storage_failing':
    case 'digest':
    case 'test':
      return true;
  }
}

/** What is to be done for a channel that is not configured, or disabled: it may be back after the next load. */
function withoutChannel(waiter: Waiter, event: EventName, facts: Facts): Decision {
  const { row, outage } = waiter;
  const { setting, nowAt } = facts;
  const disabled = setting.disabled.get(row.channel);
  const keeping = keepWithoutChannel({
    event,
    severity: severityOf(row.payload),
    isDisabled: disabled !== undefined,
    isOver:
      outage !== null && row.monitor !== null && isOver({ ...waiter, monitor: row.monitor }, outage, facts),
    sinceAt: readRecovery(row.payload)?.endedAt ?? row.createdAt,
    nowAt,
  });
  if (keeping.kind === 'drop') return spare('channel_removed');
  const why = disabled === undefined ? 'not configured' : `disabled, because its ${disabled.key} is empty`;
  return {
    kind: 'hold',
    untilAt: keeping.untilAt,
    hold: { reason: 'channel_unavailable', by: null },
    detail: `The channel ${row.channel} is ${why}: the message waits until it is back.`,
  };
}

function decideOutage(waiter: Waiter, event: OutageEvent, facts: Facts): Decision {
  const { row, outage: payload } = waiter;
  if (payload === null || row.monitor === null) return spare('unreadable');
  const about = { ...waiter, payload, event, monitor: row.monitor };
  return (
    over(about, facts) ??
    muted(waiter, event, facts) ??
    windowed(about, facts) ??
    overdue(about, facts) ??
    (event === 'unknown' ? (decideUnknown(about, facts) ?? alone(event)) : folded(about, facts))
  );
}

type OutageEvent = 'down' | 'degraded' | 'unknown';

interface About extends Waiter {
  readonly payload: OutagePayload;
  readonly event: OutageEvent;
  readonly monitor: string;
}

function hasOpenIncident({ incident: uid }: Waiter['row'], { incident }: Facts): boolean {
  const found = uid === null ? null : incident(uid);
  return found !== null && found.endedAt === null;
}

function isOver(
  { row, monitor }: Pick<About, 'row' | 'monitor'>,
  { startedAt }: OutagePayload,
  facts: Facts,
): boolean {
  if (row.event === 'down' || row.event === 'unknown') return !hasOpenIncident(row, facts);
  const state = facts.stateOf(monitor);
  return state !== null && state.degradation?.startedAt !== startedAt;
}

/** What is to be done when the outage is over already. */
function over(about: About, facts: Facts): Decision | null {
  const { row, payload, event, monitor } = about;
  if (event === 'degraded') return isOver(about, payload, facts) ? spare('over') : null;
  const incident = row.incident === null ? null : facts.incident(row.incident);
  if (incident === null) return spare('over');
  const { endedAt, startedAt } = incident;
  if (endedAt === null) return null;
  // The message about its upstream named it, so it has a recovery, not a late message.
  if (namedByOf(row.payload) !== null) return spare('folded');
  // So it has if it may have been received.
  if (copiesOf(row.payload) !== null) return spare('no_answer');
  const wasMuted = muteOf(monitor, { ...facts.situation, nowAt: endedAt }).kind === 'muted';
  const lateness = late({ payload, endedAt, attempts: row.attempts, wasMuted });
  if (lateness.kind === 'spare') return lateness;
  const state = event === 'unknown' ? 'could not be checked for' : 'was down';
  const detail = `It ${state} ${spanInWords(endedAt - startedAt)} and could not be told while it lasted.`;
  return { kind: 'late', endedAt, detail };
}

function muted({ row }: Waiter, event: EventName, { situation, setting }: Facts): Decision | null {
  const muting = mute(event, mutedAs(row.monitor, event, setting), situation);
  if (muting.kind === 'open') return null;
  const { untilAt, by, detail } = muting;
  return { kind: 'hold', untilAt, hold: { reason: 'muted', by }, detail, isCovered: true };
}

/** A message about a peer bears its id; mutes name it by its `listen_id`, which no monitor has. */
function mutedAs(id: string | null, event: EventName, { listenIds }: Facts['setting']): string | null {
  return id !== null && isPeerEvent(event) ? (listenIds.get(id) ?? id) : id;
}

/** A mute may be lifted while the window is still open. */
function windowed({ payload, hold }: About, { nowAt }: Facts): Decision | null {
  if (nowAt >= payload.windowEndsAt || hold?.reason === 'upstream_failing') return null;
  return {
    kind: 'hold',
    untilAt: payload.windowEndsAt,
    hold: { reason: 'window', by: null },
    detail: reasons.window,
  };
}

/** After a stop, or a long mute under one, the outage may be over without anybody having seen it. */
function overdue({ row, event, monitor }: About, { nowAt, startedAt, look }: Facts): Decision | null {
  if (event === 'degraded') return null;
  const lookedAt = look(monitor).lookedAt ?? -Infinity;
  const isOverdue = nowAt - row.nextAt > overdueMs && lookedAt < row.nextAt;
  const isFromBefore = nowAt - lookedAt > overdueMs && lookedAt < startedAt;
  return isOverdue || isFromBefore ? { kind: 'ask', ids: [monitor], untilAt: Infinity } : null;
}

function folded(about: About, facts: Facts): Decision {
  const { row, payload, event, monitor, hold } = about;
  const { graph, windowMs } = facts.setting;
  const { nowAt, look } = facts;
  const isHeld = hold?.reason === 'folded' || hold?.reason === 'upstream_due';
  if (windowMs === 0 && !isHeld) return alone(event);
  if ((graph.above.get(monitor)?.length ?? 0) === 0 && !isHeld) return alone(event);
  const outages = facts.outages();
  const outage = event === 'down' ? outages.get(monitor) : degradationOf(about);
  if (outage === undefined) return alone(event);
  const foldFacts = { graph, outages, windowMs, nowAt, look: event === 'down' ? look : neverSuspect };
  const limitAt = holdEndsAt(payload, { windowMs, nowAt });
  const heldFor = (isHeld ? hold.by : payload.renewedAfter)?.split(' ')[0] ?? null;
  const folding = fold({ outage, channel: row.channel, isHeld, heldFor, limitAt }, foldFacts);
  return decisionOf(folding, { about, outage, facts, foldFacts });
}

interface Folded {
  readonly about: About;
  readonly outage: Outage;
  readonly facts: Facts;
  readonly foldFacts: FoldFacts;
}

function decisionOf(folding: Folding, { about, outage, facts, foldFacts }: Folded): Decision {
  const nameOf = (id: string) => facts.setting.names.get(id) ?? id;
  switch (folding.kind) {
    case 'send':
      return { kind: 'send', event: about.event, cause: folding.cause, reason: folding.reason };
    case 'ask':
      return { kind: 'ask', ids: folding.ids, untilAt: folding.untilAt };
    case 'fold':
      return {
        kind: 'hold',
        untilAt: facts.nowAt + foldedForMs,
        hold: { reason: 'folded', by: folding.into.join(' ') },
        detail: `The message about ${folding.into.map(nameOf).join(', ')}, which it depends on, speaks for it.`,
        causes: causesOf(outage, foldFacts),
        isCovered: true,
      };
    case 'await':
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
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
      return {
        kind: 'hold',
        untilAt: folding.untilAt,
        hold: { reason: 'window', by: null },
        detail: `What it depends on is back and it is not: it gets a window of its own, ${spanInWords(facts.setting.windowMs)}.`,
        isNewWindow: true,
        renewedAfter: about.hold?.by ?? null,
      };
  }
}

function degradationOf({ row, payload, monitor }: About): Outage {
  return {
    uid: row.incident ?? row.deliveryId,
    monitor,
    startedAt: payload.startedAt,
    windowEndsAt: payload.windowEndsAt,
    isToldAlone: row.attempts > 0,
    channels: new Map(),
  };
}

/** A degraded monitor is folded into what is down, but does not wait to see what else fails. */
function neverSuspect() {
  return { failingSinceAt: null, lookedAt: Infinity };
}

function isOutageOpen({ row }: Waiter, { stateOf }: Facts): boolean {
  return row.monitor !== null && (stateOf(row.monitor)?.incident ?? null) !== null;
}

function isStreakOver({ row }: Waiter, { healthOf }: Facts): boolean {
  const fields = fieldsOf(row.payload);
  const channel = textIn(fields, 'channel');
  if (channel === null) return false;
  return healthOf(channel)?.failingSinceAt !== numberIn(fields, 'failingSinceAt');
}

function alone(event: EventName): Decision {
  return { kind: 'send', event, cause: null, reason: 'sent' };
}

function spare(reason: ReasonWord): Decision {
  return { kind: 'spare', reason };
}
