import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counted } from '../../../src/engine/core/words.ts';
import { digestOf, type DigestContents, type DigestMonitor } from '../../../src/engine/views/digest.ts';

const weekSecs = 7 * 86_400;
const toAt = Date.UTC(2026, 10, 23, 8);

const monitor = (part: Partial<DigestMonitor> = {}): DigestMonitor => ({
  name: 'API',
  secs: { up: weekSecs, degraded: 0, down: 0, unknown: 0 },
  incidents: 0,
  isDown: false,
  slo: null,
  ...part,
});
const digest = (part: Partial<DigestContents> = {}) =>
  digestOf({ fromAt: toAt - weekSecs * 1000, toAt, monitors: [monitor()], decisions: [], ...part });
const lineOf = (part: Partial<DigestMonitor>) => digest({ monitors: [monitor(part)] }).lines[0];
/** 99.9 % of 30 days: 43 minutes and 12 seconds may fail. */
const slo = (down: number) => ({
  uptimePercent: 99.9,
  windowDays: 30,
  secs: { up: 2_000_000, degraded: 0, down, unknown: 0 },
});

describe('the digest', () => {
  it('has one line about everything and one a monitor', () => {
    const secs = { up: weekSecs - 1200, degraded: 600, down: 600, unknown: 0 };
    const monitors = [monitor(), monitor({ name: 'Shop', secs, incidents: 2 }), monitor({ name: 'Mail' })];
    assert.deepEqual(digest({ monitors }), {
      summary: '3 monitors: 99.96% uptime, 2 incidents',
      lines: [
        'Shop: 99.90% uptime, 2 incidents',
        'API: 100% uptime, no incidents',
        'Mail: 100% uptime, no incidents',
      ],
    });
  });

  it('never rounds uptime up: one second down is not 100%', () => {
    const secs = { up: weekSecs - 1, degraded: 0, down: 1, unknown: 0 };
    assert.equal(lineOf({ secs, incidents: 1 }), 'API: 99.99% uptime, 1 incident');
    assert.equal(
      digest({ monitors: [monitor({ secs, incidents: 1 })] }).summary,
      '1 monitor: 99.99% uptime, 1 incident',
    );
  });

  it('says what is still down', () => {
    const down = monitor({ incidents: 1, isDown: true });
    assert.equal(lineOf(down), 'API: 100% uptime, 1 incident, down now');
    assert.equal(
      digest({ monitors: [down, monitor()] }).summary,
      '2 monitors: 100% uptime, 1 incident, 1 down now',
    );
  });

  it('counts unobserved time on neither side, and says how much was seen', () => {
    const nothing = { up: 0, degraded: 0, down: 0, unknown: 500 };
    assert.equal(lineOf({ secs: nothing }), 'API: no data, no incidents');
    const half = { up: weekSecs / 2 - 100, degraded: 0, down: 0, unknown: 100 };
    assert.equal(lineOf({ secs: half }), 'API: 100% uptime, seen 49.98% of the time, no incidents');
    const rest = { up: weekSecs / 2, degraded: 0, down: 0, unknown: 0 };
    const maintained = { secs: rest, maintainedSecs: weekSecs / 2 };
    assert.equal(lineOf(maintained), 'API: 100% uptime, no incidents', 'maintenance is not unseen');
    const moment = { up: 20, degraded: 0, down: 0, unknown: 0 };
    assert.equal(lineOf({ secs: moment }), 'API: 100% uptime, seen under 0.01% of the time, no incidents');
  });

  it('says what is left of an error budget, cut to the second', () => {
    assert.equal(
      lineOf({ slo: slo(0) }),
      'API: 100% uptime, no incidents, 43m 12s of 43m 12s error budget left',
    );
    assert.equal(
      lineOf({ slo: slo(732) }),
      'API: 100% uptime, no incidents, 31m of 43m 12s error budget left',
    );
    assert.equal(
      lineOf({ slo: slo(2592) }),
      'API: 100% uptime, no incidents, 0s of 43m 12s error budget left',
    );
    assert.equal(
      lineOf({ slo: slo(2892) }),
      'API: 100% uptime, no incidents, error budget of 43m 12s overspent by 5m',
    );
  });

  it('puts those with trouble first, for a channel cuts off the end', () => {
    const monitors = [
      monitor({ name: 'a' }),
      monitor({ name: 'b', slo: slo(5000) }),
      monitor({ name: 'c' }),
      monitor({ name: 'd', incidents: 1 }),
    ];
    assert.deepEqual(
      digest({ monitors }).lines.map((line) => line[0]),
      ['b', 'd', 'a', 'c'],
    );
  });

  it('says what was sent and what was suppressed', () => {
    const decisions = [
      { verdict: 'told', reason: 'sent', count: 9 },
      { verdict: 'told', reason: 'grouped', count: 3 },
      { verdict: 'held', reason: 'folded', count: 99 },
      { verdict: 'spared', reason: 'flap', count: 41 },
      { verdict: 'spared', reason: 'folded', count: 17 },
      { verdict: 'spared', reason: 'muted', count: 2 },
      { verdict: 'spared', reason: 'nobody_routed', count: 5 },
    ];
    assert.equal(
      digest({ decisions }).summary,
      '1 monitor: 100% uptime, no incidents. 12 alerts sent, 60 suppressed: ' +
        '41 flaps absorbed, 17 folded into their causes, 2 muted',
    );
    assert.equal(
      digest({ decisions: decisions.map((each) => ({ ...each, count: 1 })) }).summary,
      '1 monitor: 100% uptime, no incidents. 2 alerts sent, 3 suppressed: ' +
        '1 flap absorbed, 1 folded into its cause, 1 muted',
    );
    assert.match(
      digest({ decisions: decisions.map((each) => ({ ...each, count: each.count * 1000 })) }).summary,
      /12,000 alerts sent, 60,000 suppressed: 41,000 flaps absorbed, 17,000 folded .*, 2,000 muted$/,
    );
    assert.equal(
      digest({ decisions: decisions.slice(0, 1) }).summary,
      '1 monitor: 100% uptime, no incidents. 9 alerts sent',
    );
  });

  it('fits into a row of the outbox, however many monitors there are', () => {
    const names = Array.from({ length: 3000 }, (_, n) => monitor({ name: `${'"'.repeat(180)}${n}` }));
    const { lines } = digest({ monitors: [...names, monitor({ name: 'down', isDown: true })] });
    assert.ok(JSON.stringify(lines).length < 90_000);
    assert.match(lines[0] ?? '', /^down: /);
    assert.equal(lines.at(-1), `${counted(3002 - lines.length, 'more monitor')}, all of them up`);
  });

  it('has something to say when there are no monitors', () => {
    assert.deepEqual(digest({ monitors: [] }), { summary: 'No monitors', lines: [] });
  });
});
