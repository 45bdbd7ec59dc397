/** The catalogue of reasons: why something was sent, held back or suppressed, one plain sentence each. */
import { ackWithdrawn } from '../core/record.ts';

export const reasons = {
  window: 'It waits out the group window, in case it is a flap or part of a larger outage.',
  at_once: 'It is sent at once.',
  sent: 'The channel took the message.',
  rerouted: 'The channel was added, or became usable, while the outage lasted.',
  recovery: 'The channel received the alert, so it gets the recovery.',
  cause_elsewhere:
    'It was sent alone, because the channel does not receive alerts of the upstream that caused it.',
  cause_held:
    'It was sent alone, because the message about the upstream that caused it is held back on this channel.',
  later_group:
    'The message about its upstream left before it failed, so it is sent with whatever else failed since.',
  coming_back: 'Monitors that its alert named answer again, so its recovery waits a moment to name them too.',
  hold_limit: 'The limit for holding a message back was reached, so it was sent on its own.',
  grouped: 'It was sent in one message with others that failed at the same time.',
  late: 'It could not be sent while it lasted, so it was sent once it was over.',
  flap: 'It recovered within the group window.',
  became_down: 'It went from degraded to down; that is sent instead.',
  never_told: 'The channel never received the alert, so it gets no recovery.',
  muted: 'Muted by a silence or a maintenance window.',
  folded: 'An upstream it depends on is down; the message about the upstream names it.',
  upstream_due: 'An upstream it depends on is down too, and the message about that one is not sent yet.',
  upstream_failing:
    'An upstream it depends on is failing too, so it waits to see which of them is the cause.',
  same_cause: 'A message that was already sent reports that checks are impossible for this cause.',
  node_blind: 'This node lost its network; a separate message reports that.',
  down_again: 'The monitor is down again, so its recovery waits until that outage is over or sent.',
  still_degraded: 'The monitor is still degraded, so its recovery waits until it is healthy.',
  unstable: 'The monitor is unstable; the message that says so stands for its single outages.',
  degraded_known: 'The channel was notified that it is degraded, and has received no recovery since.',
  storm: 'Many monitors changed at once, so their messages are gathered into one.',
  peers_agree: 'Other nodes were asked, and see it down too.',
  peers_disagree: 'Other nodes were asked, and not all of them see it down.',
  peers_silent: 'Other nodes were asked, and none of them could check it.',
  peers_not_asked: 'Many outages began at once, so the other nodes were asked about some of them only.',
  over: 'It was over before it could be sent.',
  outage_open: 'The monitor is down and has a message of its own, so its budget burn is not sent as well.',
  degraded_not_told: 'Degraded monitors are not alerted on, because alert_on_degraded is off.',
  nobody_routed: 'No usable channel is routed to it.',
  channel_failed: 'The channel did not take the message; it is tried again.',
  no_answer: 'The message was sent but not confirmed for every recipient, so some may have it.',
  given_up: 'The channel did not take the message for too long, so it was given up.',
  channel_unavailable: 'The channel is not configured or is disabled; the message waits until it is back.',
  no_longer_monitored:
    'The monitor left the configuration: the channels that were sent its alert are notified that it is no longer monitored.',
  channel_removed: 'The channel is no longer configured.',
  monitor_removed: 'The monitor is no longer configured.',
  peer_removed: 'The peer is no longer monitored.',
  no_other_channel: 'A channel is failing, and there is no other channel to report it.',
  sighted: 'This node reaches its targets again.',
  reminder: 'It is a reminder of an ongoing outage, unless that is over or acknowledged by then.',
  acknowledged: 'The incident is acknowledged, so nobody else is notified.',
  [ackWithdrawn]: 'The acknowledgement was withdrawn: reminders and escalations go on.',
  ack_carried:
    'The outage before was acknowledged and ended less than 10 minutes earlier, so only channels that were sent it are notified, once.',
  carry_withdrawn:
    'The acknowledgement that was carried over to the outage was withdrawn, so the channel is notified.',
  reason_changed: 'The incident is acknowledged, and its checks fail for another reason since.',
  reason_known: 'The checks fail for a reason again that the channel was sent before.',
  escalated: 'Nobody acknowledged the incident in time, so the next step of its escalation follows.',
  step_known: 'Every channel of this step was notified before.',
  step_reaches_nobody: 'No channel of this step can be used and takes it, so the next step follows at once.',
  last_resort: 'Nobody could be notified of the outage, so it is sent to every channel that takes it.',
  handed_over: 'A turn of a rotation began while the outage lasted and nobody had acknowledged it.',
  off_call: 'Another member of its rotation is on call now, and is notified instead.',
  filtered:
    'The channel does not take it: events, min_severity, monitors or groups of the channel leave it out.',
  not_routed:
    'The channel is no longer routed to it: notify, a filter of the channel or alert_on_degraded leaves it out.',
  quiet_hours: 'The channel has its quiet hours, and it is not critical.',
  reminders_off: 'Neither the monitor nor the channel has repeat_every_secs any more.',
  dropped: 'Dropped from the outbox by an operator.',
  unreadable: 'The stored message cannot be read by this version.',
} as const;

export type ReasonWord = keyof typeof reasons;

/** A reason and its sentence, as a decision has them. */
export function because(reason: ReasonWord): { readonly reason: ReasonWord; readonly detail: string } {
  return { reason, detail: reasons[reason] };
}

/**
 * What became of an event, or of its message for one channel. `queued`: it waits in the outbox. `held`: it waits
 * longer, for the reason given. `told`: the channel took it. `spared`: it is not sent. `undelivered`: the channel did
 * not take it.
 */
export const verdicts = ['queued', 'held', 'told', 'spared', 'undelivered'] as const;
export type DecisionVerdict = (typeof verdicts)[number];

/** What people read of it: the words of the record are older. */
export const verdictWords = {
  queued: 'queued',
  held: 'held',
  told: 'sent',
  spared: 'suppressed',
  undelivered: 'undelivered',
} as const satisfies Record<DecisionVerdict, string>;

/** The word for what the record says, which may have been written by another release. */
export function verdictText(recorded: string): string {
  const known = verdicts.find((verdict) => verdict === recorded);
  return known === undefined ? recorded : verdictWords[known];
}
