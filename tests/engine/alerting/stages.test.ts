/** The decisions about a message that is due, each by itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphOf } from '../../../src/engine/core/graph.ts';
import { coalesce } from '../../../src/engine/alerting/coalesce.ts';
import type { EventName } from '../../../src/engine/alerting/events/catalogue.ts';
import { severities, type Severity } from '../../../src/engine/alerting/events/event.ts';
import { readOutage } from '../../../src/engine/alerting/events/outage-payload.ts';
import {
  fold,
  type Foldable,
  type FoldFacts,
  impactedBy,
  type Outage,
  patienceMs,
} from '../../../src/engine/alerting/fold.ts';
import { late } from '../../../src/engine/alerting/late.ts';
import { mute } from '../../../src/engine/alerting/mute.ts';
import { reasons } from '../../../src/engine/alerting/reasons.ts';
import { retry } from '../../../src/engine/alerting/retry.ts';

const nowAt = 1_000_000;
const graph = graphOf([
  { id: 'db', dependsOn: [] },
  { id: 'api', dependsOn: ['db'] },
  { id: 'web', dependsOn: ['api'] },
]);

function outage(monitor: string, changes: Partial<Outage> = {}): Outage {
  const channels = new Map([['ops', { isSent: true, dueAt: nowAt }]]);
  const span = { startedAt: nowAt - 60_000, windowEndsAt: nowAt };
  return { uid: monitor, monitor, ...span, isNotifiedAlone: false, channels, ...changes };
}

function folding(outages: readonly Outage[], changes: Partial<FoldFacts> = {}, held: Partial<Foldable> = {}) {
  const [dependent] = outages;
  assert.ok(dependent !== undefined);
  return fold(
    { outage: dependent, channel: 'ops', isHeld: false, heldFor: null, limitAt: nowAt + 300_000, ...held },
    {
      graph,
      outages: new Map(outages.map((each) => [each.monitor, each])),
      look: () => ({ failingSinceAt: null, lookedAt: nowAt }),
      recoveredAt: () => null,
      sinceRecovery: () => ({ kind: 'failing' }),
      windowMs: 30_000,
      nowAt,
      ...changes,
    },
  );
}

describe('folding', () => {
  it('folds into the topmost upstream that is down and has an alert on the channel', () => {
    assert.deepEqual(folding([outage('web'), outage('api'), outage('db')]), { kind: 'fold', into: ['db'] });
    assert.deepEqual(folding([outage('web'), outage('db')]), { kind: 'fold', into: ['db'] });
  });

  it('sends it alone on a channel without the alert of the upstream, and names the cause', () => {
    const db = outage('db', { channels: new Map([['sms', { isSent: true, dueAt: nowAt }]]) });
    assert.deepEqual(folding([outage('web'), db]), { kind: 'send', cause: 'db', reason: 'cause_elsewhere' });
    assert.deepEqual(folding([outage('web'), outage('api'), db]), { kind: 'fold', into: ['api'] });
  });

  it('asks about upstreams that were not looked at since, then waits for one that fails, but not for ever', () => {
    const since = (lookedAt: number | null, failingSinceAt: number | null) =>
      folding([outage('api')], { look: () => ({ lookedAt, failingSinceAt }) });
    const ask = { kind: 'ask', ids: ['db'], untilAt: nowAt + 300_000 };
    assert.deepEqual(since(null, null), ask);
    assert.deepEqual(since(nowAt - 60_001, null), ask);
    assert.deepEqual(since(nowAt - 60_000, null), { kind: 'send', cause: null, reason: 'sent' });
    assert.deepEqual(since(nowAt - 1000, nowAt - 2000), { kind: 'hold', untilAt: nowAt + 30_000, by: 'db' });
    assert.deepEqual(since(nowAt - 30_000, nowAt - 40_000), ask);
    assert.equal(since(nowAt - 1000, nowAt - patienceMs).kind, 'send');
    assert.equal(since(nowAt - 1000, nowAt - 300_000).kind, 'send', 'five minutes of failing are enough');
    assert.equal(since(nowAt - 1000, nowAt - 299_999).kind, 'hold');
  });

  it('gives a dependent that is left behind a new window, within its limit', () => {
    assert.deepEqual(folding([outage('api')], {}, { isHeld: true }), {
      kind: 'renew',
      untilAt: nowAt + 30_000,
    });
    const soon = { isHeld: true, limitAt: nowAt + 10 };
    assert.deepEqual(folding([outage('api')], {}, soon), { kind: 'renew', untilAt: nowAt + 10 });
  });

  it('waits for a message that may still be dropped, until the limit, and folds into one that may not', () => {
    const due = (dueAt: number) => outage('db', { channels: new Map([['ops', { isSent: false, dueAt }]]) });
    const api = outage('api');
    assert.deepEqual(folding([api, due(nowAt + 1)]), { kind: 'await', untilAt: nowAt + 1, by: ['db'] });
    assert.deepEqual(folding([api, due(Infinity)]), { kind: 'await', untilAt: nowAt + 300_000, by: ['db'] });
    assert.deepEqual(folding([api, due(nowAt)]), { kind: 'fold', into: ['db'] });
    const over = { limitAt: nowAt };
    const send = { kind: 'send', cause: 'db', reason: 'hold_limit' };
    assert.deepEqual(folding([api, due(nowAt + 1)], {}, over), send);
    assert.deepEqual(folding([api, due(nowAt)], {}, over), { kind: 'fold', into: ['db'] });
    const middle = outage('api', { channels: new Map([['ops', { isSent: false, dueAt: nowAt }]]) });
    const web = outage('web');
    assert.equal(folding([web, middle, due(nowAt + 1)]).kind, 'await', 'what waits itself covers nothing');
    assert.deepEqual(folding([web, api, due(nowAt + 1)]), { kind: 'fold', into: ['api'] });
  });

  it('goes on to fold and to wait for an upstream when it was held already', () => {
    const held = { isHeld: true };
    assert.deepEqual(folding([outage('api'), outage('db')], {}, held), { kind: 'fold', into: ['db'] });
    const db = outage('db', { channels: new Map([['ops', { isSent: false, dueAt: nowAt + 1 }]]) });
    assert.deepEqual(folding([outage('api'), db], {}, held), {
      kind: 'await',
      untilAt: nowAt + 1,
      by: ['db'],
    });
  });

  it('folds into a message that is due, unless what is above that one may still take it back', () => {
    const web = outage('web');
    const due = (monitor: string, changes: Partial<Outage> = {}, channel = 'ops') =>
      outage(monitor, { channels: new Map([[channel, { isSent: false, dueAt: nowAt }]]), ...changes });
    const intoApi = { kind: 'fold', into: ['api'] };
    assert.deepEqual(folding([web, due('api')]), intoApi, 'nothing above is down');
    assert.deepEqual(folding([web, due('api'), due('db', {}, 'sms')]), intoApi, 'nobody here hears of it');
    const later = due('db', { startedAt: nowAt + 1 });
    assert.deepEqual(folding([web, due('api'), later]), intoApi, 'it failed after that window');
    const early = outage('web', { windowEndsAt: nowAt - 10 });
    const between = due('db', { startedAt: nowAt - 5 });
    assert.deepEqual(folding([early, due('api'), between]), {
      kind: 'await',
      untilAt: nowAt + 300_000,
      by: ['api'],
    });
  });

  it('looks at a failing upstream every 2 to 30 seconds, as the window is', () => {
    const look = () => ({ lookedAt: nowAt - 1000, failingSinceAt: nowAt - 2000 });
    const pauses = [1, 2000, 7000, 30_000, 600_000].map((windowMs) => {
      const held = folding([outage('api')], { look, windowMs });
      return held.kind === 'hold' ? held.untilAt - nowAt : null;
    });
    assert.deepEqual(pauses, [2000, 2000, 7000, 30_000, 30_000]);
  });

  it('has an unchecked upstream checked even at the limit, and waits 12 seconds for it', () => {
    const look = () => ({ lookedAt: null, failingSinceAt: null });
    assert.deepEqual(folding([outage('api')], { look }, { limitAt: nowAt }), {
      kind: 'ask',
      ids: ['db'],
      untilAt: nowAt + 12_000,
    });
  });

  it('has nothing checked for what was sent alone, nor an upstream that is down for another reason', () => {
    const look = () => ({ lookedAt: null, failingSinceAt: null });
    const alone = { kind: 'send', cause: null, reason: 'sent' };
    assert.deepEqual(folding([outage('api', { isNotifiedAlone: true })], { look }), alone);
    const long = outage('api', { windowEndsAt: nowAt - 60_001 });
    assert.deepEqual(folding([long, outage('db')], { look }), alone);
  });

  it('names the failing upstream at the limit, or the last reason of the hold', () => {
    const over = { limitAt: nowAt, heldFor: 'db' };
    const send = { kind: 'send', cause: 'db', reason: 'hold_limit' };
    assert.deepEqual(folding([outage('api')], {}, over), send);
    assert.deepEqual(folding([outage('api')], {}, { ...over, isHeld: true }), send);
    const look = () => ({ lookedAt: nowAt - 1000, failingSinceAt: nowAt - 2000 });
    assert.deepEqual(folding([outage('api')], { look }, { limitAt: nowAt }), send);
    const alone = { kind: 'send', cause: null, reason: 'sent' };
    assert.deepEqual(folding([outage('api')], {}, { limitAt: nowAt }), alone);
  });

  it('keeps apart what was down and sent before, and everything when the window is 0', () => {
    const before = outage('api', { isNotifiedAlone: true });
    assert.equal(folding([before, outage('db')]).kind, 'send');
    const long = outage('api', { windowEndsAt: nowAt - 60_001 });
    assert.equal(folding([long, outage('db')]).kind, 'send');
    assert.equal(folding([outage('api'), outage('db')], { windowMs: 0 }).kind, 'send');
    const outages = new Map([before, outage('db'), outage('web')].map((each) => [each.monitor, each]));
    assert.deepEqual(impactedBy(graph, outages, outage('db')), ['web']);
  });
});

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
    const situation = { nowAt, graph, mutes: { silences, maintenances: [] } };
    const held = mute('down', 'api', situation);
    assert.ok(held.kind === 'hold' && held.untilAt === nowAt + 1000);
    assert.match(held.detail, /silence 7, which covers its upstream db/);
    for (const event of ['alert', 'storage_failing', 'node_blind', 'channel_failing', 'digest'] as const)
      assert.equal(mute(event, 'api', situation).kind, 'open', event);
    assert.equal(mute('cert_expiring', 'api', situation).kind, 'hold');
    assert.equal(mute('cert_unreadable', 'api', situation).kind, 'hold');
    assert.equal(mute('down', null, situation).kind, 'open');
  });

  it('is named with its end, so that a change of either is noticed', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    const window = { title: 'Upgrade', startAt: at - 1000, endAt: at, monitors: ['api'] };
    const muted = (silences: readonly { id: number; monitors: null; untilAt: number }[]) =>
      mute('down', 'api', { nowAt: at - 1, graph, mutes: { silences, maintenances: [window] } });
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
    const both = mute('down', 'api', { nowAt: at - 1, graph, mutes: { silences, maintenances: [later] } });
    assert.equal(
      both.kind === 'hold' && both.detail,
      "It is held back until 2026-01-02 03:04:06 UTC by silence 7, then by the maintenance window 'Switches'.",
    );
    assert.equal(
      mute('down', 'db', { nowAt: at - 1, graph, mutes: { silences: [], maintenances: [window] } }).kind,
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
