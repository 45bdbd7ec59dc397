/** Words what happens between this node and its peers for the log. */
import { durationText, shownSpanSecs } from '../core/duration.ts';
import type { LogEntry } from '../core/log.ts';
import type { PeerState } from './rules/state.ts';
import type { TroubleOver } from './rules/transitions.ts';
import { cleanLine } from '../core/text.ts';
import type { HeartbeatAnswer } from './client/clients.ts';

type Untaken = Exclude<HeartbeatAnswer, { readonly kind: 'taken' }>;

/** Who heartbeats go to: a peer, or null for `heartbeat_url`. */
type Receiver = string | null;

export function untakenLine(receiver: Receiver, answer: Untaken): LogEntry {
  const what =
    receiver === null
      ? 'heartbeat_url does not take heartbeats'
      : `peer ${receiver} does not take heartbeats`;
  const why =
    answer.kind === 'unreachable'
      ? `it cannot be reached: ${cleanLine(answer.error)}`
      : `it answered ${answer.status}${adviceOn(receiver, answer.status)}`;
  return {
    level: 'warning',
    event: 'heartbeat.untaken',
    message: `${what}: ${why}`,
    fields: { peer: receiver, status: answer.kind === 'refused' ? answer.status : null },
  };
}

export function takenAgainLine(receiver: Receiver): LogEntry {
  const who = receiver === null ? 'heartbeat_url' : `peer ${receiver}`;
  return {
    level: 'info',
    event: 'heartbeat.taken',
    message: `${who} accepts heartbeats again`,
    fields: { peer: receiver },
  };
}

export function heldBackLine(why: string): LogEntry {
  const message = `no heartbeats are sent, so that the peers notice: ${why}`;
  return { level: 'warning', event: 'heartbeat.held_back', message };
}

export function sentAgainLine(): LogEntry {
  return { level: 'info', event: 'heartbeat.sent_again', message: 'heartbeats are sent again' };
}

export function lateLine(id: string, { heardAt }: PeerState, nowAt: number): LogEntry {
  const silence =
    heardAt === null
      ? 'it has not sent a heartbeat yet'
      : `no heartbeat for ${durationText(Math.max(0, nowAt - heardAt))}`;
  return {
    level: 'info',
    event: 'peer.late',
    message: `peer ${id} is late: ${silence}`,
    fields: { peer: id },
  };
}

/** What was decided about a silent peer. */
export function troubleLine(id: string, { state, reason, seenBy }: PeerState): LogEntry {
  const why = cleanLine(reason ?? '');
  const fields = { peer: id, reason: why };
  if (state === 'down') {
    return { level: 'warning', event: 'peer.down', message: `peer ${id} is down: ${why}`, fields };
  }
  const by =
    seenBy.length === 0 ? '' : `, though ${cleanLine(seenBy.join(', '))} still receives its heartbeats`;
  const message = `the link to peer ${id} is broken: ${why}${by}`;
  return { level: 'warning', event: 'peer.link_degraded', message, fields };
}

export function overLine(id: string, { from, startedAt, endedAt }: TroubleOver): LogEntry {
  const secs = shownSpanSecs(startedAt, endedAt);
  const lasted = durationText(secs * 1000);
  const message =
    from === 'down'
      ? `peer ${id} is up again after ${lasted}`
      : `the link to peer ${id} works again after ${lasted}`;
  return { level: 'info', event: 'peer.recovered', message, fields: { peer: id, down_secs: secs } };
}

export function firstHeartbeatLine(id: string): LogEntry {
  return { level: 'info', event: 'peer.heard', message: `peer ${id} sends heartbeats`, fields: { peer: id } };
}

export function refusedLine(id: string, error: unknown): LogEntry {
  const why = error instanceof Error ? error.message : String(error);
  const message = `what was decided about peer ${id} could not be kept: ${why}`;
  return { level: 'error', event: 'store.refused', message, fields: { peer: id } };
}

function adviceOn(receiver: Receiver, status: number): string {
  if (receiver === null) return status === 404 || status === 410 ? '; check the address' : '';
  switch (status) {
    case 401:
    case 403:
      return '; check that ping_token here is the listen_token over there';
    case 404:
      return '; check that the end of ping_url here is the listen_id over there';
    case 405:
      return '; check that ping_url ends in /api/push/ and an id';
    case 429:
      return '; too many requests come from this address';
    case 503:
      return '; its database cannot be written';
    default:
      return status >= 300 && status < 400 ? '; redirects are not followed, check ping_url' : '';
  }
}
