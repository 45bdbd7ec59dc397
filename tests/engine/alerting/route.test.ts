/** Which channels are notified of an outage that was there before they were. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryIdOf } from '../../../src/engine/alerting/ids.ts';
import { keepWithoutChannel } from '../../../src/engine/alerting/retry.ts';
import { readOutage } from '../../../src/engine/alerting/events/outage-payload.ts';
import { because } from '../../../src/engine/alerting/reasons.ts';
import type { FinishedRow } from '../../../src/engine/alerting/intent.ts';
import {
  channelNamesOf,
  onCallOf,
  reroute,
  type Ongoing,
  routeOf,
  withOnCall,
} from '../../../src/engine/alerting/route.ts';

const ongoing: Ongoing = {
  event: 'down',
  episode: 'i1',
  incident: 'i1',
  monitor: 'api',
  startedAt: 500,
  confirmedAt: 1000,
  ownFault: null,
};
const facts = {
  rows: [] as readonly FinishedRow[],
  channels: ['ops'],
  notified: () => new Set<string>(),
  windowMs: 30_000,
  nowAt: 100_000,
  why: because('rerouted'),
  step: null,
};

const row = (channel: string, changes: Partial<FinishedRow> = {}): FinishedRow => ({
  deliveryId: deliveryIdOf('i1.down', channel),
  channel,
  event: 'down',
  state: 'sent',
  attempts: 1,
  nextAt: 31_000,
  finishedAt: 31_000,
  payload: { startedAt: 500, confirmedAt: 1000, confirmation: '3 failed checks in a row' },
  ...changes,
});

const words = (changes: Partial<typeof facts>) =>
  reroute(ongoing, { ...facts, ...changes }).map((intent) => {
    switch (intent.kind) {
      case 'put':
        return `put ${intent.event} ${intent.channel} ${intent.nextAt}`;
      case 'decide':
        return `${intent.verdict} ${intent.reason} ${intent.channel ?? ''}`;
      case 'replace':
      case 'change':
      case 'drop':
        return intent.kind;
    }
  });

describe('an open outage', () => {
  it('is sent at once to a channel that is routed now and knows nothing of it', () => {
    assert.deepEqual(words({}), ['put down ops 100000', 'queued rerouted ops']);
    assert.deepEqual(words({ channels: ['ops', 'pager'], rows: [row('ops')] }), [
      'put down pager 100000',
      'queued rerouted pager',
    ]);
  });

  it('waits for the window that the others wait for', () => {
    assert.deepEqual(words({ nowAt: 20_000 })[0], 'put down ops 31000');
    const renewed = row('sms', {
      state: 'waiting',
      payload: { startedAt: 500, confirmedAt: 1000, windowEndsAt: 150_000 },
    });
    assert.deepEqual(words({ rows: [renewed] })[0], 'put down ops 150000');
  });

  it('is sent to no channel twice, whatever became of its message', () => {
    for (const state of ['waiting', 'sent', 'given_up', 'dropped'] as const)
      assert.deepEqual(words({ rows: [row('ops', { state })] }), []);
    assert.deepEqual(words({ notified: () => new Set(['ops']) }), []);
    assert.deepEqual(words({ channels: [] }), []);
  });

  it('was not held back before it was queued: the limit of that counts from then on', () => {
    const coveredMs = (nowAt: number) => {
      const [put] = reroute(ongoing, { ...facts, nowAt });
      assert.ok(put?.kind === 'put');
      return readOutage(put.payload)?.coveredMs;
    };
    assert.deepEqual([coveredMs(100_000), coveredMs(500)], [99_000, 0]);
  });

  it('says how it was confirmed, and takes no delivery id that another channel left', () => {
    const left = { ...row('pager'), deliveryId: deliveryIdOf('i1.down', 'ops') };
    const [put] = reroute(ongoing, { ...facts, rows: [left] });
    assert.ok(put?.kind === 'put');
    assert.notEqual(put.deliveryId, left.deliveryId);
    assert.equal(readOutage(put.payload)?.confirmation, '3 failed checks in a row');
  });
});

describe('an alert that a step of an escalation adds', () => {
  const step = { number: 1, of: 'page', isRelief: false };
  const named = { namedBy: { groupId: 'g', root: 'i0' } };
  const added = (changes: Partial<Parameters<typeof reroute>[1]>) =>
    reroute(ongoing, { ...facts, step, why: because('escalated'), ...changes });

  it('remembers the step, and goes to who was only named in the message about an upstream', () => {
    const rows = [row('ops', { payload: { startedAt: 500, confirmedAt: 1000, ...named } })];
    const [put, decide] = added({ rows });
    assert.ok(put?.kind === 'put' && decide?.kind === 'decide');
    const fields = put.payload as Readonly<Record<string, unknown>>;
    assert.deepEqual([fields['step'], fields['escalation'], fields['isRelief']], [1, 'page', false]);
    assert.deepEqual([decide.reason, decide.incident, decide.monitor], ['escalated', 'i1', 'api']);
    assert.deepEqual(added({ rows: [row('ops')] }), []);
    assert.deepEqual(
      reroute(ongoing, { ...facts, rows }).map(({ kind }) => kind),
      ['put', 'decide'],
      'so does a reload',
    );
  });

  it('does not ask the decision log, which knows who was alerted of an upstream', () => {
    const notified = () => new Set(['ops']);
    assert.equal(added({ notified }).length, 2);
    const [put] = reroute(ongoing, facts);
    assert.ok(put?.kind === 'put');
    assert.equal('step' in (put.payload as object), false);
  });

  it('says of the outage what the others said, and nothing of another event', () => {
    const measured = {
      confirmation: 'one degraded check',
      latencyMs: 1200,
      limitMs: 1000,
      reason: 'no AAAA',
    };
    const payload = { startedAt: 500, confirmedAt: 1000, ...measured };
    const outageOf = (rows: readonly FinishedRow[], changes: Partial<Ongoing> = {}) => {
      const [put] = reroute({ ...ongoing, ...changes }, { ...facts, rows });
      assert.ok(put?.kind === 'put');
      const outage = readOutage(put.payload);
      return (
        outage && [outage.confirmation, outage.latencyMs, outage.limitMs, outage.reason, outage.ownFault]
      );
    };
    assert.deepEqual(outageOf([row('sms', { payload })]), [...Object.values(measured), null]);
    const nothing = ['', null, null, null, null];
    assert.deepEqual(outageOf([row('sms', { payload: null })]), nothing, 'it cannot be read');
    assert.deepEqual(outageOf([row('ops', { event: 'degraded', payload })]), nothing);
    assert.deepEqual(outageOf([], { ownFault: 'resolver' }), ['', null, null, null, 'resolver']);
  });
});

describe('where a notify leads', () => {
  const rotation = (members: readonly [string, ...string[]]) =>
    ({ name: 'primary', members, every: 1000, from: 0, timezone: 'UTC' }) as never;
  const roster = (...usable: string[]) => ({
    channels: usable.map((name) => ({ name })),
    rotations: [rotation(['ann', 'ben', 'cat'])],
  });

  it('is all channels that can be used, or those it names, each once and in their order', () => {
    const usable = roster('ops', 'ann', 'ben');
    assert.deepEqual(routeOf(null, usable, 0), ['ops', 'ann', 'ben']);
    assert.deepEqual(routeOf(['ann', 'gone', 'ops', 'ann'], usable, 0), ['ops', 'ann']);
    assert.deepEqual(routeOf([], usable, 0), []);
  });

  it('is who is on call where it names a rotation, or the next one that can be used', () => {
    assert.deepEqual(routeOf(['primary', 'ops'], roster('ops', 'ann', 'ben', 'cat'), 0), ['ops', 'ann']);
    assert.deepEqual(routeOf(['primary'], roster('ann', 'ben', 'cat'), 1000), ['ben']);
    assert.equal(onCallOf(rotation(['ann', 'ben', 'cat']), [{ name: 'ann' }, { name: 'cat' }], 1000), 'cat');
    assert.equal(onCallOf(rotation(['ann', 'ben', 'cat']), [{ name: 'ann' }], 1000), 'ann', 'around');
    assert.equal(onCallOf(rotation(['ann', 'ben', 'cat']), [{ name: 'ops' }], 1000), null);
    assert.deepEqual(channelNamesOf(['primary', 'ops'], roster('ops'), 0), ['ops']);
    assert.deepEqual(channelNamesOf(['ops', 'primary'], roster('cat'), 0), ['ops', 'cat']);
  });
});

describe('a message for a channel that is not there', () => {
  const day = 86_400_000;
  const kept = (changes: Partial<Parameters<typeof keepWithoutChannel>[0]>) => {
    const at = { severity: null, isDisabled: false, isOver: false, sinceAt: 0, nowAt: 0 };
    const keeping = keepWithoutChannel({ ...at, event: 'down', ...changes });
    return keeping.kind === 'hold' ? keeping.untilAt : null;
  };

  it('is kept while its outage lasts', () => {
    assert.equal(kept({ nowAt: 400 * day }), 400 * day + 3_600_000);
    assert.equal(kept({ event: 'degraded', nowAt: 400 * day }), 400 * day + 3_600_000);
    const over = {
      event: 'down',
      severity: null,
      isDisabled: false,
      isOver: true,
      sinceAt: 0,
      nowAt: 0,
    } as const;
    assert.deepEqual(keepWithoutChannel(over), { kind: 'drop' });
  });

  it('is kept for 30 days when it is a recovery', () => {
    assert.equal(kept({ event: 'recovered', nowAt: 30 * day - 1 }), 30 * day);
    assert.equal(kept({ event: 'recovered', nowAt: 30 * day }), null);
    assert.equal(kept({ event: 'peer_recovered', nowAt: 30 * day - 1 }), 30 * day);
  });

  it('is kept for a disabled channel alone when it is anything else', () => {
    assert.equal(kept({ event: 'alert', severity: 'critical' }), null);
    assert.notEqual(kept({ event: 'alert', severity: 'critical', isDisabled: true, nowAt: 90 * day }), null);
    assert.notEqual(kept({ event: 'alert', severity: 'error', isDisabled: true, nowAt: day - 1 }), null);
    assert.equal(kept({ event: 'alert', severity: 'error', isDisabled: true, nowAt: day }), null);
  });
});

describe('a decision to queue', () => {
  const rotation = (name: string, members: readonly [string, ...string[]]) =>
    ({ name, members, every: 86_400_000, from: 0, timezone: 'UTC' }) as never;
  const roster = {
    channels: [{ name: 'ann' }, { name: 'ben' }, { name: 'ops' }],
    rotations: [rotation('primary', ['ann', 'ben']), rotation('second', ['ann'])],
  };
  const details = (notify: readonly string[] | null, at: number) =>
    withOnCall(
      reroute(ongoing, { ...facts, channels: ['ann', 'ben', 'ops'], why: because('at_once') }),
      notify,
      { ...roster, at },
    ).flatMap((intent) => (intent.kind === 'decide' ? [`${intent.channel ?? ''}: ${intent.detail}`] : []));

  it('says who is on call, by the turn of that moment', () => {
    assert.deepEqual(details(['primary', 'ops'], 1000), [
      'ann: It is sent at once. On call for primary.',
      'ben: It is sent at once.',
      'ops: It is sent at once.',
    ]);
    assert.deepEqual(details(['primary', 'second', 'ops'], 86_400_000 + 1000), [
      'ann: It is sent at once. On call for second.',
      'ben: It is sent at once. On call for primary.',
      'ops: It is sent at once.',
    ]);
    assert.match(details(['primary', 'second'], 1000)[0] ?? '', /On call for primary and second\.$/);
  });

  it('says nothing of rotations that the alert is not routed by', () => {
    for (const notify of [null, ['ann', 'ben', 'ops'], []])
      assert.ok(details(notify, 1000).every((line) => line.endsWith('It is sent at once.')));
  });
});

describe('decisions that queue nothing', () => {
  const rotations = [{ name: 'primary', members: ['ann'], every: 1000, from: 0, timezone: 'UTC' } as never];
  const decide = { kind: 'decide', monitor: 'api', incident: 'i1', event: 'down' } as const;

  it('is unchanged: a delivery, a suppressed message, and a message without a channel', () => {
    const [put] = reroute(ongoing, { ...facts, channels: ['ann'] });
    assert.ok(put?.kind === 'put');
    const suppressed = { ...decide, channel: 'ann', verdict: 'spared', ...because('filtered') } as const;
    const nobody = { ...decide, channel: null, verdict: 'spared', ...because('nobody_routed') } as const;
    const intents = [put, suppressed, nobody, { kind: 'drop', deliveryId: 'd' } as const];
    for (const channels of [[{ name: 'ann' }], []])
      assert.deepEqual(withOnCall(intents, ['primary'], { channels, rotations, at: 0 }), intents);
  });
});
