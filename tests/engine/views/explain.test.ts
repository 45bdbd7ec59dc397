import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshState, type MonitorState } from '../../../src/engine/monitoring/confirm/state.ts';
import { explain } from '../../../src/engine/views/explain.ts';
import { type ExplainFacts } from '../../../src/engine/views/explain-facts.ts';
import type { DecisionFacts, DeliveryFacts, IncidentFacts } from '../../../src/engine/core/record.ts';
import { freshPeer } from '../../../src/engine/peers/rules/state.ts';
import { streakAround } from '../../../src/engine/views/explain-state.ts';

const nowAt = Date.UTC(2026, 10, 21, 12, 0, 0);
const before = (secs: number) => nowAt - secs * 1000;

const open: IncidentFacts = {
  id: 7,
  uid: 'u-7',
  monitor: 'api',
  name: 'The API',
  startedAt: before(200),
  confirmedAt: before(80),
  endedAt: null,
  category: 'connection',
  reason: 'connection refused by 127.0.0.1:1.',
  cause: null,
  impacted: [],
  note: null,
  snapshot: null,
  vantage: null,
  ownFault: null,
  acknowledged: null,
  latest: null,
  carriedFrom: null,
};
const over: IncidentFacts = { ...open, endedAt: before(20) };

/** The same to the second, and 800 ms shorter. */
const brief: IncidentFacts = { ...over, startedAt: over.startedAt + 900, endedAt: before(20) + 100 };

function decision(changes: Partial<DecisionFacts>): DecisionFacts {
  return {
    id: 1,
    at: before(80),
    monitor: 'api',
    incident: 'u-7',
    channel: 'ops',
    event: 'down',
    verdict: 'queued',
    reason: 'window',
    detail: 'It waits 30s.',
    ...changes,
  };
}

function delivery(changes: Partial<DeliveryFacts>): DeliveryFacts {
  return {
    id: 1,
    channel: 'ops',
    event: 'down',
    incident: 'u-7',
    createdAt: before(80),
    state: 'waiting',
    attempts: 0,
    nextAt: nowAt + 12_000,
    lastError: null,
    finishedAt: null,
    ...changes,
  };
}

function facts(changes: Partial<ExplainFacts>): ExplainFacts {
  return {
    nowAt,
    askedAt: null,
    monitor: { id: 'api', name: 'The API' },
    peer: null,
    policy: { failThreshold: 3, isDegradedNotified: false },
    incident: null,
    decisions: [],
    deliveries: [],
    state: null,
    muting: { kind: 'open' },
    samples: [],
    ...changes,
  };
}

function state(changes: Partial<MonitorState>): MonitorState {
  return { ...freshState, ...changes };
}

describe('without an incident, the summary says how near it is', () => {
  const failing = state({ status: 'degraded', failures: { count: 2, sinceAt: before(60) } });
  const slow = state({ status: 'degraded', slow: { count: 4, sinceAt: before(60) } });
  const cases: [title: string, changes: Partial<ExplainFacts>, expected: string][] = [
    ['nothing known', {}, 'Nothing is known of api yet.'],
    ['up', { state: state({ status: 'up' }) }, 'api is up.'],
    [
      'failing',
      { state: failing },
      'api is degraded: 2 failed checks in a row since 11:59:00 UTC; 3 confirm that it is down.',
    ],
    [
      'slow and untold',
      { state: slow },
      'api is degraded: 4 degraded answers since 11:59:00 UTC; alert_on_degraded is off, so nobody is notified.',
    ],
    [
      'slow and told',
      { state: slow, policy: { failThreshold: 3, isDegradedNotified: true } },
      'api is degraded: 4 degraded answers since 11:59:00 UTC.',
    ],
    [
      'unknown',
      { state: state({ status: 'unknown', unknowns: { count: 3, sinceAt: before(9) } }) },
      'api is unknown: this host could not ask.',
    ],
    [
      'a peer that was never heard',
      { monitor: { id: 'paris', name: 'Paris' }, peer: freshPeer, policy: null },
      'The peer paris is unknown: it has not sent a heartbeat yet, or is not watched.',
    ],
    [
      'a peer that was heard and is not known any more',
      { monitor: { id: 'paris', name: 'Paris' }, peer: { ...freshPeer, heardAt: before(60) }, policy: null },
      'The peer paris is unknown, last heartbeat at 11:59:00 UTC.',
    ],
    [
      'not configured',
      { state: state({ status: 'up' }), policy: null },
      'api is not configured any more. It was up when it was last checked.',
    ],
    [
      'not configured, and nothing known of it',
      { state: state({ status: 'unknown' }), policy: null },
      'api is not configured any more.',
    ],
  ];
  for (const [title, changes, expected] of cases) {
    it(title, () => {
      const { headline, next } = explain(facts(changes));
      assert.deepEqual(headline, [expected]);
      assert.deepEqual(next, []);
    });
  }
});

describe('a monitor that flaps', () => {
  const sampled = (letters: string) =>
    Array.from(letters, (letter, index) => ({
      at: before(letters.length - index),
      status: letter === 'x' ? ('down' as const) : ('up' as const),
    }));
  const headlineOf = (letters: string, failures: MonitorState['failures'] = null) =>
    explain(facts({ state: state({ status: 'up', failures }), samples: sampled(letters) })).headline.slice(1);

  it('is said to have failed how often and how long, and why nobody was alerted', () => {
    assert.deepEqual(headlineOf('.x.xx.x..'), [
      'In the last 24 h 4 checks failed at 3 times, at most 2 in a row (from 11:59:54 UTC); 3 in a row confirm that it is down, so no alert was due.',
    ]);
    assert.deepEqual(headlineOf('.x..'), [
      'In the last 24 h 1 check failed from 11:59:57 UTC; 3 in a row confirm that it is down, so no alert was due.',
    ]);
  });

  it('is not said to when nothing failed, when it was confirmed, or of what fails at the moment', () => {
    assert.deepEqual(headlineOf('....'), []);
    assert.deepEqual(headlineOf('.xxxx.'), []);
    assert.deepEqual(headlineOf('....xx', { count: 2, sinceAt: before(2) }), []);
  });

  it('is not said to of what one missed heartbeat confirmed', () => {
    const missed = (id: number, secs: number) => ({
      ...open,
      id,
      uid: `u-${id}`,
      startedAt: before(secs + 2),
      endedAt: before(secs - 1),
    });
    const { headline } = explain(
      facts({
        state: state({ status: 'up' }),
        samples: sampled('.x..x..x.'),
        incident: missed(9, 2),
        others: [missed(8, 5)],
      }),
    );
    assert.equal(
      headline[1],
      'In the last 24 h, apart from those of incidents, 1 check failed from 11:59:52 UTC; 3 in a row confirm that it is down, so no alert was due.',
    );
  });
});

describe('other incidents of late', () => {
  it('are named with the way to them', () => {
    const others = [9, 4].map((id) => ({ id, startedAt: before(500), endedAt: before(400) }));
    const { headline } = explain(facts({ state: state({ status: 'up' }), others }));
    assert.equal(headline.at(-1), 'Also in the last 24 h: incidents 9 and 4 (`statusd explain 9`).');
  });
});

describe('what happens next', () => {
  it('is said once for channels of which the same is true', () => {
    const deliveries = ['ops', 'chat', 'mail'].map((channel, index) => delivery({ id: index, channel }));
    assert.deepEqual(explain(facts({ incident: open, deliveries })).next, [
      'ops, chat and mail get the down message at 12:00:12 UTC (in 12s), unless it is over by then.',
    ]);
    const [first, ...others] = deliveries;
    const tried = { ...first, attempts: 2, lastError: 'HTTP 503' } as DeliveryFacts;
    assert.deepEqual(explain(facts({ incident: open, deliveries: [tried, ...others] })).next, [
      'ops is tried again at 12:00:12 UTC (in 12s), after 2 failed tries: HTTP 503.',
      'chat and mail get the down message at 12:00:12 UTC (in 12s), unless it is over by then.',
    ]);
  });
});

describe('asked about the past', () => {
  const askedAt = before(3600);
  const sample = (secs: number, status: 'up' | 'down' | 'degraded' | 'unknown') => ({
    at: askedAt + secs * 1000,
    status,
  });

  it('it says how the monitor was before checks failed', () => {
    const samples = [sample(-10, 'up'), sample(20, 'down'), sample(80, 'down')];
    const later = '2 failed checks in a row from 2026-11-21 11:00:20 UTC, and it takes 3 to confirm it down.';
    assert.deepEqual(explain(facts({ askedAt, samples })).headline, [
      'At 2026-11-21 11:00:00 UTC, no incident of api was open: the check at 2026-11-21 10:59:50 UTC found it up. ' +
        `Afterwards it had ${later}`,
    ]);
    assert.deepEqual(explain(facts({ askedAt, samples: samples.slice(1) })).headline, [
      'There is no sample of api from shortly before 2026-11-21 11:00:00 UTC, and no incident was open. ' +
        `Afterwards it had ${later}`,
    ]);
  });

  it('it counts the failed checks that were too few', () => {
    const samples = [sample(-60, 'up'), sample(-30, 'down'), sample(30, 'down'), sample(90, 'up')];
    assert.deepEqual(explain(facts({ askedAt, samples })).headline, [
      'At 2026-11-21 11:00:00 UTC, no incident of api was open: it had 2 failed checks in a row from ' +
        '2026-11-21 10:59:30 UTC, and it takes 3 to confirm it down.',
    ]);
  });

  it('it says what the last check found when none failed', () => {
    assert.deepEqual(explain(facts({ askedAt, samples: [sample(-40, 'up'), sample(20, 'up')] })).headline, [
      'At 2026-11-21 11:00:00 UTC, no incident of api was open: the check at 2026-11-21 10:59:20 UTC found it up.',
    ]);
  });

  it('it says that nothing is known when nothing is', () => {
    assert.match(
      explain(facts({ askedAt })).headline.join(),
      /There is no sample of api from shortly before/,
    );
  });

  it('a streak that began minutes later counts, one far away does not', () => {
    assert.equal(streakAround([sample(0, 'up'), sample(240, 'down')], askedAt)?.count, 1);
    assert.equal(streakAround([sample(0, 'up'), sample(400, 'down')], askedAt), null);
    assert.equal(streakAround([sample(-400, 'down'), sample(0, 'up')], askedAt), null);
  });

  it('an unknown sample neither adds to a streak nor ends it', () => {
    const samples = [sample(-20, 'down'), sample(-10, 'unknown'), sample(0, 'down'), sample(10, 'up')];
    assert.equal(streakAround(samples, askedAt)?.count, 2);
  });

  it('the nearest of several streaks is meant', () => {
    const samples = [
      sample(-200, 'down'),
      sample(-100, 'up'),
      sample(-50, 'down'),
      sample(-40, 'down'),
      sample(0, 'up'),
    ];
    assert.equal(streakAround(samples, askedAt)?.count, 2);
  });
});

describe('an open incident', () => {
  it('says since when, why, who was notified and who was not', () => {
    const deliveries = [
      delivery({ state: 'sent', attempts: 1, finishedAt: before(50) }),
      delivery({ id: 2, channel: 'mail', attempts: 2, lastError: 'HTTP 503.' }),
    ];
    const explanation = explain(facts({ incident: open, deliveries, state: state({ status: 'down' }) }));
    assert.deepEqual(explanation.headline, [
      'Incident 7: api is down since 11:56:40 UTC, for 3m 20s: connection refused by 127.0.0.1:1.',
      'Sent to ops; not yet to mail.',
    ]);
    assert.deepEqual(explanation.next, [
      'mail is tried again at 12:00:12 UTC (in 12s), after 2 failed tries: HTTP 503.',
      'When it recovers, ops is notified.',
    ]);
  });

  it('says who may have been notified: all of the message went out, and no answer came', () => {
    const unanswered = decision({ verdict: 'undelivered', reason: 'no_answer' });
    const deliveries = [delivery({ state: 'given_up', attempts: 4, finishedAt: before(50) })];
    const { headline } = explain(facts({ incident: open, decisions: [unanswered], deliveries }));
    assert.equal(headline[1], 'Perhaps to ops, which did not answer in time.');
  });

  it('says until when the group window is', () => {
    const { headline, next } = explain(facts({ incident: open, deliveries: [delivery({})] }));
    assert.equal(headline[1], 'Not sent yet; a message is pending for ops.');
    assert.deepEqual(next, [
      'ops gets the down message at 12:00:12 UTC (in 12s), unless it is over by then.',
    ]);
  });

  it('says why a message is held back, in the words of the decision', () => {
    const held = decision({
      id: 2,
      verdict: 'held',
      reason: 'folded',
      detail: 'db is down, and speaks for it.',
    });
    const { next } = explain(
      facts({ incident: open, decisions: [decision({}), held], deliveries: [delivery({})] }),
    );
    assert.deepEqual(next, ['The down message for ops is held back: db is down, and speaks for it.']);
  });

  it('says that an outage lasted from the second it began in to the one it ended in', () => {
    const said = explain(facts({ incident: brief }));
    const whole = explain(facts({ incident: over }));
    assert.deepEqual(said.headline, whole.headline);
    assert.equal(said.timeline.at(-1)?.text, whole.timeline.at(-1)?.text);
    assert.match(said.headline.join(' '), /, for 3m:/);
  });

  it('names the message it is folded into as the one that was sent about it, now and afterwards', () => {
    const detail = 'The message about db, which it depends on, speaks for it.';
    const held = decision({ id: 2, verdict: 'held', reason: 'folded', detail });
    const renewed = decision({ id: 3, verdict: 'held', reason: 'window', detail: 'It gets a new window.' });
    const spared = decision({ id: 4, verdict: 'spared', reason: 'folded', detail: null });
    const caused = { ...open, cause: 'db' };
    const during = (decisions: readonly DecisionFacts[]) =>
      explain(facts({ incident: caused, decisions, deliveries: [delivery({})] })).headline[1];
    assert.equal(during([decision({}), held]), 'Folded into the message about db to ops.');
    assert.equal(during([decision({}), held, renewed]), 'Folded into the message about db to ops.');
    const after = explain(facts({ incident: { ...over, cause: 'db' }, decisions: [held, renewed, spared] }));
    assert.equal(after.headline.at(-1), 'Folded into the message about db to ops.');
  });

  it('calls it folded, not late, when it recovered after its upstream with a message of its own', () => {
    const { headline } = explain(
      facts({
        incident: { ...over, cause: 'db' },
        state: state({ status: 'up' }),
        decisions: [
          decision({ verdict: 'held', reason: 'folded', detail: null }),
          decision({ id: 2, verdict: 'told', reason: 'sent', event: 'recovered', at: before(10) }),
        ],
      }),
    );
    assert.equal(headline[2], 'Folded into the message about db to ops.');
  });

  it('does not call it folded when the message it waits for was never sent', () => {
    const held = decision({ id: 2, verdict: 'held', reason: 'folded', detail: 'db speaks for it.' });
    const due = decision({ id: 3, verdict: 'held', reason: 'upstream_due', detail: 'db is not sent yet.' });
    const { headline } = explain(
      facts({ incident: open, decisions: [decision({}), held, due], deliveries: [delivery({})] }),
    );
    assert.equal(headline[1], 'Not sent yet; a message is pending for ops.');
  });

  it('says what mutes it, and until when', () => {
    const by = [
      { kind: 'silence', id: 3 },
      { kind: 'maintenance', title: 'Upgrade' },
    ] as const;
    const { next } = explain(
      facts({ incident: open, muting: { kind: 'muted', untilAt: nowAt + 90 * 60_000, by } }),
    );
    assert.deepEqual(next, [
      "Messages are held back by silence 3 and the maintenance window 'Upgrade' until 13:30:00 UTC (1h 30m).",
    ]);
    const then = [by[1], { kind: 'maintenance', title: 'Switches' }] as const;
    const muting = { kind: 'muted', untilAt: nowAt + 90 * 60_000, by, then } as const;
    assert.deepEqual(explain(facts({ incident: open, muting })).next, [
      "Messages are held back by silence 3 and the maintenance window 'Upgrade', " +
        "then by the maintenance window 'Switches', until 13:30:00 UTC (1h 30m).",
    ]);
  });

  it('says that nobody will be notified when nothing waits', () => {
    const spared = decision({ verdict: 'spared', reason: 'nobody_routed', channel: null, detail: null });
    const { headline, next } = explain(facts({ incident: open, decisions: [spared] }));
    assert.equal(headline[1], 'Not sent: No usable channel is routed to it.');
    assert.deepEqual(next, ['No message is pending; nothing is sent unless something changes.']);
  });

  it('says when a message is due now, and how to try one again that was given up', () => {
    const deliveries = [
      delivery({ nextAt: before(1) }),
      delivery({ id: 9, channel: 'mail', state: 'given_up', attempts: 12, lastError: 'no' }),
    ];
    assert.deepEqual(explain(facts({ incident: open, deliveries })).next, [
      'The down message for ops is due: a running daemon sends it within a second.',
      'The down message for mail was given up after 12 tries; `statusd outbox retry 9` tries it again.',
    ]);
  });
});

describe('a message that is due on a channel that is busy', () => {
  const nextOf = (own: Partial<DeliveryFacts>, earlier: Partial<DeliveryFacts> | null) => {
    const mine = delivery(own);
    const first = earlier === null ? mine : delivery({ id: 99, incident: 'u-1', ...earlier });
    const ahead = new Map([['ops', first]]);
    return explain(facts({ incident: open, deliveries: [mine], ahead })).next[0];
  };

  it('goes after the earlier one that is tried', () => {
    const refused = { nextAt: before(20), attempts: 2, lastError: 'HTTP 503.' };
    assert.equal(
      nextOf({ nextAt: before(1) }, refused),
      'The down message for ops is due, and goes after an earlier one that ops is trying, after 2 failed tries: HTTP 503.',
    );
    assert.equal(
      nextOf({ nextAt: before(1) }, { nextAt: before(20) }),
      'The down message for ops is due, and goes after an earlier one that ops is trying.',
    );
    assert.equal(
      nextOf({ nextAt: before(1), attempts: 1, lastError: 'HTTP 502' }, refused),
      'ops is tried again after an earlier message, after 1 failed try: HTTP 502.',
    );
  });

  it('is sent within a second where it is the first, or is tried itself', () => {
    const soon = 'The down message for ops is due: a running daemon sends it within a second.';
    assert.equal(nextOf({ nextAt: before(1) }, null), soon);
    assert.equal(nextOf({ nextAt: before(1) }, { nextAt: before(1) }), soon, 'both go as one');
    assert.equal(
      nextOf({ nextAt: before(20) }, null),
      'The down message for ops is due for 20s: it is being tried, or no daemon runs.',
    );
  });
});

describe('an incident that is over', () => {
  it('is shown beside what is the case now, and nothing more happens', () => {
    const notified = decision({ verdict: 'told', reason: 'sent' });
    const { headline, next } = explain(
      facts({ incident: over, decisions: [notified], state: state({ status: 'up' }) }),
    );
    assert.deepEqual(headline, [
      'api is up.',
      'Incident 7: api was down from 11:56:40 UTC to 11:59:40 UTC, for 3m: connection refused by 127.0.0.1:1.',
      'Sent to ops.',
    ]);
    assert.deepEqual(next, ['Nothing: it is over, and no message is pending.']);
  });

  it('does not suppress the message that a notified degradation continues', () => {
    const { next } = explain(
      facts({
        incident: over,
        deliveries: [delivery({ event: 'degraded', incident: 'api.degraded', state: 'sent' })],
        state: state({
          status: 'degraded',
          slow: { count: 4, sinceAt: before(15) },
          degradation: { startedAt: before(15), confirmedAt: before(10) },
        }),
      }),
    );
    assert.deepEqual(next, ['When it is healthy again, ops is notified.']);
  });

  it('is not late where the outage was notified before', () => {
    const notified = decision({ verdict: 'told', reason: 'sent' });
    const recovered = decision({ id: 2, verdict: 'told', reason: 'recovery', event: 'recovered' });
    const { headline } = explain(facts({ incident: over, decisions: [notified, recovered] }));
    assert.equal(headline.at(-1), 'Sent to ops.');
  });

  it('has the note', () => {
    const { headline } = explain(facts({ incident: { ...over, note: 'a rack' } }));
    assert.equal(headline.at(-1), 'Note: a rack');
  });

  it('says when it was notified late', () => {
    const late = decision({ verdict: 'told', reason: 'late', event: 'recovered' });
    const { headline } = explain(facts({ incident: over, decisions: [late] }));
    assert.equal(headline.at(-1), 'Sent late, after it was over, to ops.');
  });

  it('says why it was never notified', () => {
    const flap = decision({ verdict: 'spared', reason: 'flap', detail: null });
    const { headline } = explain(facts({ incident: over, decisions: [flap] }));
    assert.equal(headline.at(-1), 'Not sent: It recovered within the group window.');
  });
});

describe('the timeline', () => {
  it('has what happened and what was decided in one order of time', () => {
    const { timeline } = explain(
      facts({
        incident: { ...over, cause: 'db', impacted: ['web', 'shop'] },
        decisions: [
          decision({}),
          decision({ id: 2, at: before(50), verdict: 'told', reason: 'sent', detail: null }),
        ],
      }),
    );
    assert.deepEqual(
      timeline.map(({ at, kind, text }) => [(at - nowAt) / 1000, kind, text]),
      [
        [-200, 'happened', 'The first check failed.'],
        [-80, 'happened', 'It was confirmed down: connection refused by 127.0.0.1:1.'],
        [-80, 'happened', 'Its root cause is db.'],
        [-80, 'happened', 'It took web and shop with it.'],
        [-80, 'queued', 'It waits 30s.'],
        [-50, 'told', 'The channel took the message.'],
        [-20, 'happened', 'It was up again, after 3m.'],
      ],
    );
  });

  it('has why the check failed that confirmed it where it was confirmed, of this host too', () => {
    const reason = 'no name server answers';
    const { timeline } = explain(facts({ incident: { ...over, reason, ownFault: 'resolver' } }));
    assert.deepEqual(
      timeline.map(({ text }) => text),
      [
        'The first check could not be made.',
        'It was confirmed that it cannot be checked: no name server answers.',
        'It could be checked again, after 3m.',
      ],
    );
  });

  for (const [title, ended] of [
    ['the channels that knew of it', { reason: 'no_longer_monitored', channel: 'ops' }],
    ['nobody, as none knew of it', { reason: 'monitor_removed', channel: null }],
  ] as const) {
    it(`does not say that it was up again where its monitor was removed, which was told to ${title}`, () => {
      const removed = decision({ at: before(20), event: 'recovered', detail: null, ...ended });
      const { timeline } = explain(facts({ incident: over, decisions: [removed] }));
      const happened = timeline.filter(({ kind }) => kind === 'happened').map(({ text }) => text);
      assert.equal(happened.at(-1), 'It left the configuration after 3m; whether it recovered is not known.');
    });
  }

  it('says that it was up again where only a message about it found its monitor gone', () => {
    const dropped = decision({ at: before(5), verdict: 'spared', reason: 'monitor_removed', detail: null });
    const { timeline } = explain(facts({ incident: over, decisions: [dropped] }));
    assert.ok(timeline.some(({ text }) => text === 'It was up again, after 3m.'));
  });

  it('shows the same decision taken many times in a row once, with its count', () => {
    const held = [1, 2, 3].map((id) =>
      decision({ id, at: before(80 - id), verdict: 'held', detail: 'It waits.' }),
    );
    const { timeline } = explain(facts({ decisions: [...held, decision({ id: 4, at: before(1) })] }));
    assert.deepEqual(
      timeline.map(({ text, times }) => [text, times]),
      [
        ['It waits.', 3],
        ['It waits 30s.', 1],
      ],
    );
  });

  it('shows a word that this version does not know as it is', () => {
    const strange = decision({ reason: 'full_moon', detail: null });
    assert.equal(explain(facts({ decisions: [strange] })).timeline[0]?.text, 'full moon');
  });
});
