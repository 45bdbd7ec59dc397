/** Which messages belong together, for vendors that open an alert and resolve it. */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { plainLine } from '../wording/plain.ts';
import { degradationOf, unstableEpisodeOf } from '../../engine/alerting/events/outage.ts';

export interface Episode {
  /** What is wrong: all messages of an episode have the same. */
  readonly name: 'down' | 'degraded' | 'unknown' | 'unstable' | 'peer_down' | 'node_blind' | 'incident';
  /** The uid of the incident, or a name for what has none. */
  readonly key: string;
  /** What its end says, too; null: several monitors share it. */
  readonly subject: string | null;
  /** `goes_on`: a part of it is over. */
  readonly phase: 'begins' | 'goes_on' | 'ends';
}

/** Null: it has no end, or was never begun. */
export function episodeOf(message: Message): Episode | null {
  const episode = ofMessage(message);
  if (episode === null) return null;
  // PagerDuty takes a key of 255 characters.
  const key = plainLine(episode.key, 200);
  return { ...episode, key: message.isTest ? `test.${key}` : key };
}

function ofMessage(message: Message): Episode | null {
  if (message.event === 'down') return { ...ofOutage(message), phase: 'begins' };
  // Such a vendor reminds by rules of its own.
  if (message.event === 'reminder')
    return { name: 'down', key: `down.${message.monitor.id}`, subject: null, phase: 'goes_on' };
  if (message.event === 'degraded' || message.event === 'unstable')
    return { ...ofState(message.event, message, message.deliveryId), phase: 'begins' };
  if (message.event === 'unknown')
    return { ...ofUnchecked(message.deliveryId, message.ownFault), phase: 'begins' };
  if (message.event === 'recovered') return ofRecovery(message);
  if (message.event === 'node_blind') {
    const phase = message.endedAt === null ? 'begins' : 'ends';
    return { name: 'node_blind', key: `node.blind.${message.startedAt}`, subject: null, phase };
  }
  if (message.event === 'incident') {
    const phase = message.state === 'resolved' ? 'ends' : 'begins';
    return { name: 'incident', key: message.uid, subject: null, phase };
  }
  // Nothing says that a link works again.
  if ('peer' in message && message.event !== 'peer_link_degraded') {
    const { peer, node } = message;
    const phase = message.event === 'peer_recovered' ? 'ends' : 'begins';
    // Other nodes watch it, too, and each of them resolves its own alert.
    const key = ['peer', peer.id, ...(node === null ? [] : [node])].join('.');
    return { name: 'peer_down', key, subject: peer.id, phase };
  }
  return null;
}

type MessageOf<Event extends Message['event']> = Extract<Message, { readonly event: Event }>;

function ofRecovery(message: MessageOf<'recovered'>): Episode | null {
  const { from, isLate, ownFault, grouping, alertId = null } = message;
  if (isLate) return null;
  if (from === 'degraded' || from === 'unstable')
    return { ...ofState(from, message, alertId), phase: 'ends' };
  const phase = grouping.hasOthersDown === true ? 'goes_on' : 'ends';
  if (from === 'down') return { ...ofOutage(message), phase };
  return { ...ofUnchecked(grouping.groupId, ownFault ?? ''), phase };
}

/** By the incident that the alert began with, which its id is made of: what is wrong may be wrong on other hosts, too. */
function ofUnchecked(alertId: string | null, ownFault: string): Omit<Episode, 'phase'> {
  const lead = /^(.+?)\.unknown\./.exec(alertId ?? '')?.[1];
  return { name: 'unknown', key: lead ?? `unknown.${ownFault}`, subject: null };
}

/** A group has the name of the incident that it began with, whose delivery it is named after. */
function ofOutage({ monitor, knownAs, grouping }: MessageOf<'down' | 'recovered'>): Omit<Episode, 'phase'> {
  const { groupId, incidentUids = [] } = grouping;
  const lead = groupId === null ? null : /^(.+)\.down\.[^.]+$/.exec(groupId)?.[1];
  const key = lead ?? incidentUids[0] ?? `down.${monitor.id}`;
  return { name: 'down', key, subject: groupId === null ? (knownAs ?? monitor.id) : null };
}

const alertIdForms = {
  degraded: /^((.+)\.degraded\.\d+)\.degraded\.(?:\d+\.)?[^.]+$/,
  unstable: /^((.+)\.unstable\.\d+)\.unstable\.(?:\d+\.)?[^.]+$/,
} as const;

/** By the delivery that alerted of it: its name stays when the monitor is renamed, or the clock is set. */
function ofState(
  name: 'degraded' | 'unstable',
  { monitor, startedAt }: MessageOf<'degraded' | 'unstable' | 'recovered'>,
  alertId: string | null,
): Omit<Episode, 'phase'> {
  const [, key, subject] = alertIdForms[name].exec(alertId ?? '') ?? [];
  const episode = name === 'degraded' ? degradationOf : unstableEpisodeOf;
  return { name, key: key ?? episode(monitor.id, startedAt), subject: subject ?? monitor.id };
}
