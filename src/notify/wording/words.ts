/** Writes the text of a message. */
import type { EventName, Message, MessageOf } from '../../engine/alerting/events/catalogue.ts';
import { budgetBurn, certChanged, certExpiring, certUnreadable, domainExpiring } from './expiry.ts';
import {
  channelFailing,
  nodeBlind,
  nodesDiffer,
  peerDown,
  peerLinkDegraded,
  peerRecovered,
  storageFailing,
} from './node.ts';
import { degraded, down, recovered, reminder, unstable } from './outage.ts';
import { checkedAgain, unknown } from './unknown.ts';
import { fact, type WordingLine, listed, nameOf, type Wording } from './wording.ts';
import type { DigestMessage } from '../../engine/alerting/events/digest.ts';
import type { IncidentSaid } from '../../engine/alerting/events/operator-incident.ts';
import {
  alertLinesOf,
  alertTitleOf,
  type ProducerAlert,
  tagsOf,
} from '../../engine/alerting/events/producer-alert.ts';
import type { TestMessage } from '../../engine/alerting/events/test.ts';
import { counted } from '../../engine/core/words.ts';
import { dayText, instantText, nearInstantText } from '../../engine/core/instant.ts';
import { plainLine, plainLines } from './plain.ts';

/** Longer than interface limits allow: nothing of an alert is lost here. */
const alertBounds = { most: 40, maxLength: 2000 };
const longestDigestLine = 300;

function producerAlert(message: ProducerAlert): Wording {
  const { together = [] } = message;
  if (together.length > 0)
    return {
      title: `${counted(together.length, 'alert')}: ${alertTitleOf(message, plainLine)}`,
      lines: [
        ...alertLinesOf(message, plainLine),
        fact(
          'Sent from',
          `${instantText(earliest(together))} to ${nearInstantText(latest(together), earliest(together))}`,
          ' ',
        ),
      ],
      quote: [],
    };
  const tags = tagsOf(message, plainLine);
  return {
    title: `${nameOf(message.monitor)}: ${plainLine(message.title)}`,
    lines: [
      ...plainLines(message.message ?? '', alertBounds),
      ...(tags === '' ? [] : [tags]),
      fact('Sent', instantText(message.at), ' '),
    ],
    quote: [],
  };
}

function earliest(alerts: readonly ProducerAlert[]): number {
  return alerts.reduce((first, { at }) => Math.min(first, at), Infinity);
}

function latest(alerts: readonly ProducerAlert[]): number {
  return alerts.reduce((last, { at }) => Math.max(last, at), -Infinity);
}

function incidentSaid({ title, state, message, monitors, startedAt }: IncidentSaid): Wording {
  return {
    title: `${plainLine(title)}: ${plainLine(state ?? 'update')}`,
    lines: [
      ...plainLines(message ?? '', alertBounds),
      ...(monitors.length === 0 ? [] : [fact('Affected', listed(monitors.map(nameOf), mostAffected))]),
      fact('Since', instantText(startedAt), ' '),
    ],
    quote: [],
  };
}

/** How many monitors are named; the others are counted. */
const mostAffected = 10;

function digest({ fromAt, toAt, summary, lines }: DigestMessage): Wording {
  return {
    title: `Digest: ${dayText(fromAt)} to ${dayText(toAt)}`,
    lines: [summary, ...lines]
      .map((line) => plainLine(line, longestDigestLine))
      .filter((line) => line !== ''),
    quote: [],
    isText: true,
  };
}

function test({ at }: TestMessage): Wording {
  return {
    title: 'statusd reaches you here',
    lines: ['This channel works', fact('Sent', instantText(at), ' ')],
    quote: [],
  };
}

/** A test says so in the title and in the first line, so that nobody takes it for an outage. */
export function wordingOf(message: Message): Wording {
  const wordsOf = words[message.event] as (message: Message) => Wording;
  const wording = withRepeat(withoutBlanks(wordsOf(message)), message);
  if (!message.isTest) return wording;
  const notice = message.event === 'test' ? [] : ['This is a test, nothing of it is true'];
  return { ...wording, title: `TEST: ${wording.title}`, lines: [...notice, ...wording.lines] };
}

/** A name without a value says nothing, and Discord refuses it. */
function withoutBlanks(wording: Wording): Wording {
  const isSaid = (line: WordingLine) => typeof line === 'string' || line.value.trim() !== '';
  return { ...wording, lines: wording.lines.filter(isSaid) };
}

/** Behind the verdict: a receiver that took an earlier copy too late to say so has it already. */
function withRepeat(wording: Wording, { repeat = 0 }: Message): Wording {
  if (repeat === 0) return wording;
  const [verdict, ...rest] = wording.lines;
  const note = 'This may be a repeat: an earlier copy was not confirmed';
  return { ...wording, lines: verdict === undefined ? [note] : [verdict, note, ...rest] };
}

type Words = { readonly [Event in EventName]: (message: MessageOf<Event>) => Wording };

/** The words of every event. */
const words: Words = {
  down,
  unknown,
  unstable,
  degraded,
  recovered: (message) =>
    message.from === 'unknown' && !message.isRemoved ? checkedAgain(message) : recovered(message),
  reminder,
  alert: producerAlert,
  incident: incidentSaid,
  channel_failing: channelFailing,
  cert_expiring: certExpiring,
  cert_changed: certChanged,
  cert_unreadable: certUnreadable,
  domain_expiring: domainExpiring,
  budget_burn: budgetBurn,
  peer_down: peerDown,
  peer_recovered: peerRecovered,
  peer_link_degraded: peerLinkDegraded,
  node_blind: nodeBlind,
  storage_failing: storageFailing,
  nodes_differ: nodesDiffer,
  digest,
  test,
};
