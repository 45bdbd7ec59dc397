import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedOf, type EventFeedFacts } from '../../../src/engine/views/feed.ts';

const at = Date.UTC(2026, 10, 21, 14, 0, 0);

const incident = {
  monitor: 'db',
  name: 'Database',
  ownFault: null,
  startedAt: at,
  confirmedAt: at + 4000,
  endedAt: at + 64_000,
  reason: 'connection refused',
};

function decision(given: Partial<EventFeedFacts['decisions'][number]>): EventFeedFacts['decisions'][number] {
  return {
    id: 1,
    at: at + 10_000,
    monitor: 'db',
    incident: 'u1',
    channel: 'phone',
    event: 'down',
    verdict: 'told',
    reason: 'sent',
    detail: null,
    ...given,
  };
}

function feed(given: Partial<EventFeedFacts>, limit = 10) {
  const nameOf = (id: string) => ({ db: 'Database', api: 'API' })[id] ?? id;
  return feedOf({ incidents: [], decisions: [], changes: [], nameOf, ...given }, limit);
}

describe('the events of late', () => {
  it('are outages, their ends and what was changed, the newest first', () => {
    const events = feed({
      incidents: [incident],
      changes: [{ id: 1, at: at - 1000, title: 'deploy v2', monitors: ['db'] } as never],
    });
    assert.deepEqual(
      events.map(({ kind, text }) => [kind, text]),
      [
        ['up', 'Database recovered after 1m 4s'],
        ['down', 'Database is down: connection refused'],
        ['changed', 'deploy v2'],
      ],
    );
    assert.equal(events[1]?.at, '2026-11-21T14:00:04Z');
    assert.equal(events[2]?.monitor, 'db');
  });

  it('say what was sent to which channels in one line, and why something was not', () => {
    const events = feed({
      decisions: [
        decision({ channel: 'phone' }),
        decision({ channel: 'chat' }),
        decision({ channel: 'mail', verdict: 'undelivered', reason: 'channel_failed' }),
        decision({ monitor: 'api', channel: 'phone', verdict: 'spared', reason: 'folded' }),
        decision({ verdict: 'queued', reason: 'window' }),
      ],
    });
    assert.deepEqual(
      events.map(({ kind, text }) => [kind, text]),
      [
        ['sent', 'sent to phone, chat: Database down'],
        ['failed', 'not delivered to mail: Database down'],
        [
          'suppressed',
          'not sent to phone: API down. An upstream it depends on is down; the message about the upstream names it.',
        ],
      ],
    );
  });

  it('name the channel and its filter that left a message out, each filter in a line of its own', () => {
    const filtered = (channel: string, why: string) =>
      decision({ channel, verdict: 'spared', reason: 'filtered', detail: `${channel} ${why}.` });
    const critical = 'takes critical only (min_severity); this is error';
    const events = feed({
      decisions: [
        filtered('phone', critical),
        filtered('chat', 'takes recovered (events); this is down'),
        decision({ channel: 'mail', verdict: 'spared', reason: 'quiet_hours' }),
        decision({ channel: 'sms', verdict: 'spared', reason: 'quiet_hours' }),
        decision({ channel: null, verdict: 'spared', reason: 'nobody_routed' }),
      ],
    });
    assert.deepEqual(
      events.map(({ text }) => text),
      [
        `not sent to phone: Database down. phone ${critical}.`,
        'not sent to chat: Database down. chat takes recovered (events); this is down.',
        'not sent to mail, sms: Database down. The channel has its quiet hours, and it is not critical.',
        'not sent: Database down. No usable channel is routed to it.',
      ],
    );
  });

  it('are no more than there is use for', () => {
    assert.equal(feed({ incidents: Array.from({ length: 30 }, () => incident) }, 7).length, 7);
  });
});
