import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logLineOf } from '../../../src/engine/monitoring/log-lines.ts';
import { overLine } from '../../../src/engine/peers/log-lines.ts';
import { peerRecovered } from '../../../src/notify/wording/node.ts';
import { recovered } from '../../../src/notify/wording/outage.ts';

/** 15.4 seconds that the record shows as 16: from 14:00:04 to 14:00:20. */
const startedAt = Date.UTC(2026, 10, 21, 14, 0, 4, 900);
const endedAt = Date.UTC(2026, 10, 21, 14, 0, 20, 300);

describe('the line of the log about the end of an outage', () => {
  for (const [kind, from, field] of [
    ['incident_closed', 'down', 'down_secs'],
    ['degraded_ended', 'degraded', 'degraded_secs'],
  ] as const)
    it(`states the duration of the message about the end: ${from}`, () => {
      const transition = { kind, startedAt, endedAt, by: 'recovery' } as unknown as Parameters<
        typeof logLineOf
      >[0];
      const line = logLineOf(transition, { watched: { id: 'api' }, seen: { reason: null } } as never);
      const message = { monitor: { id: 'api', name: 'api' }, from, startedAt, endedAt, impacted: [] };
      assert.match(recovered(message as never).title, /after 16s$/);
      assert.match(line.message, /after 16s$/);
      assert.equal(line.fields?.[field], 16);
    });

  it('states the duration of the message about the end: of a peer', () => {
    const line = overLine('eu', { from: 'down', startedAt, endedAt });
    const peer = { id: 'eu', name: 'eu' };
    assert.match(peerRecovered({ peer, startedAt, endedAt, isRemoved: false } as never).title, /after 16s$/);
    assert.equal(line.message, 'peer eu is up again after 16s');
    assert.equal(line.fields?.['down_secs'], 16);
  });
});
