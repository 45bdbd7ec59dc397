/** What becomes of each event: how urgent it is, whether a silence holds it, how long it is kept and for whom. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EventName,
  eventNames,
  eventRow,
  severityOf,
} from '../../../../src/engine/alerting/events/catalogue.ts';
import { isOutageEvent } from '../../../../src/engine/alerting/events/outage.ts';

/** Severity, subject, muting; then given up, without its channel, without its monitor. */
const rules: Readonly<Record<EventName, string>> = {
  down: 'error monitor mutable, never, kept_while_it_lasts, dropped_when_over',
  degraded: 'warning monitor mutable, after_a_day, kept_while_it_lasts, dropped',
  unknown: 'error monitor mutable, never, kept_while_it_lasts, dropped_when_over',
  unstable: 'warning monitor mutable, never, kept_while_it_lasts, dropped',
  recovered: 'info monitor mutable, never, kept_for_30_days, sent',
  reminder: 'error monitor mutable, never, dropped, dropped_when_over',
  alert: 'info monitor always, after_a_day_unless_critical, dropped, sent',
  incident: 'warning node always, after_a_day, dropped, sent',
  channel_failing: 'warning node always, after_a_day, dropped, dropped',
  cert_expiring: 'warning monitor mutable, after_a_day, dropped, dropped',
  cert_changed: 'warning monitor mutable, after_a_day, dropped, dropped',
  cert_unreadable: 'warning monitor mutable, after_a_day, dropped, dropped',
  domain_expiring: 'warning monitor mutable, after_a_day, dropped, dropped',
  budget_burn: 'warning monitor mutable, after_a_day, dropped, dropped',
  peer_down: 'error peer mutable, after_a_day, dropped, dropped',
  peer_recovered: 'info peer mutable, never, kept_for_30_days, sent',
  peer_link_degraded: 'warning peer mutable, after_a_day, dropped, dropped',
  node_blind: 'warning node always, after_a_day, dropped, dropped',
  storage_failing: 'error node always, after_a_day, dropped, dropped',
  nodes_differ: 'warning node always, after_a_day, dropped, dropped',
  digest: 'info node always, after_a_day, dropped, dropped',
  test: 'info node always, after_a_day, dropped, dropped',
};

describe('the rules of an event', () => {
  for (const event of eventNames)
    it(`are those of ${event}`, () => {
      const { subject, isMutable, givenUp, withoutChannel, withoutMonitor } = eventRow(event);
      const muting = isMutable ? 'mutable' : 'always';
      assert.equal(
        `${severityOf(event, null)} ${subject} ${muting}, ${givenUp}, ${withoutChannel}, ${withoutMonitor}`,
        rules[event],
      );
    });

  it('are in the order in which people read of them', () => {
    assert.deepEqual(eventNames, Object.keys(rules));
  });

  it('say which of them are outages', () => {
    assert.deepEqual(eventNames.filter(isOutageEvent), ['down', 'degraded', 'unknown', 'unstable']);
  });

  it('take what is filed under another name for no incident', () => {
    const isWithoutIncident = (event: EventName, payload = {}) =>
      eventRow(event).isWithoutIncident?.(payload) === true;
    assert.deepEqual(
      eventNames.filter((event) => isWithoutIncident(event)),
      ['degraded', 'unstable', 'node_blind'],
    );
    const span = { startedAt: 1, endedAt: 2 };
    assert.equal(isWithoutIncident('recovered', { ...span, from: 'degraded' }), true);
    assert.equal(isWithoutIncident('recovered', { ...span, from: 'unknown' }), false);
  });
});

describe('the severity of an event', () => {
  it('of a producer is what it said, and info where this version does not know it', () => {
    for (const severity of ['info', 'warning', 'error', 'critical'])
      assert.equal(severityOf('alert', { severity }), severity);
    assert.equal(severityOf('alert', { severity: 'fatal' }), 'info');
  });

  it('of an incident that an operator opened follows its impact, and its end is info', () => {
    const of = (impact: string, state: string | null = null) => severityOf('incident', { impact, state });
    assert.deepEqual(
      ['none', 'maintenance', 'degraded', 'partial', 'major', 'of another version'].map((each) => of(each)),
      ['info', 'info', 'warning', 'error', 'critical', 'warning'],
    );
    for (const state of ['investigating', 'identified', 'monitoring', 'of another version'])
      assert.equal(of('major', state), 'critical', state);
    assert.equal(of('major', 'resolved'), 'info');
  });

  it('of a budget that burns is higher when it burns fast', () => {
    assert.equal(severityOf('budget_burn', { pace: 'fast' }), 'error');
    assert.equal(severityOf('budget_burn', { pace: 'slow' }), 'warning');
  });
});

describe('what waits to be sent', () => {
  const state = {
    isDown: () => false,
    failingSinceOf: () => null,
    unreadableSince: () => null,
    certExpiresAt: () => null,
    domainExpiresAt: () => null,
    isBurning: (pace: string) => pace === 'fast',
    wasMuted: false,
  };
  const suppressedBy = (event: EventName, fields: Record<string, number | string>, changes = {}) =>
    eventRow(event).suppressedBy?.(fields, { ...state, ...changes }) ?? null;

  it('about a budget is not needed while the outage has an alert of its own', () => {
    assert.equal(suppressedBy('budget_burn', {}), null);
    assert.equal(suppressedBy('budget_burn', {}, { isDown: () => true }), 'outage_open');
  });

  it('about a budget is not needed once a mute ends that it did not outlast', () => {
    const muted = { wasMuted: true };
    assert.equal(suppressedBy('budget_burn', { pace: 'slow' }, muted), 'muted');
    assert.equal(suppressedBy('budget_burn', { pace: 'fast' }, muted), null);
    assert.equal(suppressedBy('budget_burn', { pace: 'slow' }), null, 'nothing held it back');
  });

  it('about a channel is not needed once that streak of failures is over', () => {
    const failing = (since: number | null) => ({
      failingSinceOf: (channel: string) => (channel === 'phone' ? since : 5),
    });
    const fields = { channel: 'phone', failingSinceAt: 7 };
    assert.equal(suppressedBy('channel_failing', fields, failing(7)), null);
    assert.equal(suppressedBy('channel_failing', fields, failing(null)), 'over');
    assert.equal(suppressedBy('channel_failing', fields, failing(8)), 'over', 'another streak');
    assert.equal(suppressedBy('channel_failing', { failingSinceAt: 7 }, failing(null)), null, 'unreadable');
  });

  it('about a certificate is not needed once it is read again', () => {
    const since = (sinceAt: number | null) => ({ unreadableSince: () => sinceAt });
    assert.equal(suppressedBy('cert_unreadable', { sinceAt: 7 }, since(7)), null);
    assert.equal(suppressedBy('cert_unreadable', { sinceAt: 7 }, since(null)), 'over');
    assert.equal(suppressedBy('cert_unreadable', { sinceAt: 7 }, since(9)), 'over');
  });
});
