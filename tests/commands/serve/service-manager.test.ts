import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import {
  monotonicAssignment,
  serviceManager,
  watchdogMs,
} from '../../../src/commands/serve/service-manager.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

/** A systemd-notify that writes down what it was called with. */
function fakeNotify(body: string): string {
  writeFileSync(folder.at('systemd-notify'), `#!/bin/sh\n${body}\n`);
  chmodSync(folder.at('systemd-notify'), 0o755);
  return `${folder.path}:/usr/bin:/bin`;
}

describe('notification of the service manager', () => {
  it('goes through systemd-notify, one argument an assignment, with its socket', async () => {
    const PATH = fakeNotify(`printf '%s\\n' "$NOTIFY_SOCKET" "$@" >> ${folder.at('calls')}`);
    const report = serviceManager({ NOTIFY_SOCKET: '/run/x', PATH, SECRET: 'x' }, () => assert.fail());
    await report('READY=1', 'STATUS=2 up; $(true)');
    assert.equal(readFileSync(folder.at('calls'), 'utf8'), '/run/x\nREADY=1\nSTATUS=2 up; $(true)\n');
  });

  it('is not sent without systemd', async () => {
    await serviceManager({ PATH: '/nonexistent' }, () => assert.fail())('READY=1');
  });

  it('that cannot be sent is one warning', async () => {
    const lines: LogEntry[] = [];
    const report = serviceManager({ NOTIFY_SOCKET: '/run/x', PATH: '/nonexistent' }, (entry) =>
      lines.push(entry),
    );
    await report('READY=1');
    await report('STOPPING=1');
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['warning', 'systemd waits for word from this process, but systemd-notify is not installed']],
    );
  });

  it('that fails is one warning', async () => {
    const lines: LogEntry[] = [];
    const PATH = fakeNotify('exit 3');
    await serviceManager({ NOTIFY_SOCKET: '/run/x', PATH }, (entry) => lines.push(entry))('READY=1');
    assert.match(lines[0]?.message ?? '', /systemd-notify ended with 3$/);
  });

  it('names the monotonic time in microseconds', () => {
    const [, digits] = /^MONOTONIC_USEC=(\d+)$/.exec(monotonicAssignment()) ?? [];
    assert.ok(Math.abs(Number(digits) / 1000 - Number(process.hrtime.bigint()) / 1e6) < 1000);
  });
});

describe('the watchdog', () => {
  const NOTIFY_SOCKET = '/run/x';

  it('is fed at half of its time', () => {
    assert.equal(watchdogMs({ NOTIFY_SOCKET, WATCHDOG_USEC: '30000000' }, 7), 15_000);
    assert.equal(watchdogMs({ NOTIFY_SOCKET, WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, 7), 15_000);
  });

  it('of another process, or none, is not', () => {
    assert.equal(watchdogMs({ NOTIFY_SOCKET, WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, 7), null);
    for (const usec of ['', '0', '-5', '1e9']) {
      assert.equal(watchdogMs({ NOTIFY_SOCKET, WATCHDOG_USEC: usec }, 7), null);
    }
    assert.equal(watchdogMs({ WATCHDOG_USEC: '30000000' }, 7), null);
  });
});
