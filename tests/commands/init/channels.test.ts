import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { InitCommand } from '../../../src/commands/init.ts';
import { offeredTypes } from '../../../src/commands/init/channel-types.ts';
import { channelsFrom } from '../../../src/commands/init/channels.ts';
import { configDocument } from '../../../src/commands/init/document.ts';
import { channelRows } from '../../../src/engine/config/rows/channels.ts';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { runHere } from '../../support/operator-world.ts';
import { load } from '../../support/config.ts';
import { startPty } from '../../support/pty.ts';

let folder = '';
let count = 0;
let topic = '';
let status = 200;
const taken: string[] = [];
const inbox = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    taken.push(body);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
});

const place = () => mkdtempSync(join(folder, `${count++}-`));

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-channels-'));
  inbox.listen(0, '127.0.0.1');
  await once(inbox, 'listening');
  topic = `http://127.0.0.1:${(inbox.address() as AddressInfo).port}/my-topic`;
});
after(() => {
  inbox.close();
  rmSync(folder, { recursive: true });
});

const usage = (message: RegExp, hint: RegExp) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, 'usage');
  assert.match((error as Error).message, message);
  assert.match((error as { hint?: string }).hint ?? '', hint);
  return true;
};

/** They need secrets alone. */
const noValue: readonly string[] =
  'slack discord webhook pushover teams pagerduty mattermost rocketchat googlechat'.split(' ');

describe('the types of channels', () => {
  it('that init offers are all in its help and in the completion', () => {
    const completed = InitCommand.complete['--channel'];
    assert.deepEqual(
      completed,
      offeredTypes.map((type) => (noValue.includes(type) ? type : `${type}=`)),
    );
    const details = InitCommand.usage.details ?? '';
    for (const type of offeredTypes) assert.match(details, new RegExp(`\`${type}(=[A-Z_]+)?\``));
  });

  it('are counted in a file without one', () => {
    const text = configDocument([]);
    const shown = text.match(/^# type = /gm) ?? [];
    const count = Number(/or one of (\d+) more types/.exec(text)?.[1]);
    assert.equal(count + shown.length, Object.keys(channelRows).length);
  });
});

describe('channelsFrom', () => {
  it('makes a channel of every type it offers that loads, with its secrets as variables', async () => {
    const address = 'https://chat.example.com/made-up';
    const values: Partial<Record<string, string>> = { telegram: '123456', freemobile: '12345678' };
    const wishes = offeredTypes.map((type) => {
      const hasNone = noValue.includes(type);
      return hasNone ? type : `${type}=${values[type] ?? address}`;
    });
    const channels = await channelsFrom(wishes);
    const secrets = channels.flatMap((channel) => channel.secrets);
    const env = Object.fromEntries(
      secrets.map(({ name, value }) => [name, value ?? (name.endsWith('URL') ? address : 'made-up')]),
    );
    const text = configDocument([], channels);
    const { config, warnings } = await load(text, { env });
    assert.deepEqual(
      warnings.map(({ subject }) => subject),
      ['monitors:'],
    );
    assert.deepEqual(
      config.channels.map(({ name, type }) => [name, type]),
      offeredTypes.map((type) => [type, type]),
    );
    assert.equal(text.includes('made-up'), true, 'the address of a gotify server is no secret');
    assert.doesNotMatch(text, /^(webhook_url|token|pass) = "(?!\$\{STATUSD_)/m);
  });

  it('names a second channel of a type and its variable by number', async () => {
    const channels = await channelsFrom(['ntfy=https://a.example/t', 'ntfy=https://b.example/t']);
    assert.deepEqual(
      channels.map(({ name, secrets }) => [name, ...secrets.map((secret) => secret.name)]),
      [
        ['ntfy', 'STATUSD_NTFY_URL'],
        ['ntfy-2', 'STATUSD_NTFY_2_URL'],
      ],
    );
  });

  it('leaves a secret that is not given to the environment', async () => {
    const [slack, telegram] = await channelsFrom(['slack', 'telegram=123456']);
    assert.deepEqual(
      slack?.secrets.map(({ name, value }) => [name, value]),
      [['STATUSD_SLACK_WEBHOOK_URL', null]],
    );
    assert.ok(telegram?.lines.includes('chat_id = "123456"'));
  });

  it('refuses an unknown channel, and names the missing setting', async () => {
    await assert.rejects(channelsFrom(['ntfi=x']), usage(/no channel type 'ntfi'/, /Did you mean ntfy/));
    await assert.rejects(channelsFrom(['']), usage(/no channel type ''/, /It is one of: ntfy, slack/));
    await assert.rejects(channelsFrom(['email=a@example.com']), usage(/of type email/, /several settings/));
    await assert.rejects(
      channelsFrom(['telegram']),
      usage(/needs its chat_id/, /--channel telegram=CHAT_ID/),
    );
    await assert.rejects(channelsFrom(['pushover=x']), usage(/takes no value/, /statusd\.env/));
    await assert.rejects(channelsFrom(['ntfy=my-topic']), usage(/--channel ntfy: url /, /./));
  });
});

describe('init --channel', { concurrency: 2 }, () => {
  it('writes the channel, keeps its secret in statusd.env, and asks nothing without a terminal', async () => {
    const cwd = place();
    const before = taken.length;
    const { code, stdout, stderr } = await runHere(['init', '--channel', `ntfy=${topic}`], { cwd });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Wrote statusd.toml with examples and 1 channel\./);
    assert.match(stdout, /statusd test-alert/);
    assert.doesNotMatch(stdout + stderr, /my-topic|\[Y\/n\]|NAME=value/);
    const file = join(cwd, 'statusd.toml');
    assert.doesNotMatch(readFileSync(file, 'utf8'), /my-topic/);
    assert.equal(readFileSync(join(cwd, 'statusd.env'), 'utf8'), `STATUSD_NTFY_URL=${topic}\n`);
    assert.equal(statSync(join(cwd, 'statusd.env')).mode & 0o777, 0o600);
    const { config, warnings } = await loadConfig(file, { env: {}, readFile: readSmallFile });
    assert.deepEqual([config.channels.length, warnings.length], [1, 1]);
    assert.equal(taken.length, before);
  });

  it('names the variables that have no value yet', async () => {
    const telegram = await runHere(['init', '--channel', 'telegram=123456'], { cwd: place() });
    assert.match(
      telegram.stdout,
      /Put into statusd\.env beside it, each as NAME=value:\n {2}STATUSD_TELEGRAM_TOKEN\n/,
    );
    const slack = await runHere(['init', '--out', '-', '--channel', 'slack'], { cwd: place() });
    assert.match(slack.stderr, /\n {2}STATUSD_SLACK_WEBHOOK_URL\n/);
  });

  it('takes no secret as a value, and does not repeat it', async () => {
    for (const type of ['slack', 'discord', 'webhook']) {
      const cwd = place();
      const { code, stdout, stderr } = await runHere(
        ['init', '--channel', `${type}=https://hooks.example.com/x`],
        { cwd },
      );
      assert.equal(code, 2);
      assert.match(stderr, /takes no value/);
      assert.doesNotMatch(stdout + stderr, /hooks\.example/);
      assert.ok(!existsSync(join(cwd, 'statusd.toml')));
    }
  });

  it('writes nothing where statusd.env is there already, unless forced; other variables stay', async () => {
    const cwd = place();
    writeFileSync(join(cwd, 'statusd.env'), 'OTHER=1\n');
    const args = ['init', '--channel', `ntfy=${topic}`];
    const refused = await runHere(args, { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /statusd\.env exists already/);
    assert.ok(!existsSync(join(cwd, 'statusd.toml')));
    assert.equal((await runHere([...args, '--force'], { cwd })).code, 0);
    assert.equal(readFileSync(join(cwd, 'statusd.env'), 'utf8'), `OTHER=1\nSTATUSD_NTFY_URL=${topic}\n`);
  });

  it('refuses --test where there is nothing to test, or JSON to print', async () => {
    for (const args of [['--test'], ['--test', '--json', '--channel', 'slack']]) {
      const { code, stderr } = await runHere(['init', ...args], { cwd: place() });
      assert.equal(code, 2);
      assert.match(stderr, /--test needs a channel and a file/);
    }
  });
});

describe('the test that init offers', () => {
  it('is sent with --test, and its failure is the exit code', async () => {
    taken.length = 0;
    const args = ['init', '--test', '--channel', `ntfy=${topic}`];
    const good = await runHere(args, { cwd: place() });
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /\nok +ntfy +ntfy\n$/);
    assert.equal(taken.length, 2);
    status = 403;
    const bad = await runHere(args, { cwd: place() });
    status = 200;
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /\nfailed +ntfy +ntfy/);
  });

  it('is offered on a terminal, and sent only to who agrees', async () => {
    for (const [answer, count] of [
      ['\r', 2],
      ['n\r', 0],
      ['\u0004', 0],
    ] as const) {
      taken.length = 0;
      const pty = startPty(['init', '--channel', `ntfy=${topic}`], { cwd: place(), columns: 100, rows: 24 });
      await pty.until(() => pty.raw().includes('now? [Y/n]'), 'the question');
      pty.type(answer);
      await pty.ended;
      assert.match(pty.raw(), /exit:0 stty:same/);
      assert.equal(taken.length, count, JSON.stringify(answer));
    }
  });
});
