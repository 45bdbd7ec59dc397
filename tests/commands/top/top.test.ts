import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Writable } from 'node:stream';
import { performTop, type TopRun } from '../../../src/commands/top/perform.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { assertGolden } from '../../support/golden.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeTopWorld, settledScreen, type TopWorld } from '../../support/top-world.ts';

let world: TopWorld;
before(async () => {
  world = await makeTopWorld();
});
after(() => {
  world.remove();
});

const plain: TopRun = {
  configFile: null,
  isJson: false,
  isQuiet: false,
  isColourRefused: false,
  url: null,
  tokenFile: null,
  interval: '5',
  isOnce: true,
  isPlain: false,
};

/** Runs without a terminal and answers what was printed. */
async function printed(given: Partial<TopRun>, env: Readonly<Record<string, string>> = {}): Promise<string> {
  let text = '';
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const code = await performTop(
    { ...plain, configFile: join(world.cwd, 'statusd.toml'), ...given },
    {
      stdin: process.stdin,
      stdout,
      stderr: stdout,
      colorDepth: 1,
      env: { LANG: 'C.UTF-8', ...env },
      cwd: world.cwd,
      clock: realClock,
      interrupt: new AbortController().signal,
      events: { onHangUp: () => undefined, onFault: () => undefined, onWarning: () => undefined },
    },
  );
  assert.equal(code, 0);
  return text;
}

async function refusedWith(
  given: Partial<TopRun>,
  env: Readonly<Record<string, string>> = {},
): Promise<StatusdError> {
  try {
    await printed(given, env);
  } catch (error) {
    if (error instanceof StatusdError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('statusd top without a terminal', () => {
  it('prints the table once', async () => {
    const text = settledScreen(await printed({}));
    assertGolden(new URL('golden/once.txt', import.meta.url), text);
    assert.equal(settledScreen(await printed({ isOnce: false })), text);
  });

  it('is as wide as $COLUMNS says, and ASCII where the locale is', async () => {
    const text = await printed({}, { COLUMNS: '60', LANG: 'C' });
    assert.ok(text.split('\n').every((line) => line.length <= 60));
    assert.match(text, /^ {2}x  Public API/m);
  });

  it('prints a line a monitor with --plain, and only what is wrong with --quiet', async () => {
    const text = await printed({ isPlain: true });
    assert.match(
      text,
      /^down: Public API \(api\), group Core, uptime 99.1%, p95 120 ms, the connection to 127.0.0.1:1 is refused$/m,
    );
    assert.match(text, /^channel ops is broken: 4 deliveries failed in a row/m);
    assert.match(text, /^NO DAEMON, checked .* ago\n/);
    const wrong = await printed({ isPlain: true, isQuiet: true });
    assert.match(wrong, /^NO DAEMON/);
    assert.doesNotMatch(wrong, /^up: /m);
  });

  it('prints the summary of the API with --json', async () => {
    const summary = JSON.parse(await printed({ isJson: true })) as Readonly<
      Record<string, readonly unknown[]>
    >;
    assert.equal(summary['monitors']?.length, 7);
    assert.equal(summary['channels']?.length, 2);
    assert.equal(summary['incidents']?.length, 1);
  });

  it('refuses an interval that is none', async () => {
    for (const interval of ['0', '5s', '-1', '3601', '']) {
      assert.equal((await refusedWith({ interval })).code, 'usage');
    }
  });

  it('refuses an address with a password in it, without repeating it', async () => {
    for (const url of ['ftp://example.com', 'example.com', 'http://user:hunter2@example.com']) {
      const error = await refusedWith({ url });
      assert.equal(error.code, 'usage');
      assert.doesNotMatch(`${error.message}${error.hint ?? ''}`, /hunter2/);
    }
  });

  it('refuses a token that no header can hold, without repeating it', async () => {
    writeFileSync(join(world.cwd, 'token'), 'hunter2\nhunter3\n');
    const url = 'http://127.0.0.1:1/';
    assert.doesNotMatch((await refusedWith({ url, tokenFile: join(world.cwd, 'token') })).message, /hunter/);
    assert.doesNotMatch((await refusedWith({ url }, { STATUSD_TOKEN: 'hunter2 3' })).message, /hunter/);
    assert.equal((await refusedWith({ url, tokenFile: join(world.cwd, 'missing') })).code, 'usage');
  });

  it('cannot show a server that is not there', async () => {
    assert.equal((await refusedWith({ url: 'http://127.0.0.1:1/' })).code, 'daemon_unreachable');
  });
});
