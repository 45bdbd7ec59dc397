import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeFor, failingStatuses, nagiosState } from '../../../src/commands/check/verdict.ts';
import { checked, reportOf } from '../../support/check-report.ts';
import type { CheckStatus } from '../../../src/commands/check/report.ts';

const reportWith = (...statuses: CheckStatus[]) =>
  reportOf(statuses.map((status) => checked(status, { status })));

test('--fail-on names the statuses that fail a run', () => {
  assert.deepEqual(failingStatuses('down'), ['down']);
  assert.deepEqual(failingStatuses('degraded'), ['down', 'degraded', 'unknown']);
  assert.deepEqual(failingStatuses('never'), []);
});

test('a run that passes ends with 0, one that fails with 1, an interrupted one with 130', () => {
  assert.equal(exitCodeFor(reportWith('up'), false), 0);
  assert.equal(exitCodeFor(reportWith('down'), false), 1);
  assert.equal(exitCodeFor({ ...reportWith('down'), isOk: true }, false), 0);
  assert.equal(exitCodeFor({ ...reportWith('up'), isInterrupted: true }, false), 130);
});

test('nagios states go critical, warning, unknown, ok, the worst first', () => {
  assert.deepEqual(nagiosState(reportWith('up', 'unknown', 'degraded', 'down')), {
    word: 'CRITICAL',
    code: 2,
  });
  assert.deepEqual(nagiosState(reportWith('up', 'unknown', 'degraded')), { word: 'WARNING', code: 1 });
  assert.deepEqual(nagiosState(reportWith('up', 'unknown')), { word: 'UNKNOWN', code: 3 });
  assert.deepEqual(nagiosState(reportWith('up', 'skipped')), { word: 'OK', code: 0 });
});

test('nagios exits with its state whatever --fail-on says', () => {
  assert.equal(exitCodeFor({ ...reportWith('down'), isOk: true }, true), 2);
});
