/** Describes what happens next: pending messages, and what they wait for. */
import { durationText } from '../core/duration.ts';
import { nearInstantText } from '../core/instant.ts';
import { counted, inWords } from '../core/words.ts';
import { type MutedBy, mutedByText, type Muting } from '../core/mute.ts';
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
    ...together(waiting.map((delivery) => waitingSentence(delivery, facts))),
    ...givenUp.map(givenUpSentence),
    ...stepSentence(facts),
    ...recoverySentences(facts),
  ];
  if (steps.length > 0 || incident === null) return steps;
  if (incident.endedAt !== null) return ['Nothing: it is over, and no message is pending.'];
  return ['No message is pending; nothing is sent unless something changes.'];
}

/** A sentence about one channel, in which `{who}`, `{is}` and `{gets}` stand for it and for the verbs that follow it. */
interface ChannelSentence {
  readonly channel: string;
  readonly text: string;
}

/** Channels of which the same is to be said share a sentence. */
function together(sentences: readonly ChannelSentence[]): readonly string[] {
  const channels = new Map<string, string[]>();
  for (const { channel, text } of sentences) channels.set(text, [...(channels.get(text) ?? []), channel]);
  return [...channels].map(([text, of]) =>
    text
      .replace('{is}', of.length === 1 ? 'is' : 'are')
      .replace('{gets}', of.length === 1 ? 'gets' : 'get')
      .replaceAll('{who}', () => inWords(of)),
  );
}

/** What is due is sent within a second, where its channel is free. */
const soonMs = 2000;

/** The message that its channel has on hand before one that is due; null: none. Those that are due together go as one. */
function aheadOf(
  { id, channel, nextAt }: DeliveryFacts,
  { ahead, nowAt }: ExplainFacts,
): DeliveryFacts | null {
  const first = ahead?.get(channel);
  if (first === undefined || first.id === id || nextAt > nowAt) return null;
  return first.attempts > 0 || first.nextAt <= nextAt - soonMs ? first : null;
}

/** `, after 2 failed tries: HTTP 503`. */
function afterTries({ attempts, lastError }: DeliveryFacts): string {
  if (attempts === 0) return '';
  const said = lastError === null ? '' : `: ${withoutStop(lastError)}`;
  return `, after ${counted(attempts, 'failed try', 'failed tries')}${said}`;
}

function waitingSentence(delivery: DeliveryFacts, facts: ExplainFacts): ChannelSentence {
  const { decisions, nowAt } = facts;
  const { channel, event, attempts, nextAt, incident } = delivery;
  const sentence = (text: string): ChannelSentence => ({ channel, text });
  const ahead = aheadOf(delivery, facts);
  const dueNow = ahead === null ? 'now' : 'after an earlier message';
  const when =
    nextAt > nowAt ? `at ${nearInstantText(nextAt, nowAt)} (in ${durationText(nextAt - nowAt)})` : dueNow;
  if (attempts > 0) return sentence(`{who} {is} tried again ${when}${afterTries(delivery)}.`);
  const last = decisions.findLast((one) => one.channel === channel && one.incident === incident);
  if (last?.verdict === 'held')
    return sentence(`The ${event} message for {who} is held back: ${sentenceOf(last)}`);
  if (nextAt <= nowAt) {
    const due = `The ${event} message for {who} is due`;
    if (ahead !== null)
      return sentence(`${due}, and goes after an earlier one that {who} {is} trying${afterTries(ahead)}.`);
    return sentence(
      nowAt - nextAt <= soonMs
        ? `${due}: a running daemon sends it within a second.`
        : `${due} for ${durationText(nowAt - nextAt)}: it is being tried, or no daemon runs.`,
    );
  }
  const unless =
    event === 'reminder'
      ? (facts.incident?.acknowledged ?? null) !== null
        ? ', as the reason has changed, unless it is over by then'
        : ', unless it is over or acknowledged by then'
      : ['down', 'degraded', 'unknown', 'unstable'].includes(event)
        ? ', unless it is over by then'
        : '';
  return sentence(`{who} {gets} the ${event} message ${when}${unless}.`);
}

function stepSentence({ step = null, nowAt }: ExplainFacts): readonly string[] {
  if (step === null) return [];
  const { number, of, at, channels } = step;
  const whom = channels.length === 0 ? 'nobody as things are' : inWords(channels);
  const when = `at ${nearInstantText(at, nowAt)} (in ${durationText(at - nowAt)})`;
  return [`Step ${number} of ${of} notifies ${whom} ${when}, unless it is over or acknowledged by then.`];
}

function givenUpSentence({ id, channel, event, attempts }: DeliveryFacts): string {
  const tries = counted(attempts, 'try', 'tries');
  return `The ${event} message for ${channel} was given up after ${tries}; \`statusd outbox retry ${id}\` tries it again.`;
}

function recoverySentences(facts: ExplainFacts): readonly string[] {
  const { incident } = facts;
  if (incident?.endedAt !== null) return [...stableSentences(facts), ...healthySentences(facts)];
  const notified = notifiedChannels(incident.uid, facts);
  const recovered = notified.length === 0 ? [] : [`When it recovers, ${areNotified(notified)}.`];
  return [...recovered, ...stableSentences(facts)];
}

/** Of an unstable time, which is no incident. */
function stableSentences({ unstable = null, deliveries }: ExplainFacts): readonly string[] {
  const sent = deliveries.filter((row) => row.event === 'unstable' && row.state === 'sent');
  if (unstable === null || sent.length === 0) return [];
  return [`When it is stable again, ${areNotified(sent.map(({ channel }) => channel))}.`];
}

/** Of a degradation, which is no incident. */
function healthySentences({ state, deliveries }: ExplainFacts): readonly string[] {
  const sent = deliveries.filter((row) => row.event === 'degraded' && row.state === 'sent');
  if (state === null || state.degradation === null || sent.length === 0) return [];
  return [`When it is healthy again, ${areNotified(sent.map(({ channel }) => channel))}.`];
}

function areNotified(channels: readonly string[]): string {
  return `${inWords(channels)} ${channels.length === 1 ? 'is' : 'are'} notified`;
}

function mutedSentence(
  { untilAt, by, then = [] }: Extract<Muting, { kind: 'muted' }>,
  nowAt: number,
): string {
  const namesOf = (all: readonly MutedBy[]) => inWords(all.map(mutedByText));
  const later = then.filter((one) => !by.includes(one));
  const next = later.length === 0 ? '' : `, then by ${namesOf(later)},`;
  return `Messages are held back by ${namesOf(by)}${next} until ${nearInstantText(untilAt, nowAt)} (${durationText(untilAt - nowAt)}).`;
}
