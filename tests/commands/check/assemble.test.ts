import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  causesOf,
  certificateNotes,
  checkedMonitor,
  domainNote,
  skippedMonitor,
} from '../../../src/commands/check/assemble.ts';
import type { Alerts } from '../../../src/engine/config/config.ts';
import { noTimings, type CheckResult, type ProbeResult } from '../../../src/engine/core/probe.ts';
import { checked } from '../../support/check-report.ts';
import { aMonitor } from '../../support/probing.ts';

const dayMs = 86_400_000;
const startedAt = Date.UTC(2026, 4, 11);
const api = aMonitor('http', { id: 'api', target: 'http://127.0.0.1/', degraded_over_ms: 500 });

function checkOf(result: Partial<ProbeResult>): CheckResult {
  return {
    startedAt,
    attempts: 2,
    result: {
      outcome: 'healthy',
      reason: null,
      latencyMs: 20,
      timings: noTimings,
      answer: null,
      assertions: [],
      certificate: null,
      address: null,
      ...result,
    },
  };
}

const facts = { position: { file: 'statusd.toml', line: 3, column: 1 }, curl: 'curl http://127.0.0.1/' };

test('a healthy answer is up and says nothing more', () => {
  const { status, error, category, latencyMs, attempts } = checkedMonitor(api, checkOf({}), facts);
  assert.deepEqual([status, error, category, latencyMs, attempts], ['up', null, null, 20, 2]);
});

test('a healthy answer over degraded_over_ms is degraded and says why', () => {
  const { status, error, category } = checkedMonitor(api, checkOf({ latencyMs: 501 }), facts);
  assert.deepEqual([status, error, category], ['degraded', 'slower than 500 ms', 'slow']);
});

test('an answer that is degraded by itself keeps its own reason', () => {
  const reason = { category: 'certificate_key', message: 'another key' } as const;
  const { status, error } = checkedMonitor(
    api,
    checkOf({ outcome: 'degraded', reason, latencyMs: 900 }),
    facts,
  );
  assert.deepEqual([status, error], ['degraded', 'another key']);
});

test('only the expectations that were not met are kept', () => {
  const assertions = [
    { key: 'expected_status', isMet: true, expected: '2xx', actual: '200' },
    { key: 'keyword', isMet: false, expected: '"ok"', actual: 'no such text' },
  ];
  const { unmet } = checkedMonitor(api, checkOf({ assertions }), facts);
  assert.deepEqual(
    unmet.map(({ key }) => key),
    ['keyword'],
  );
});

test('a monitor that is up needs no command to reproduce it', () => {
  assert.equal(checkedMonitor(api, checkOf({}), facts).curl, null);
  assert.equal(checkedMonitor(api, checkOf({ latencyMs: 501 }), facts).curl, 'curl http://127.0.0.1/');
});

test('a push monitor is skipped without an attempt', () => {
  const { status, attempts, position } = skippedMonitor(aMonitor('push', { id: 'backup' }), facts.position);
  assert.deepEqual([status, attempts, position], ['skipped', 0, facts.position]);
});

test('the cause of what is down is the root of those it depends on that are down, and were checked', () => {
  const monitors = [
    { id: 'net', depends_on: [] },
    { id: 'db', depends_on: ['net'] },
    { id: 'api', depends_on: ['db'] },
    { id: 'shop', depends_on: ['api'] },
    { id: 'blog', depends_on: [] },
  ];
  const down = ['db', 'shop', 'blog'].map((id) =>
    checked(id, { status: 'down', name: id === 'db' ? 'PostgreSQL' : id }),
  );
  const results = [checked('net'), checked('api'), ...down];
  assert.deepEqual([...causesOf(results, { monitors })], [['shop', 'PostgreSQL']]);
  assert.deepEqual([...causesOf(down.slice(1), { monitors })], []);
});

test('the days a certificate has left are rounded down', () => {
  const daysLeft = (ms: number) => {
    const link = { subject: 's', issuer: 'i', validFromAt: 0, validToAt: startedAt + ms };
    const certificate = { ...link, spkiSha256: '', isTrusted: true, chain: [link] };
    return checkedMonitor(api, checkOf({ certificate }), facts).certExpiryDays;
  };
  assert.deepEqual([10 * dayMs, 10 * dayMs - 1, 1, 0, -1, -dayMs - 1].map(daysLeft), [10, 9, 0, 0, -1, -2]);
});

test('certificates are noted within alerts.cert_expiry_days, unless check_cert is off', () => {
  const monitors = [
    aMonitor('http', { id: 'soon', target: 'https://a/' }),
    aMonitor('http', { id: 'later', target: 'https://b/' }),
    aMonitor('http', { id: 'silent', target: 'https://c/', check_cert: false }),
    aMonitor('tcp', { id: 'gone', target: 'd:993' }),
  ];
  const results = [
    checked('soon', { certExpiryDays: 14 }),
    checked('later', { certExpiryDays: 15 }),
    checked('silent', { certExpiryDays: 1 }),
    checked('gone', { certExpiryDays: -3 }),
  ];
  const notes = certificateNotes(results, { monitors, alerts: { cert_expiry_days: 14 } as Alerts });
  assert.deepEqual(
    notes.map(({ id, text }) => [id, text]),
    [
      ['soon', 'the certificate expires in 14 days'],
      ['gone', 'the certificate expired 3 days ago'],
    ],
  );
});

test('a domain is noted within alerts.domain_expiry_days', () => {
  const noteIn = (days: number) =>
    domainNote('example.com', { expiresAt: startedAt + days * dayMs, now: startedAt, withinDays: 14 });
  assert.equal(noteIn(15), null);
  assert.equal(noteIn(14), 'the domain example.com expires in 14 days');
  assert.equal(noteIn(1), 'the domain example.com expires in 1 day');
  assert.equal(noteIn(0.5), 'the domain example.com expires within a day');
  assert.equal(noteIn(-0.5), 'the domain example.com has expired');
  assert.equal(noteIn(-1.5), 'the domain example.com expired 2 days ago');
});
