import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../../../src/engine/monitoring/network/evidence.ts';
import { isReferenceHost, hostOf } from '../../../../src/engine/core/hosts.ts';
import { beatMs, standstillBetween } from '../../../../src/engine/monitoring/clock/standstill.ts';
import { noTimings, type Category, type ProbeResult } from '../../../../src/engine/core/probe.ts';

function result(
  ...[outcome, category, connectMs, more = {}]: readonly [
    outcome: ProbeResult['outcome'],
    category: Category | null,
    connectMs: number | null,
    more?: Partial<ProbeResult>,
  ]
): ProbeResult {
  return {
    outcome,
    reason: category === null ? null : { category, message: 'as it is' },
    latencyMs: null,
    timings: { ...noTimings, connectMs },
    answer: null,
    assertions: [],
    certificate: null,
    address: null,
    ...more,
  };
}

const silence = { isSilence: true };
const direct = { isProxied: false };
const proxied = { isProxied: true };

describe('the host of a target', () => {
  it('is the name without port, login, case and brackets', () => {
    for (const [kind, target, host] of [
      ['http', 'https://API.example.com:8443/x?y@z', 'api.example.com'],
      ['http', 'http://user:p@ss@example.com/', 'example.com'],
      ['http', 'http://[2001:db8::1]:80/', '2001:db8::1'],
      ['tcp', 'db.example.com:5432', 'db.example.com'],
      ['tcp', '[::1]:25', '::1'],
      ['icmp', 'Router.', 'router'],
      ['dns', 'example.com', 'example.com'],
      ['exec', 'anything', null],
      ['push', '', null],
      ['http', 'nonsense', null],
    ] as const) {
      assert.equal(hostOf(kind, target), host, target);
    }
  });

  it('is no evidence when it is this machine, unless all are', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) {
      assert.equal(isReferenceHost(host, true), false, host);
      assert.equal(isReferenceHost(host, false), true, host);
    }
    for (const host of ['example.com', '10.0.0.1', '1270.example', '127.example.com'])
      assert.equal(isReferenceHost(host, true), true, host);
  });
});

describe('the evidence of a check', () => {
  it('is an answer whenever the host was reached, whatever it said', () => {
    assert.equal(evidenceOf(result('healthy', null, 3), direct), 'answered');
    assert.equal(evidenceOf(result('degraded', 'certificate_key', 3), direct), 'answered');
    assert.equal(evidenceOf(result('failed', 'status', 3), direct), 'answered');
    assert.equal(
      evidenceOf(result('failed', 'timeout', 3, silence), direct),
      'answered',
      'it hung after connecting',
    );
    assert.equal(evidenceOf(result('failed', 'status', 3), proxied), 'answered');
  });

  it('is an answer when the target refuses, its name does not exist, or TLS fails', () => {
    for (const category of ['connection', 'dns', 'tls'] as const)
      assert.equal(evidenceOf(result('failed', category, null), direct), 'answered');
  });

  it('is silence when nothing came back', () => {
    for (const category of ['timeout', 'connection'] as const)
      assert.equal(evidenceOf(result('failed', category, null, silence), direct), 'failed');
  });

  it('is silence when a proxy took the connection and nothing came of it', () => {
    for (const category of ['timeout', 'connection'] as const)
      assert.equal(evidenceOf(result('failed', category, 3, silence), proxied), 'failed');
  });

  it('is an answer when a proxy elsewhere says that it failed, but not when one here does', () => {
    const here = { isOwnAddress: true };
    for (const category of ['timeout', 'dns', 'connection'] as const) {
      assert.equal(evidenceOf(result('failed', category, 3), proxied), 'answered');
      assert.equal(evidenceOf(result('failed', category, 3, here), proxied), 'failed');
    }
  });

  it('is nothing when this host is at fault, but silence when no name server answers', () => {
    assert.equal(evidenceOf(result('unknown', 'own_fault', null), direct), null);
    assert.equal(evidenceOf(result('unknown', 'own_fault', null, silence), direct), 'failed');
  });
});

describe('the gap between two beats', () => {
  const before = { monotonicMs: 1000, at: 5_000_000 };
  const later = (monotonicMs: number, wallMs = monotonicMs) =>
    standstillBetween(before, { monotonicMs: 1000 + monotonicMs, at: 5_000_000 + wallMs });

  it('is none while beats come, or are a little late', () => {
    assert.deepEqual(later(beatMs), { kind: 'none' });
    assert.deepEqual(later(beatMs + 2000), { kind: 'none' });
    assert.deepEqual(later(10), { kind: 'none' });
  });

  it('is a stall when a beat came more than two seconds late', () => {
    assert.deepEqual(later(beatMs + 2001), { kind: 'stood_still', lostMs: 2001 });
  });

  it('is a step of the clock when the wall went its own way', () => {
    assert.deepEqual(later(1000, 9000), { kind: 'clock_moved', byMs: 8000 });
    assert.deepEqual(later(1000, -9000), { kind: 'clock_moved', byMs: -10_000 });
    assert.deepEqual(later(1000, 2900), { kind: 'none' });
  });
});
