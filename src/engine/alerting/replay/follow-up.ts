/**
 * Says of an outage of a replayed history on which channels it would have been sent and when: what quiet hours hold or
 * drop, which steps of its escalation follow, and how often it is reminded of. Instants are epoch ms.
 */
import type { QuietDecision } from '../filter.ts';
import type { EpisodeOf } from './replay.ts';

/** A message about it. */
interface FirstSend {
  readonly channel: string;
  readonly at: number;
  /** How long quiet hours held it back; 0: they did not. */
  readonly heldMs: number;
  /** 0: the first alert; from 1 on, a step of the escalation. */
  readonly step: number;
}

export interface FollowUp {
  readonly calls: readonly FirstSend[];
  readonly reminders: number;
}

/** What a configuration says about the time after an alert is due. */
export interface FollowUpRules {
  readonly quieted: (channel: string, episode: EpisodeOf, at: number) => QuietDecision;
  /** Null: the channel sends no reminders of the monitor. */
  readonly repeatMsOf: (channel: string, monitor: string) => number | null;
  /** The steps of the escalation of a monitor; [] without one. */
  readonly stepsOf: (monitor: string) => readonly {
    readonly afterMs: number;
    readonly channelsAt: (at: number) => readonly string[];
  }[];
  /** Whether `notify` of the monitor is empty. */
  readonly isUnrouted: (monitor: string) => boolean;
  /** When an incident of the record was acknowledged that lay in this outage; null: never. */
  readonly acknowledgedAt: (episode: EpisodeOf) => number | null;
  /** What is still open then is not followed beyond it. */
  readonly untilAt: number;
}

/** `due`: when its alert was due on each channel it goes to. `dueAt`: when it would have been, for one that goes nowhere. */
export function followUp(
  episode: EpisodeOf,
  due: ReadonlyMap<string, number>,
  { dueAt, rules }: { readonly dueAt: number; readonly rules: FollowUpRules },
): FollowUp {
  const overAt = episode.endedAt ?? rules.untilAt;
  const quietAt = Math.min(overAt, rules.acknowledgedAt(episode) ?? Infinity);
  const known = new Set<string>();
  const calls: FirstSend[] = [];
  const call = (channel: string, at: number, step: number): void => {
    if (known.has(channel)) return;
    known.add(channel);
    const answer = rules.quieted(channel, episode, at);
    if (answer.kind === 'drop') return;
    const sentAt = answer.kind === 'open' ? at : answer.untilAt;
    // Over by then: one late message where it is held. A step is nothing to be late with once it is acknowledged.
    if (answer.kind === 'hold' && sentAt >= overAt && answer.isDropping) return;
    if (step > 0 && sentAt >= quietAt && quietAt < overAt) return;
    calls.push({ channel, at: sentAt, heldMs: sentAt - at, step });
  };
  for (const [channel, at] of due) call(channel, at, 0);
  climb(episode, { due, dueAt, quietAt, rules, call });
  const reminders = calls.reduce((sum, each) => sum + remindersAfter(each, { episode, quietAt }, rules), 0);
  return { calls, reminders };
}

interface Climbing {
  readonly due: ReadonlyMap<string, number>;
  readonly dueAt: number;
  readonly quietAt: number;
  readonly rules: FollowUpRules;
  readonly call: (channel: string, at: number, step: number) => void;
}

function climb({ monitor }: EpisodeOf, { due, dueAt, quietAt, rules, call }: Climbing): void {
  let at = due.size === 0 ? dueAt : Math.min(...due.values());
  let isMissed = due.size === 0 && !rules.isUnrouted(monitor);
  let beforeMs = 0;
  for (const [index, { afterMs, channelsAt }] of rules.stepsOf(monitor).entries()) {
    const stepAt = isMissed ? at : at + afterMs - beforeMs;
    if (stepAt >= quietAt) return;
    const channels = channelsAt(stepAt);
    for (const channel of channels) call(channel, stepAt, index + 1);
    isMissed = channels.length === 0;
    at = stepAt;
    beforeMs = afterMs;
  }
}

function remindersAfter(
  { channel, at }: FirstSend,
  { episode, quietAt }: { readonly episode: EpisodeOf; readonly quietAt: number },
  { repeatMsOf, quieted }: FollowUpRules,
): number {
  const repeatMs = repeatMsOf(channel, episode.monitor);
  if (repeatMs === null) return 0;
  let count = 0;
  let next = at + repeatMs;
  for (;;) {
    const answer = quieted(channel, episode, next);
    const sentAt = answer.kind === 'hold' ? answer.untilAt : next;
    if (sentAt >= quietAt) return count;
    count += 1;
    next = sentAt + repeatMs;
  }
}
