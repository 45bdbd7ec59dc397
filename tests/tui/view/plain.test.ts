import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainChanges, plainLines } from '../../../src/tui/view/plain.ts';
import { allRows } from '../../../src/tui/rows.ts';
import { assertGolden } from '../../support/golden.ts';
import { monitorOf, summaryOf, troubled } from '../facts.ts';

describe('plain text', () => {
  it('has a line for everything, the worst first', () => {
    assertGolden(
      new URL('golden/plain.txt', import.meta.url),
      `${plainLines(troubled(), allRows).join('\n')}\n`,
    );
  });

  it('counts nothing where no monitor is listed, as when all are up and only what is wrong is asked for', () => {
    const summary = summaryOf([], { title: 'Shop', overall_label: 'All systems operational' });
    assert.deepEqual(plainLines(summary, allRows), ['Shop: All systems operational.']);
  });

  it('reports what changed, and only that', () => {
    const before = summaryOf([monitorOf('a'), monitorOf('b')]);
    const after = summaryOf([
      monitorOf('a', { status: 'down', last_error: 'timeout' }),
      monitorOf('b', { last_latency_ms: 3 }),
    ]);
    assert.deepEqual(plainChanges(before, after), [
      'down: a, uptime 100%, p95 90 ms, It did not answer in time',
    ]);
    assert.deepEqual(plainChanges(after, after), []);
  });

  it('reports what an operator opened, and that it is over', () => {
    const [outage] = troubled().incidents;
    assert.ok(outage !== undefined);
    const opened = summaryOf([], {
      incidents: [{ ...outage, kind: 'operator', monitor: null, name: 'Slow' }],
    });
    assert.deepEqual(plainChanges(summaryOf([]), opened), ['incident: Slow is open']);
    assert.deepEqual(plainChanges(opened, opened), []);
    assert.deepEqual(plainChanges(opened, summaryOf([])), ['incident: Slow is over']);
    assert.deepEqual(plainChanges(summaryOf([]), summaryOf([], { incidents: [outage] })), []);
  });

  it('reports once that a channel broke, however long it stays so', () => {
    const broken = (secs: number) =>
      summaryOf([], {
        channels: [{ name: 'ops', failing: true, consecutive_failures: secs, failing_for_secs: secs }],
      });
    assert.equal(plainChanges(summaryOf([]), broken(5)).length, 1);
    assert.deepEqual(plainChanges(broken(5), broken(3700)), []);
    const well = summaryOf([], {
      channels: [{ name: 'ops', failing: false, consecutive_failures: 0, failing_for_secs: 0 }],
    });
    assert.deepEqual(plainChanges(broken(5), well), ['channel ops works again']);
  });

  it('reports once that a node went silent, and that it sends heartbeats again', () => {
    const heard = (state: 'up' | 'down', age: number) =>
      summaryOf([], {
        peers: [{ id: 'b', name: 'Paris', state, age, clock_skew_ms: null, reason: null, seen_by: [] }],
      });
    assert.deepEqual(plainChanges(heard('up', 3), heard('down', 90)), [
      'node Paris is down: heard 1m 30s ago',
    ]);
    assert.deepEqual(plainChanges(heard('down', 90), heard('down', 95)), []);
    assert.deepEqual(plainChanges(heard('down', 95), heard('up', 0)), ['node Paris sends heartbeats again']);
    assert.deepEqual(plainChanges(summaryOf([]), heard('up', 0)), []);
  });
});
