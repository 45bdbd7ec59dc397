/** The decisions about a message that is due, each by itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coalesce } from '../../../src/engine/alerting/coalesce.ts';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { severities, type Severity } from '../../../src/engine/alerting/events/event.ts';
import { readOutage } from '../../../src/engine/alerting/events/outage-payload.ts';
import { late } from '../../../src/engine/alerting/late.ts';
import { mute } from '../../../src/engine/alerting/mute.ts';
import { reasons } from '../../../src/engine/alerting/reasons.ts';
import { retry } from '../../../src/engine/alerting/retry.ts';

const nowAt = 1_000_000;
describe('a message that comes too late', () => {
  it('is suppressed when no alert was due, else sent late', () => {
    const payload = readOutage({ startedAt: 0, confirmedAt: 1000, windowEndsAt: 31_000 });
    assert.ok(payload !== null);
    const over = { payload, endedAt: 40_000, attempts: 0, wasMuted: false };
    assert.deepEqual(late(over), { kind: 'late' });
    assert.deepEqual(late({ ...over, endedAt: 30_999 }), { kind: 'suppress', reason: 'flap' });
    assert.deepEqual(late({ ...over, endedAt: 31_000 }), { kind: 'late' });
    const failing = { ...payload, hold: { reason: 'upstream_failing', by: 'db' } } as const;
    assert.deepEqual(late({ ...over, endedAt: 30_999, payload: failing }), { kind: 'late' });
    assert.deepEqual(late({ ...over, wasMuted: true }), { kind: 'suppress', reason: 'muted' });
    assert.deepEqual(late({ ...over, wasMuted: true, attempts: 1 }), { kind: 'late' });
    const folded = { ...payload, hold: { reason: 'folded', by: 'db' } } as const;
    assert.deepEqual(late({ ...over, payload: folded }), { kind: 'suppress', reason: 'folded' });
    const due = { ...payload, hold: { reason: 'upstream_due', by: 'db' } } as const;
    assert.deepEqual(late({ ...over, payload: due }), { kind: 'late' });
    const gathered = { ...payload, hold: { reason: 'later_group', by: 'db' } } as const;
    assert.deepEqual(late({ ...over, payload: gathered }), { kind: 'suppress', reason: 'over' });
  });

  it('in a second window is suppressed only where a message about its upstream covered it', () => {
    const payload = readOutage({
      startedAt: 0,
      confirmedAt: 1000,
      windowEndsAt: 61_000,
      renewedAfter: 'db',
      spokenForUntilAt: 50_000,
    });
    assert.ok(payload !== null);
    const over = { payload, endedAt: 40_000, attempts: 0, wasMuted: false };
    assert.deepEqual(late(over), { kind: 'suppress', reason: 'folded' });
    assert.deepEqual(late({ ...over, payload: { ...payload, spokenForUntilAt: null } }), { kind: 'late' });
    assert.deepEqual(late({ ...over, endedAt: 50_000 }), { kind: 'late' });
  });
});

describe('a failed delivery', () => {
  it('is tried again after growing pauses, what must be known without an end, the rest for a day', () => {
    const failure = { attempts: 1, sinceAt: 0, retryAfterMs: null, nowAt: 1000 };
    const pauses = [1, 2, 3, 6, 50].map((attempts) => retry({ ...failure, event: 'down', attempts }));
    assert.deepEqual(
      pauses.map((each) => (each.kind === 'wait' ? (each.untilAt - 1000) / 1000 : null)),
      [30, 60, 120, 900, 900],
    );
    const asked = retry({ ...failure, event: 'down', retryAfterMs: 45_000.5 });
    assert.deepEqual(asked, { kind: 'wait', untilAt: 46_001 });
    const dayLater = { ...failure, nowAt: 86_400_000 };
    assert.equal(retry({ ...dayLater, event: 'down' }).kind, 'wait');
    assert.equal(retry({ ...dayLater, event: 'cert_expiring' }).kind, 'give_up');
    assert.equal(retry({ ...dayLater, event: 'cert_expiring', nowAt: 86_399_999 }).kind, 'wait', 'for a day');
    const yearLater = { ...failure, attempts: 40_000, nowAt: 365 * 86_400_000 };
    for (const later of [dayLater, yearLater]) {
      assert.equal(retry({ ...later, event: 'recovered' }).kind, 'wait');
      assert.equal(retry({ ...later, event: 'peer_recovered' }).kind, 'wait');
      assert.equal(retry({ ...later, event: 'alert', severity: 'critical' }).kind, 'wait');
      assert.equal(retry({ ...later, event: 'alert', severity: 'error' }).kind, 'give_up');
      assert.equal(retry({ ...later, event: 'degraded' }).kind, 'give_up');
    }
    const almost = { ...failure, nowAt: 86_399_999 };
    assert.equal(retry({ ...almost, event: 'alert', severity: 'error' }).kind, 'wait');
    const since = { ...failure, event: 'cert_expiring', sinceAt: 50_000_000, nowAt: 50_000_001 } as const;
    assert.equal(retry(since).kind, 'wait', 'the day begins when it happened');
  });

  it('is given up after a day, unless something is down, cannot be checked, or recovered', () => {
    const isGivenUp = (event: EventName, severity: Severity | null) =>
      retry({ event, severity, attempts: 3, sinceAt: 0, retryAfterMs: null, nowAt: 86_400_000 }).kind ===
      'give_up';
    const kept = ['down', 'unknown', 'recovered', 'peer_recovered'] as const;
    for (const event of kept) assert.equal(isGivenUp(event, null), false, event);
    const others = [
      ...[
        'degraded',
        'channel_failing',
        'cert_expiring',
        'cert_changed',
        'cert_unreadable',
        'domain_expiring',
      ],
      ...[
        'budget_burn',
        'peer_down',
        'peer_link_degraded',
        'node_blind',
        'storage_failing',
        'nodes_differ',
        'digest',
        'test',
      ],
    ] as EventName[];
    for (const event of others) assert.equal(isGivenUp(event, 'critical'), true, event);
    assert.deepEqual(
      ([...severities, null] as const).map((severity) => isGivenUp('alert', severity)),
      [...severities, null].map((severity) => severity !== 'critical'),
    );
  });
});

describe('a storm', () => {
  const limitAt = nowAt + 300_000;
  const storm = { nowAt, windowMs: 30_000, dueAts: [nowAt], soonAts: [], lastStormAt: null, limitAt };
  const many = Array.from({ length: 6 }, () => nowAt);
  it('is gathered for a moment, sent as one, and no sooner again than a window later', () => {
    assert.deepEqual(coalesce(storm), { kind: 'one' });
    assert.deepEqual(coalesce({ ...storm, dueAts: many }), { kind: 'all' });
    const soonAts = many.map((at, index) => at + 100 * (index + 1));
    assert.deepEqual(coalesce({ ...storm, soonAts }), { kind: 'hold', untilAt: nowAt + 600 });
    assert.deepEqual(coalesce({ ...storm, soonAts: many.map((at) => at + 6000) }), { kind: 'one' });
    assert.deepEqual(coalesce({ ...storm, lastStormAt: nowAt - 1000 }), {
      kind: 'hold',
      untilAt: nowAt + 29_000,
    });
    assert.deepEqual(coalesce({ ...storm, dueAts: many, windowMs: 0 }), { kind: 'one' });
  });

  it('is six at least, or two of one group', () => {
    assert.deepEqual(coalesce({ ...storm, dueAts: many.slice(1) }), { kind: 'one' });
    const two = many.slice(4);
    assert.deepEqual(coalesce({ ...storm, dueAts: two }), { kind: 'one' });
    assert.deepEqual(coalesce({ ...storm, dueAts: two, isOneGroup: false }), { kind: 'one' });
    assert.deepEqual(coalesce({ ...storm, dueAts: two, isOneGroup: true }), { kind: 'all' });
    assert.deepEqual(coalesce({ ...storm, isOneGroup: true }), { kind: 'one' });
  });

  it('waits five seconds for what is due by then, and for nothing that is due already', () => {
    const soonAts = many.map((at) => at + 5000);
    assert.deepEqual(coalesce({ ...storm, soonAts }), { kind: 'hold', untilAt: nowAt + 5000 });
    assert.deepEqual(coalesce({ ...storm, soonAts: many }), { kind: 'one' });
  });

  it('waits for no window when there was none before, or it is over', () => {
    assert.deepEqual(coalesce({ ...storm, lastStormAt: nowAt - 30_000, dueAts: many }), { kind: 'all' });
    const first = { ...storm, nowAt: 1000, dueAts: many.map(() => 1000), soonAts: [] };
    assert.deepEqual(coalesce(first), { kind: 'all' });
  });

  it('is gathered no longer than one of its messages may be held', () => {
    const soonAts = many.map((at, index) => at + 100 * (index + 1));
    const held = { ...storm, soonAts, limitAt: nowAt + 50 };
    assert.deepEqual(coalesce(held), { kind: 'hold', untilAt: nowAt + 50 });
    assert.deepEqual(coalesce({ ...held, lastStormAt: nowAt - 1000 }), { kind: 'hold', untilAt: nowAt + 50 });
    const over = { ...held, limitAt: nowAt };
    assert.deepEqual(coalesce(over), { kind: 'all' });
    assert.deepEqual(coalesce({ ...over, soonAts: [], lastStormAt: nowAt - 1000 }), { kind: 'one' });
  });
});

describe('a mute', () => {
  it('holds transitions and warnings back, and nothing that is said now or about this node', () => {
    const silences = [{ id: 7, monitors: ['db'], untilAt: nowAt + 1000 }];
    const situation = { nowAt, mutes: { silences, maintenances: [] } };
    const held = mute('down', 'db', situation);
    assert.ok(held.kind === 'hold' && held.untilAt === nowAt + 1000);
    assert.equal(
      mute('down', 'api', situation).kind,
      'open',
      'a mute covers what it lists, not what depends on it',
    );
    for (const event of ['alert', 'storage_failing', 'node_blind', 'channel_failing', 'digest'] as const)
      assert.equal(mute(event, 'db', situation).kind, 'open', event);
    assert.equal(mute('cert_expiring', 'db', situation).kind, 'hold');
    assert.equal(mute('cert_unreadable', 'db', situation).kind, 'hold');
    assert.equal(mute('down', null, situation).kind, 'open');
  });

  it('is named with its end, so that a change of either is noticed', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    const window = { title: 'Upgrade', startAt: at - 1000, endAt: at, monitors: ['api'] };
    const muted = (silences: readonly { id: number; monitors: null; untilAt: number }[]) =>
      mute('down', 'api', { nowAt: at - 1, mutes: { silences, maintenances: [window] } });
    assert.deepEqual(muted([]), {
      kind: 'hold',
      untilAt: at,
      by: `Upgrade ${at}`,
      detail: "It is held back until 2026-01-02 03:04:05 UTC by the maintenance window 'Upgrade'.",
    });
    assert.deepEqual(muted([{ id: 7, monitors: null, untilAt: at + 1000 }]), {
      kind: 'hold',
      untilAt: at + 1000,
      by: `7 ${at + 1000}`,
      detail: 'It is held back until 2026-01-02 03:04:06 UTC by silence 7.',
    });
    const silences = [{ id: 7, monitors: null, untilAt: at }];
    const later = { ...window, title: 'Switches', startAt: at, endAt: at + 1000 };
    const both = mute('down', 'api', { nowAt: at - 1, mutes: { silences, maintenances: [later] } });
    assert.equal(
      both.kind === 'hold' && both.detail,
      "It is held back until 2026-01-02 03:04:06 UTC by silence 7, then by the maintenance window 'Switches'.",
    );
    assert.equal(
      mute('down', 'db', { nowAt: at - 1, mutes: { silences: [], maintenances: [window] } }).kind,
      'open',
    );
  });
});

describe('the words', () => {
  it('say every reason in a sentence', () => {
    for (const sentence of Object.values(reasons)) assert.match(sentence, /^[A-Z].+\.$/);
    for (const word of Object.keys(reasons)) assert.match(word, /^[a-z]+(_[a-z]+)*$/);
  });
});
