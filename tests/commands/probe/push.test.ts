import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heartbeatLine, pushText } from '../../../src/commands/probe/push.ts';
import type { ServerSettings } from '../../../src/engine/config/config.ts';
import { Secret } from '../../../src/engine/config/secret.ts';
import { aMonitor } from '../../support/probing.ts';
import { outputOf } from '../../support/sheet.ts';

const server = (parts: Partial<ServerSettings>) =>
  ({ bind: '127.0.0.1:8787', base_url: null, ...parts }) as ServerSettings;
const nightly = aMonitor('push', { id: 'nightly', grace_secs: 120, push_token: new Secret('secret-4711') });

describe('the command that sends a heartbeat', () => {
  it('leaves the token to a variable of the shell', () => {
    assert.equal(
      heartbeatLine(nightly, server({ base_url: 'https://status.example.org/' })),
      'curl -fsS -X POST -H "X-Push-Token: ${PUSH_TOKEN}" https://status.example.org/api/push/nightly',
    );
  });

  it('goes to this host where the page has no address of its own', () => {
    const open = aMonitor('push', { id: 'open', push_token: null });
    assert.equal(
      heartbeatLine(open, server({ bind: '0.0.0.0:80' })),
      'curl -fsS -X POST http://127.0.0.1:80/api/push/open',
    );
    assert.equal(
      heartbeatLine(open, server({ bind: '[::]:80' })),
      "curl -fsS -X POST 'http://[::1]:80/api/push/open'",
    );
  });

  it('says when a heartbeat is due', () => {
    const text = pushText(nightly, server({}), outputOf({ columns: 80, isColoured: false }));
    assert.match(
      text,
      /^nightly {2}push\n\nIt is pushed, not probed: a heartbeat is due every 1m, and may be 2m late\.\n/,
    );
    const berlin = aMonitor('push', { id: 'nightly', schedule: '0 3 * * *', timezone: 'Europe/Berlin' });
    const due = pushText(berlin, server({}), outputOf({ columns: 80, isColoured: false }));
    assert.match(due, /a heartbeat is due by the schedule 0 3 \* \* \* \(Europe\/Berlin\)/);
  });
});
