/** The catalogue of reasons: why something was told, held back or left out, one plain sentence each. */

export const reasons = {
  window: 'It waits out the group window, in case it is a flap or part of a larger outage.',
  at_once: 'It is told at once.',
  sent: 'The channel took the message.',
  recovery: 'The channel that was told of the outage hears that it is over.',
  cause_elsewhere: 'It was told alone, because the channel does not hear of the upstream that caused it.',
  grouped: 'It was told in one message with others that failed at the same time.',
  late: 'It could not be told while it lasted, so it was told once it was over.',
  flap: 'It was over before its window was.',
  became_down: 'It went from degraded to down, which is told instead.',
  never_told: 'The channel was never told that it was down, so it need not hear that it is up.',
  muted: 'A silence or a maintenance window holds messages about it back.',
  folded: 'An upstream it depends on is down, and the message about that one speaks for it.',
  upstream_failing: 'An upstream it depends on is failing too, so it waits to see which of them is to blame.',
  storm: 'Many monitors changed at once, so their messages are gathered into one.',
  over: 'It was over before it could be told.',
  degraded_not_told: 'Degraded monitors are not told of, because alert_on_degraded is off.',
  nobody_routed: 'No channel that can be used is meant to hear of it.',
  channel_failed: 'The channel did not take the message; it is tried again.',
  given_up: 'The channel did not take the message for too long, so it was given up.',
  channel_removed: 'The channel is no longer configured.',
  monitor_removed: 'The monitor is no longer configured.',
  no_other_channel: 'A channel is failing, and there is no other one to say so.',
  sighted: 'This node reaches its targets again, and says for how long it did not.',
  dropped: 'It was taken out of the outbox by hand.',
  unreadable: 'The stored message cannot be read by this version.',
} as const;

export type ReasonWord = keyof typeof reasons;
