/** Words for producer alerts, the digest and a test of the channels. */
import type { DigestMessage } from '../../engine/alerting/events/digest.ts';
import { type ProducerAlert, tagsOf } from '../../engine/alerting/events/producer-alert.ts';
import type { TestMessage } from '../../engine/alerting/events/test.ts';
import { instantText, dayText } from '../../engine/core/instant.ts';
import { plainLine, plainLines } from './plain.ts';
import { nameOf, type Wording } from './wording.ts';

/** Longer than interface limits allow: nothing of an alert is lost here. */
const alertBounds = { most: 40, maxLength: 2000 };
const longestDigestLine = 300;

export function producerAlert(message: ProducerAlert): Wording {
  const tags = tagsOf(message, plainLine);
  return {
    title: `${nameOf(message.monitor)}: ${plainLine(message.title)}`,
    lines: [
      ...plainLines(message.message ?? '', alertBounds),
      ...(tags === '' ? [] : [tags]),
      `Sent ${instantText(message.at)}`,
    ],
    quote: [],
  };
}

export function digest({ fromAt, toAt, summary, lines }: DigestMessage): Wording {
  return {
    title: `Digest: ${dayText(fromAt)} to ${dayText(toAt)}`,
    lines: [summary, ...lines]
      .map((line) => plainLine(line, longestDigestLine))
      .filter((line) => line !== ''),
    quote: [],
    isText: true,
  };
}

export function test({ at }: TestMessage): Wording {
  return {
    title: 'statusd reaches you here',
    lines: ['This channel works', `Sent ${instantText(at)}`],
    quote: [],
  };
}
