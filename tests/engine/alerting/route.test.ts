/** Which channels are notified of an outage that was there before they were. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryIdOf } from '../../../src/engine/alerting/ids.ts';
import { keepWithoutChannel } from '../../../src/engine/alerting/retry.ts';
import { readOutage } from '../../../src/engine/alerting/events/outage.ts';
import { because } from '../../../src/engine/alerting/reasons.ts';
import type { FinishedRow } from '../../../src/engine/alerting/intent.ts';
import { reroute, type Ongoing, withOnCall } from '../../../src/engine/alerting/route.ts';

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

  it('says how it was confirmed, and takes no delivery id that another channel left', () => {
    const left = { ...row('pager'), deliveryId: deliveryIdOf('i1.down', 'ops') };
    const [put] = reroute(ongoing, { ...facts, rows: [left] });
    assert.ok(put?.kind === 'put');
    assert.notEqual(put.deliveryId, left.deliveryId);
    assert.equal(readOutage(put.payload)?.confirmation, '3 failed checks in a row');
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
