import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { printChanges } from '../../../src/commands/top/plain.ts';
import type { DaemonState } from '../../../src/tui/model.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { modelOf, monitorOf, summaryOf } from '../../tui/facts.ts';

describe('the lines of what changes', () => {
  it('say that no daemon runs any more, and that one does again', async () => {
    const clock = new VirtualClock();
    const interrupt = new AbortController();
    const model = { ...modelOf(summaryOf([monitorOf('a')])), readAt: clock.now() };
    let daemon: DaemonState = 'ok';
    let printed = '';
    const ended = printChanges({
      source: {
        read: () => Promise.resolve(model),
        daemon: () => Promise.resolve(daemon),
        patienceMs: () => 0,
        follow: () => () => undefined,
      },
      stdout: new Writable({
        write: (chunk: Buffer, _, done) => {
          printed += chunk.toString();
          done();
        },
      }),
      clock,
      intervalMs: 1000,
      cpuMs: () => 0,
      first: model,
      daemon,
      interrupt: interrupt.signal,
    }).catch((error: unknown) => error);
    const pass = async () => {
      for (let step = 0; step < 40; step++) {
        clock.advance(100);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const lines = printed;
      printed = '';
      return lines;
    };
    assert.equal(await pass(), '');
    daemon = 'gone';
    assert.match(await pass(), /^NO DAEMON, checked \d+s ago\n$/);
    assert.equal(await pass(), '');
    daemon = 'ok';
    assert.equal(await pass(), 'a daemon runs again\n');
    interrupt.abort(new Error('enough'));
    await pass();
    assert.match(String(await ended), /enough/);
  });
});
