import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EventName, eventNames } from '../../../src/engine/alerting/events/catalogue.ts';
import {
  filteredDecisions,
  quieted,
  routed,
  saidOf,
  severityWithHidden,
} from '../../../src/engine/alerting/filter.ts';
import { refusalOf, takes } from '../../../src/engine/core/channel-filter.ts';
import { alertNames, severities } from '../../../src/engine/core/alert-names.ts';

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

  it('compare events and severities with the message; a critical monitor counts as critical', () => {
    assert.equal(takes({ ...open, events: ['degraded'] }, down), false);
    assert.ok(takes({ ...open, min_severity: 'error' }, down));
    assert.equal(takes({ ...open, min_severity: 'critical' }, down), false);
    const critical = { ...down, monitor: { ...api, critical: true } };
    assert.ok(takes({ ...open, min_severity: 'critical' }, critical));
    assert.equal(takes({ ...open, min_severity: 'critical' }, { ...critical, event: 'degraded' }), false);
  });

  it('accept events about a monitor by its id or group, and events without a monitor', () => {
    assert.ok(takes({ ...open, monitors: ['api'] }, down));
    assert.ok(takes({ ...open, monitors: ['db'], groups: ['web'] }, down));
    assert.equal(takes({ ...open, monitors: ['db'] }, down), false);
    assert.equal(takes({ ...open, groups: ['web'] }, { ...down, monitor: { ...api, group: null } }), false);
    assert.ok(
      takes({ ...open, monitors: ['db'] }, { event: 'node_blind', severity: 'warning', monitor: null }),
    );
  });

  it('take outages, times without checks, reminders and recoveries of a critical monitor for critical, and nothing else of it', () => {
    const strict = { ...open, min_severity: 'critical' } as const;
    const taken = eventNames.filter((event) =>
      takes(strict, { event, severity: 'error', monitor: { ...api, critical: true } }),
    );
    assert.deepEqual(taken, ['down', 'unknown', 'unstable', 'recovered', 'reminder']);
    assert.deepEqual(
      eventNames.filter((event) => takes(strict, { event, severity: 'error', monitor: null })),
      [],
    );
  });

  it('take what hides outages for as grave as the gravest outage of any monitor', () => {
    const grade = (event: EventName, critical: boolean) =>
      severityWithHidden(event, 'warning', [{ critical: false }, { critical }]);
    assert.deepEqual([grade('node_blind', true), grade('storage_failing', false)], ['critical', 'error']);
    assert.equal(grade('cert_expiring', true), 'warning');
  });

  it('hold severities in their order', () => {
    const taken = (min_severity: (typeof severities)[number]) =>
      severities.filter((severity) => takes({ ...open, min_severity }, { ...down, severity }));
    assert.deepEqual(taken('info'), ['info', 'warning', 'error', 'critical']);
    assert.deepEqual(taken('error'), ['error', 'critical']);
    assert.deepEqual(taken('critical'), ['critical']);
  });

  it('take a group where no monitor is named, and neither where they name others', () => {
    assert.ok(takes({ ...open, groups: ['db', 'web'] }, down));
    assert.equal(takes({ ...open, groups: ['db'] }, down), false);
    assert.equal(takes({ ...open, groups: ['db'], monitors: ['db'] }, down), false);
    assert.equal(takes({ ...open, groups: [], monitors: [] }, down), false);
  });

  it('say which of them leaves a message out', () => {
    const slow = { ...down, event: 'degraded', severity: 'warning' } as const;
    assert.equal(refusalOf(open, slow), null);
    assert.equal(
      refusalOf({ ...open, min_severity: 'error' }, slow),
      'takes error and above (min_severity); this is warning',
    );
    assert.equal(
      refusalOf({ ...open, min_severity: 'critical' }, slow),
      'takes critical only (min_severity); this is warning',
    );
    assert.equal(
      refusalOf({ ...open, events: ['down', 'recovered'] }, slow),
      'takes down and recovered (events); this is degraded',
    );
    assert.equal(
      refusalOf({ ...open, groups: ['db'], monitors: ['db'] }, slow),
      'takes what its monitors and groups list; api is not among that',
    );
  });

  it('log what they leave out, for each channel', () => {
    const about = { monitor: 'api', incident: 'i1', event: 'down' } as const;
    const decision = (channel: string) => ({
      kind: 'decide',
      ...about,
      channel,
      verdict: 'spared',
      reason: 'filtered',
      detail: `${channel} takes digest (events); this is down.`,
    });
    const refusals = ['sms', 'mail'].map((channel) => ({
      channel,
      why: 'takes digest (events); this is down',
    }));
    assert.deepEqual(filteredDecisions(refusals, about), ['sms', 'mail'].map(decision));
    assert.deepEqual(filteredDecisions([], about), []);
  });

  it('are asked of who is on call at that moment', () => {
    const rotations = [
      { name: 'primary', members: ['ops', 'sms'], every: 1000, from: 0, timezone: 'UTC' } as never,
    ];
    const channels = [open, { ...open, name: 'sms', events: ['digest' as const] }];
    const at = (instant: number) => routed(['primary'], { channels, rotations }, { ...down, at: instant });
    assert.deepEqual(at(0), { channels: ['ops'], filtered: [] });
    assert.deepEqual(at(1000), {
      channels: [],
      filtered: [{ channel: 'sms', why: 'takes digest (events); this is down' }],
    });
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
      filtered: [{ channel: 'sms', why: 'takes critical only (min_severity); this is error' }],
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
    const span = { at: 1, monitor: 'api', startedAt: 1, endedAt: 2 };
    assert.deepEqual(saidOf({ kind: 'incident_closed', uid: 'i', ...span }), {
      event: 'down',
      severity: 'error',
    });
    assert.deepEqual(saidOf({ kind: 'unknown_ended', uid: 'i', ...span }), {
      event: 'unknown',
      severity: 'error',
    });
    assert.deepEqual(saidOf({ kind: 'degraded_ended', by: 'recovery', ...span }), {
      event: 'degraded',
      severity: 'warning',
    });
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
    const lasting = ['down', 'unknown', 'recovered', 'reminder', 'peer_down', 'peer_recovered'] as const;
    const ofThisNode = ['channel_failing', 'cert_unreadable'] as const;
    for (const event of ['node_blind', 'storage_failing'] as const)
      assert.deepEqual(quieted(dropping, { ...down, event }, night), { kind: 'open' }, event);
    for (const event of [...lasting, ...ofThisNode])
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
