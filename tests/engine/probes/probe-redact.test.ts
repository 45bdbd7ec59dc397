import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noTimings, type ProbeResult } from '../../../src/engine/core/probe.ts';
import { redactResult } from '../../../src/engine/probes/probe-redact.ts';

it('every text of a result is masked, and nothing else is changed', () => {
  const result: ProbeResult = {
    outcome: 'failed',
    reason: { category: 'status', message: 'a hunter2 b' },
    latencyMs: 1,
    timings: noTimings,
    answer: {
      statusLine: 'HTTP/1.1 500 hunter2',
      headers: [['x-hunter2', 'hunter2']],
      body: 'hunter2\nhunter2',
    },
    assertions: [{ key: 'keyword', isMet: false, expected: 'hunter2', actual: 'not hunter2' }],
    certificate: null,
    address: '127.0.0.1',
  };
  const masked = JSON.parse(JSON.stringify(result).replaceAll('hunter2', '***')) as unknown;
  assert.deepEqual(
    redactResult(result, (text) => text.replaceAll('hunter2', '***')),
    masked,
  );
});
