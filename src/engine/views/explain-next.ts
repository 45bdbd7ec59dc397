/** Says what happens next: which messages wait for what, and what will follow. */
import { durationText } from '../core/duration.ts';
import { nearInstantText } from '../core/instant.ts';
import { counted, inWords } from '../core/words.ts';
import type { Muting } from '../core/mute.ts';
import { notifiedChannels } from './explain-incident.ts';
import { sentenceOf } from './explain-timeline.ts';
import { withoutStop } from './page-wording.ts';
import type { ExplainFacts } from './explain-facts.ts';
import type { DeliveryFacts } from '../core/record.ts';

export function nextSteps(facts: ExplainFacts): readonly string[] {
  const { deliveries, muting, nowAt, incident } = facts;
  const waiting = deliveries.filter(({ state }) => state === 'waiting');
  const givenUp = deliveries.filter(({ state }) => state === 'given_up');
  const steps = [
    ...(muting.kind === 'muted' ? [mutedSentence(muting, nowAt)] : []),
    ...waiting.map((delivery) => waitingSentence(delivery, facts)),
    ...givenUp.map(givenUpSentence),
    ...recoverySentences(facts),
  ];
  if (steps.length > 0 || incident === null) return steps;
  if (incident.endedAt !== null) return ['Nothing: it is over, and no message is pending.'];
  return ['No message is pending; nothing is sent unless something changes.'];
}

function waitingSentence(delivery: DeliveryFacts, { decisions, nowAt }: ExplainFacts): string {
  const { channel, event, attempts, nextAt, lastError, incident } = delivery;
  const when =
    nextAt > nowAt ? `at ${nearInstantText(nextAt, nowAt)} (in ${durationText(nextAt - nowAt)})` : 'now';
  if (attempts > 0) {
    const said = lastError === null ? '' : `: ${withoutStop(lastError)}`;
    return `${channel} is tried again ${when}, after ${counted(attempts, 'failed try', 'failed tries')}${said}.`;
  }
  const last = decisions.findLast((one) => one.channel === channel && one.incident === incident);
  if (last?.verdict === 'held')
    return `The ${event} message for ${channel} is held back: ${sentenceOf(last)}`;
  if (nextAt <= nowAt)
    return `The ${event} message for ${channel} is due: a running daemon sends it within a second.`;
  const unless =
    event === 'down' || event === 'degraded' || event === 'unknown' ? ', unless it is over by then' : '';
  return `${channel} gets the ${event} message ${when}${unless}.`;
}

function givenUpSentence({ id, channel, event, attempts }: DeliveryFacts): string {
  const tries = counted(attempts, 'try', 'tries');
  return `The ${event} message for ${channel} was given up after ${tries}; \`statusd outbox retry ${id}\` tries it again.`;
}

function recoverySentences({ incident, decisions, deliveries }: ExplainFacts): readonly string[] {
  if (incident?.endedAt !== null) return [];
  const notified = notifiedChannels(incident.uid, { decisions, deliveries });
  return notified.length === 0
    ? []
    : [`When it recovers, ${inWords(notified)} ${notified.length === 1 ? 'is' : 'are'} notified.`];
}

function mutedSentence({ untilAt, by }: Extract<Muting, { kind: 'muted' }>, nowAt: number): string {
  const sources = by.map((one) => {
    const name = one.kind === 'silence' ? `silence ${one.id}` : `the maintenance window '${one.title}'`;
    return one.over === null ? name : `${name} (over ${one.over})`;
  });
  return `Messages are held back by ${inWords(sources)} until ${nearInstantText(untilAt, nowAt)} (${durationText(untilAt - nowAt)}).`;
}
