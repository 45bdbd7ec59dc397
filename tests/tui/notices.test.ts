import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenChannels } from '../../src/tui/notices.ts';

describe('a channel that takes no messages', () => {
  it('is said to have failed once where it did', () => {
    const text = (consecutive_failures: number, failing_for_secs: number | null = 600) => {
      const channel = { name: 'ops', failing: true, consecutive_failures, failing_for_secs };
      return brokenChannels({ channels: [channel] })[0]?.text;
    };
    assert.equal(text(1), 'channel ops is broken: its last delivery failed 10m ago');
    assert.equal(text(1, null), 'channel ops is broken: its last delivery failed');
    assert.equal(text(2), 'channel ops is broken: 2 deliveries failed in a row for 10m');
  });
});
