/** Decides what is to become of one delivery now: mute, fold, late, or send. */
import { eventNames, type EventName } from '../../engine/core/tell/event.ts';
import { causesOf, fold, type Folding, type FoldFacts } from '../../engine/core/tell/fold.ts';
import { namedByOf } from '../../engine/core/tell/group.ts';
import { copiesOf } from '../../engine/core/tell/copies.ts';
import { late } from '../../engine/core/tell/late.ts';
import { mute } from '../../engine/core/tell/mute.ts';
import type { Outage } from '../../engine/core/tell/outage.ts';
import type { Hold, OutagePayload } from '../../engine/core/tell/payload.ts';
import { reasons, type ReasonWord } from '../../engine/core/tell/reasons.ts';
import { muteOf } from '../../engine/core/mute.ts';
import { spanInWords } from '../../engine/core/tell/words.ts';
import { numberIn, fieldsOf, readRecovery, textIn } from '../../engine/core/tell/payload.ts';
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
      /** The upstreams it is folded into, the roots first. */
      readonly causes?: readonly string[];
    }
  | { readonly kind: 'spare'; readonly reason: ReasonWord }
  | { readonly kind: 'late'; readonly endedAt: number; readonly detail: string }
  | { readonly kind: 'ask'; readonly ids: readonly string[] };

/** What is folded is looked at again when an incident opens or closes; this often in any case. */
const foldedForMs = 3_600_000;

/** A message this much overdue is not sent before somebody looked whether it is still true. */
const overdueMs = 60_000;

export function decide(waiter: Waiter, facts: Facts): Decision {
  const { row } = waiter;
  const { setting } = facts;
  const event = eventNames.find((name) => name === row.event);
  if (event === undefined) return spare('unreadable');
  if (!setting.channels.has(row.channel)) return spare('channel_removed');
  if (row.monitor !== null && !setting.names.has(row.monitor)) return spare('monitor_removed');
  if (event === 'down' || event === 'degraded' || event === 'unknown')
    return decideOutage(waiter, event, facts);
  if (event === 'channel_failing' && isStreakOver(waiter, facts)) return spare('over');
  const recovery = event === 'recovered' ? readRecovery(row.payload) : null;
  return (
    muted(waiter, event, facts) ??
    (recovery?.from === 'unknown' ? decideChecksAgain(waiter, recovery, facts) : null) ??
    alone(event)
  );
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

/** What is to be done when the outage is over already. */
function over({ row, payload, event, monitor }: About, facts: Facts): Decision | null {
  if (event === 'degraded') {
    const state = facts.stateOf(monitor);
    const isOver = state !== null && state.degradation?.startedAt !== payload.startedAt;
    return isOver ? spare('over') : null;
  }
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

function muted({ row }: Waiter, event: EventName, { situation }: Facts): Decision | null {
  const muting = mute(event, row.monitor, situation);
  if (muting.kind === 'open') return null;
  const { untilAt, by, detail } = muting;
  return { kind: 'hold', untilAt, hold: { reason: 'muted', by }, detail };
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
function overdue({ row, event, monitor }: About, { nowAt, look }: Facts): Decision | null {
  if (event === 'degraded' || nowAt - row.nextAt <= overdueMs) return null;
  const { lookedAt } = look(monitor);
  return lookedAt !== null && lookedAt >= row.nextAt ? null : { kind: 'ask', ids: [monitor] };
}

function folded(about: About, facts: Facts): Decision {
  const { row, event, monitor, hold } = about;
  const { graph, windowMs } = facts.setting;
  const { nowAt, look } = facts;
  const isFolded = hold?.reason === 'folded';
  if (windowMs === 0 && !isFolded) return alone(event);
  if ((graph.above.get(monitor)?.length ?? 0) === 0 && !isFolded) return alone(event);
  const outages = facts.outages();
  const outage = event === 'down' ? outages.get(monitor) : degradationOf(about);
  if (outage === undefined) return alone(event);
  const foldFacts = { graph, outages, windowMs, nowAt, look: event === 'down' ? look : neverSuspect };
  const folding = fold({ outage, channel: row.channel, isFolded }, foldFacts);
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
      return { kind: 'ask', ids: folding.ids };
    case 'fold':
      return {
        kind: 'hold',
        untilAt: facts.nowAt + foldedForMs,
        hold: { reason: 'folded', by: folding.into.join(' ') },
        detail: `The message about ${folding.into.map(nameOf).join(', ')}, which it depends on, speaks for it.`,
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
    channels: new Set(),
  };
}

/** A degraded monitor is folded into what is down, but does not wait to see what else fails. */
function neverSuspect() {
  return { failingSinceAt: null, lookedAt: Infinity };
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
