/** Words for what somebody wants said: producer alerts, the digest, a test of the channels. */
import { dayText, instantText } from '../../engine/core/instant.ts';
import type { DigestMessage, ProducerAlert, TestMessage } from '../message.ts';
import { plainLine, plainLines } from './plain.ts';
import { nameOf, type Wording } from './wording.ts';

/** Longer than interface limits allow: nothing of an alert is lost here. */
const alertBounds = { most: 40, maxLength: 2000 };
const longestDigestLine = 300;

export function producerAlert(message: ProducerAlert): Wording {
  const tags = tagsOf(message);
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

/** `env=prod, host=a1`. */
export function tagsOf({ tags }: ProducerAlert): string {
  return Object.entries(tags)
    .slice(0, 20)
    .map(([name, value]) => `${plainLine(name, 100)}=${plainLine(value, 100)}`)
    .join(', ');
}

export function digest({ fromAt, toAt, summary, lines }: DigestMessage): Wording {
  return {
    title: `Digest: ${dayText(fromAt)} to ${dayText(toAt)}`,
    lines: [summary, ...lines]
      .map((line) => plainLine(line, longestDigestLine))
      .filter((line) => line !== ''),
    quote: [],
  };
}

export function test({ at }: TestMessage): Wording {
  return {
    title: 'statusd reaches you here',
    lines: ['This channel works', `Sent ${instantText(at)}`],
    quote: [],
  };
}
