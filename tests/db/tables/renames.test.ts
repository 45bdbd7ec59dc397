/** What is kept under an old name goes by the new one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { dump, openFacts } from '../../support/facts.ts';

const at = 1_764_000_000_000;

const opened = (uid: string, monitor: string, cause: string | null = null) =>
  incidents.open({
    uid,
    monitor,
    name: 'Its name then',
    startedAt: at,
    confirmedAt: at,
    category: null,
    reason: null,
    cause,
    impacted: cause === null ? ['web', 'old'] : [],
    snapshot: null,
    vantage: null,
  });

const delivery = (deliveryId: string, incident: string, channel = 'ops') =>
  outbox.put({
    deliveryId,
    channel,
    event: 'down',
    monitor: 'old',
    incident,
    payload: {},
    createdAt: at,
    nextAt: at,
  });

const decision = {
  at,
  monitor: 'old',
  incident: 'i1',
  channel: 'ops',
  event: 'down',
  verdict: 'queued',
  reason: 'window',
  detail: null,
} as const;

async function world() {
  const facts = await openFacts();
  const sample = { status: 'up', latencyMs: 1, holdSecs: 60, isHeartbeat: false } as const;
  facts.apply(
    monitors.see({ id: 'old', name: 'Old', at }),
    samples.add({ ...sample, monitor: 'old', at, category: null, message: null }),
    opened('i1', 'old'),
    opened('i2', 'web', 'old'),
    delivery('d1', 'i1'),
    delivery('d2', `old.degraded.${at}`),
    decisions.log(decision),
    alertStates.save({ monitor: 'old', state: { version: 1 }, at }),
    silences.add({ monitors: ['old', 'web'], untilAt: at + 1, reason: null, createdAt: at }),
    channels.failed({ channel: 'ops', at, error: 'refused' }),
    channels.see({ channel: 'ops', destination: 'x', at }),
  );
  return facts;
}

describe('a monitor that has another id', () => {
  it('has its samples, incidents, messages, state and silences', async () => {
    const { sql, apply } = await world();
    apply(monitors.rename({ from: 'old', to: 'new' }));
    assert.ok(!/'old'|"old"|old\.degraded/.test(dump(sql)), 'nothing is left under the old id');
    assert.equal(samples.list(sql, 'new', { fromAt: at, toAt: at + 1 }).length, 1);
    assert.deepEqual(
      incidents.listOpen(sql).map(({ monitor, cause, impacted }) => [monitor, cause, impacted]),
      [
        ['web', 'new', []],
        ['new', null, ['web', 'new']],
      ],
    );
    assert.equal(outbox.ofIncident(sql, `new.degraded.${at}`)[0]?.monitor, 'new');
    assert.deepEqual(silences.active(sql, at)[0]?.monitors, ['new', 'web']);
    assert.deepEqual(alertStates.find(sql, 'new'), { version: 1 });
    assert.equal(incidents.totals(sql).get('new'), 1);
  });

  it('leaves the history of a removed monitor of that id alone', async () => {
    const { sql, apply } = await world();
    apply(
      monitors.see({ id: 'new', name: 'Before', at }),
      opened('i0', 'new'),
      incidents.close({ uid: 'i0', endedAt: at + 1 }),
      monitors.remove({ id: 'new', at }),
      monitors.rename({ from: 'old', to: 'new' }),
    );
    assert.deepEqual(
      monitors.list(sql).map(({ id, name }) => [id, name]),
      [
        ['old', 'Old'],
        ['new', 'Before'],
      ],
    );
    assert.equal(incidents.listOpen(sql).find(({ uid }) => uid === 'i1')?.monitor, 'new');
    assert.equal(incidents.totals(sql).get('new'), 2);
  });
});

describe('a channel that has another name', () => {
  it('has its messages, its decisions and its health', async () => {
    const { sql, apply } = await world();
    apply(
      channels.see({ channel: 'pager', destination: 'y', at }),
      channels.remove({ channel: 'pager', at }),
      channels.rename({ from: 'ops', to: 'pager' }),
    );
    assert.deepEqual(
      outbox.ofIncident(sql, 'i1').map(({ channel }) => channel),
      ['pager'],
    );
    assert.equal(decisions.ofIncident(sql, 'i1')[0]?.channel, 'pager');
    assert.deepEqual(
      channels.list(sql).map(({ channel, consecutiveFailures }) => [channel, consecutiveFailures]),
      [['pager', 1]],
    );
    assert.deepEqual(channels.known(sql), [{ name: 'pager', destination: 'x', removedAt: null }]);
  });
});
