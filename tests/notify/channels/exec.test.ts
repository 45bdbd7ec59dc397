/** A program that is given the event. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createDeliver, verifyChannel } from '../../../src/notify/channels/deliver.ts';
import { documentOf } from '../../../src/notify/channels/webhook.ts';
import { load } from '../../support/config.ts';
import { probeContext } from '../../support/probing.ts';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { realClock } from '../../support/real-clock.ts';
import { plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const { signal } = new AbortController();

interface DeliverOptions {
  readonly clock?: Clock;
  readonly more?: string;
  readonly execDir?: string;
}

describe('a channel that runs a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-exec-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const program = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const deliver = async (
    command: string,
    { clock = new HeldClock(), more = '', execDir = folder }: DeliverOptions = {},
  ) => {
    const { config, redact } = await load(
      `[[channels]]\nname = "pager"\ntype = "exec"\ncommand = ${command}\n${more}`,
      { env: { TOKEN: 'cAnArY-of-the-command', STATUSD_EXEC_DIR: folder } },
    );
    const options = { ...probeContext({ redact, execDir }), clock };
    const channel = config.channels[0] ?? assert.fail();
    return {
      delivered: await createDeliver(options)(plainDown, channel, signal),
      verified: await verifyChannel(channel, options, signal),
    };
  };

  it('gives it the event on its input, its arguments, and nothing of its own environment', async () => {
    program('page', `cat > out.json; echo "$1 $STATUSD_CHANNEL $HOME" > out.txt`);
    const { delivered, verified } = await deliver('["page", "--loud"]');
    assert.deepEqual(delivered, { kind: 'sent', attempts: 1 });
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')), documentOf(plainDown));
    assert.equal(readFileSync(join(folder, 'out.txt'), 'utf8'), '--loud pager \n');
    assert.deepEqual(verified, { kind: 'sent' });
  });

  it('takes another status for a failure that may pass, with what the program says, secrets masked', async () => {
    program('refuse', 'echo "no route with $1" >&2; exit 3');
    const { delivered } = await deliver('["refuse", "${TOKEN}"]');
    assert.deepEqual(delivered, {
      kind: 'failed',
      attempts: 3,
      error: 'the plugin refuse ended with status 3: no route with ***',
      isPermanent: false,
      retryAfterMs: null,
    });
  });

  it('takes a program for good that reads nothing of its input', async () => {
    program('deaf', 'exit 0');
    assert.equal((await deliver('["deaf"]')).delivered.kind, 'sent');
  });

  it('ends a program that hangs, and does not try it again at once: it may have sent it', async () => {
    program('hang', 'sleep 60');
    const { delivered } = await deliver('["hang"]', {
      clock: realClock,
      more: 'timeout_secs = 1',
    });
    assert.ok(delivered.kind === 'failed' && delivered.attempts === 1 && delivered.mayBeReceived === true);
    assert.equal(delivered.error, 'the plugin hang did not finish within 1 s');
  });

  it('runs nothing outside of its folder, and says what is missing', async () => {
    const { delivered, verified } = await deliver('["gone"]');
    assert.ok(delivered.kind === 'failed' && verified?.kind === 'failed');
    assert.match(delivered.error, /^the plugin gone is not in .*: no such file$/);
    assert.equal(verified.error, delivered.error);
    await assert.rejects(deliver('["/bin/sh"]'), /must be a program in the folder of plugins/);
  });
});
