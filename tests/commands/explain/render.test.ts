import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { explanationText } from '../../../src/commands/explain/render.ts';
import type { Explanation } from '../../../src/engine/views/explain.ts';
import type { DeliveryFacts } from '../../../src/engine/core/record.ts';
import type { TimelineMoment } from '../../../src/engine/views/explain-timeline.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const nowAt = Date.UTC(2026, 10, 21, 0, 1, 0);
const moment = (secs: number, changes: Partial<TimelineMoment>): TimelineMoment => ({
  at: nowAt - secs * 1000,
  kind: 'happened',
  channel: null,
  event: null,
  reason: null,
  text: 'It happened.',
  times: 1,
  ...changes,
});
const message = (changes: Partial<DeliveryFacts>): DeliveryFacts => ({
  id: 1,
  channel: 'ops',
  event: 'down',
  incident: 'u',
  createdAt: nowAt,
  state: 'sent',
  attempts: 1,
  nextAt: nowAt,
  lastError: null,
  finishedAt: nowAt - 5000,
  ...changes,
});

const explanation: Explanation = {
  headline: [
    'Incident 7: api is down since 2026-11-20 23:57:40 UTC, for 3m 20s: expected status 200-299, got 503 Service Unavailable.',
    'Sent to ops; not yet to mail.',
  ],
  timeline: [
    moment(200, { text: 'The first check failed: expected status 200-299, got 503 Service Unavailable' }),
    moment(80, { text: 'It was confirmed down.' }),
    moment(80, {
      kind: 'queued',
      channel: 'ops',
      event: 'down',
      text: 'It waits 30s for its group window, in case it is a flap or part of a larger outage.',
    }),
    moment(70, { kind: 'held', channel: 'mail', event: 'down', text: 'A silence holds it back.', times: 12 }),
    moment(50, { kind: 'told', channel: 'ops', event: 'down', text: 'The channel took the message.' }),
    moment(40, {
      kind: 'undelivered',
      channel: 'mail',
      event: 'down',
      text: 'HTTP 503, 監視監視 '.repeat(9),
    }),
    moment(30, { kind: 'spared', text: '\u001b[31mred\u202e\nand\u0007 more' }),
  ],
  messages: [
    message({}),
    message({
      id: 12,
      channel: 'm\u009b31mail',
      state: 'waiting',
      attempts: 3,
      nextAt: nowAt + 90_000,
      lastError: `no\u001b[2Jthing ${'answered '.repeat(20)}`,
    }),
    message({ id: 13, channel: 'chat', state: 'waiting', attempts: 0, nextAt: nowAt - 1 }),
    message({ id: 14, channel: 'sms', state: 'given_up', attempts: 9, lastError: 'no' }),
  ],
  next: [
    'mail is tried again at 00:02:30 UTC (in 1m 30s), after 3 failed tries: nothing answered answered answered answered.',
    'When it recovers, \u001b[31mops is told.',
  ],
};

describe('an explanation', () => {
  for (const columns of [80, 200]) {
    for (const isColoured of [false, true]) {
      const name = `${columns}${isColoured ? '.colour' : ''}`;
      it(`${name} is as the golden file has it, and fits`, () => {
        const output = outputOf({ columns, isColoured });
        const text = explanationText(explanation, { nowAt, isQuiet: false }, output);
        assertGolden(new URL(`golden/explain.${name}.txt`, import.meta.url), text);
        for (const line of text.split('\n')) assert.ok(stringWidth(line) <= columns, line);
      });
    }
  }

  it('has a line for everything where it is no terminal, and nothing acts on one', () => {
    const text = explanationText(
      explanation,
      { nowAt, isQuiet: false },
      outputOf({ columns: null, isColoured: false }),
    );
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.match(
      text,
      /queued {7}ops \(down\): It waits 30s for its group window, in case it is .* outage\.\n/,
    );
    assert.match(text, /A silence holds it back\. \(12 times\)\n/);
  });

  it('has one line for channels of which the same was decided, and one each for those of which it was not', () => {
    const moment = { kind: 'told', event: 'down', reason: 'sent', times: 1 } as const;
    const timeline = ['ops', 'chat', 'mail'].map((channel, index) => ({
      ...moment,
      at: nowAt + (channel === 'mail' ? 5000 : index),
      channel,
      text: `It was sent to ${channel}.`,
    }));
    const text = explanationText(
      { headline: [], timeline, messages: [], next: [] },
      { nowAt, isQuiet: false },
      outputOf({ columns: 100, isColoured: false }),
    );
    assert.match(
      text,
      /sent {9}ops and chat \(down\): It was sent\.\n.*sent {9}mail \(down\): It was sent\.\n/,
    );
  });

  it('is only its summary with --quiet', () => {
    const text = explanationText(
      explanation,
      { nowAt, isQuiet: true },
      outputOf({ columns: null, isColoured: false }),
    );
    assert.equal(text, `${explanation.headline.join('\n')}\n`);
  });
});
