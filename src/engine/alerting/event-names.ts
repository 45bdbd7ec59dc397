/** The words of telling: the events that ask for attention, and what is decided about each. */

/** What the webhook channel calls them too. */
export const eventNames = [
  'down',
  'degraded',
  'unknown',
  'recovered',
  'alert',
  'channel_failing',
  'cert_expiring',
  'cert_changed',
  'cert_unreadable',
  'domain_expiring',
  'budget_burn',
  'peer_down',
  'peer_recovered',
  'peer_link_degraded',
  'node_blind',
  'storage_failing',
  'digest',
  'test',
] as const;
export type EventName = (typeof eventNames)[number];

/** Whether an event is about another node and not about a monitor. */
export function isPeerEvent(event: EventName): boolean {
  return event === 'peer_down' || event === 'peer_recovered' || event === 'peer_link_degraded';
}

export const severities = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/**
 * What became of an event, or of its message for one channel. `queued`: it waits in the outbox. `held`: it waits
 * longer, for the reason given. `told`: the channel took it. `spared`: nobody needs to hear it. `undelivered`: the
 * channel did not take it.
 */
export const verdicts = ['queued', 'held', 'told', 'spared', 'undelivered'] as const;
export type DecisionVerdict = (typeof verdicts)[number];
