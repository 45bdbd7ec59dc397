import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventNames, severityOf } from '../../../src/engine/alerting/events/catalogue.ts';
import { quieted, routed, saidOf, takes } from '../../../src/engine/alerting/filter.ts';
import { alertNames } from '../../../src/engine/core/alert-names.ts';

const open = { name: 'ops', events: null, min_severity: 'info', monitors: null, groups: null } as const;
const api = { id: 'api', group: 'web', critical: false };
const down = { event: 'down', severity: 'error', monitor: api } as const;

describe('the filters of a channel', () => {
  it('know every event by its name', () => {
    assert.deepEqual([...alertNames].sort(), [...eventNames].sort());
  });

  it('take everything where nothing is set', () => {
    assert.ok(takes(open, down));
    assert.ok(takes(open, { event: 'digest', severity: 'info', monitor: null }));
  });

  it('hold events and severities against what is said; a critical monitor counts as critical', () => {
    assert.equal(takes({ ...open, events: ['degraded'] }, down), false);
    assert.ok(takes({ ...open, min_severity: 'error' }, down));
    assert.equal(takes({ ...open, min_severity: 'critical' }, down), false);
    const critical = { ...down, monitor: { ...api, critical: true } };
    assert.ok(takes({ ...open, min_severity: 'critical' }, critical));
    assert.equal(takes({ ...open, min_severity: 'critical' }, { ...critical, event: 'degraded' }), false);
  });

  it('take what is about a monitor by its id or its group, and what is about none', () => {
    assert.ok(takes({ ...open, monitors: ['api'] }, down));
    assert.ok(takes({ ...open, monitors: ['db'], groups: ['web'] }, down));
    assert.equal(takes({ ...open, monitors: ['db'] }, down), false);
    assert.equal(takes({ ...open, groups: ['web'] }, { ...down, monitor: { ...api, group: null } }), false);
    assert.ok(
      takes({ ...open, monitors: ['db'] }, { event: 'node_blind', severity: 'warning', monitor: null }),
    );
  });

  it('come on top of notify', () => {
    const channels = [
      open,
      { ...open, name: 'sms', min_severity: 'critical' as const },
      { ...open, name: 'mail' },
    ];
    const roster = { channels, rotations: [] };
    assert.deepEqual(routed(['ops', 'sms'], roster, { ...down, at: 0 }), {
      channels: ['ops'],
      filtered: ['sms'],
    });
    assert.deepEqual(routed(null, roster, { ...down, at: 0 }).channels, ['ops', 'mail']);
  });

  it('read the severity of what begins and of what the outbox holds', () => {
    const alert = {
      kind: 'producer_alert',
      at: 1,
      uid: 'u',
      monitor: 'api',
      severity: 'critical',
      title: 'x',
      message: null,
      tags: {},
    } as const;
    assert.deepEqual(saidOf(alert), { event: 'alert', severity: 'critical' });
    assert.equal(severityOf('recovered', null), 'info');
    assert.equal(severityOf('degraded', null), 'warning');
  });
});

describe('the quiet hours of a channel', () => {
  const channel = { quiet_hours: '22:00-07:00', timezone: 'UTC', quiet: 'hold' } as const;
  const night = Date.UTC(2026, 0, 5, 23);
  const untilAt = Date.UTC(2026, 0, 6, 7);

  it('hold or drop a message, never an outage that may last longer, and let pass what is critical', () => {
    assert.deepEqual(quieted(channel, down, night), { kind: 'hold', untilAt, isDropping: false });
    const dropping = { ...channel, quiet: 'drop' } as const;
    assert.deepEqual(quieted(dropping, { ...down, event: 'degraded' }, night), { kind: 'drop' });
    for (const event of ['down', 'unknown', 'recovered', 'reminder'] as const)
      assert.deepEqual(quieted(dropping, { ...down, event }, night), {
        kind: 'hold',
        untilAt,
        isDropping: true,
      });
    assert.deepEqual(quieted(dropping, { ...down, monitor: { ...api, critical: true } }, night), {
      kind: 'open',
    });
    assert.deepEqual(quieted(channel, { ...down, event: 'alert', severity: 'critical' }, night), {
      kind: 'open',
    });
  });

  it('are over in the day, and for a channel that has none', () => {
    assert.deepEqual(quieted(channel, down, untilAt), { kind: 'open' });
    assert.deepEqual(quieted({ ...channel, quiet_hours: null }, down, night), { kind: 'open' });
  });
});
