import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';
import { startSmtp, type SmtpReceiver } from '../../support/smtp-receiver.ts';
import { httpTypes, recipes } from '../../support/vendor-world.ts';
import { startVendor, type Vendor } from '../../support/vendor-server.ts';

let world: OperatorWorld;
let smtp: SmtpReceiver;
const vendors = new Map<string, Vendor>();
const vendor = (type: string): Vendor => {
  const found = vendors.get(type);
  assert.ok(found);
  return found;
};

before(async () => {
  world = makeOperatorWorld();
  smtp = await startSmtp();
  const tables = await Promise.all(
    httpTypes.map(async (type) => {
      const started = await startVendor(recipes[type].rules);
      vendors.set(type, started);
      return `[[channels]]\nname = "${type}"\ntype = "${type}"\n${recipes[type].toml(started.origin)}\n`;
    }),
  );
  const mail = `host = "127.0.0.1"\nport = ${smtp.port}\nfrom = "a@example.com"\nto = "b@example.com"`;
  const toml = `
${tables.join('\n')}
[[channels]]
name = "email"
type = "email"
${mail}

[[channels]]
name = "off"
type = "slack"
webhook_url = ""

[[monitors]]
id = "api"
name = "The API"
target = "http://127.0.0.1:1/"
notify = ["ntfy", "webhook", "off"]

[[monitors]]
id = "quiet"
target = "http://127.0.0.1:1/"
notify = []

[[monitors]]
id = "lost"
target = "http://127.0.0.1:1/"
notify = ["off"]
`;
  writeFileSync(join(world.cwd, 'all.toml'), toml);
});
after(async () => {
  await Promise.all([...vendors.values()].map((each) => each.close()));
  await smtp.close();
  world.remove();
});
afterEach(() => {
  for (const each of vendors.values()) each.forget();
});

const run = (...args: readonly string[]) => world.run('test-alert', '-c', 'all.toml', ...args);
const refusal = (body: string) => ({ kind: 'answer', answer: { status: 401, body } }) as const;

describe('statusd test-alert', () => {
  it('fails where a mail server refuses one of the recipients, and names that one', async () => {
    const refusing = await startSmtp({ refused: new Map([['gone@example.com', '550 5.1.1 No such user']]) });
    const mail = `host = "127.0.0.1"\nport = ${refusing.port}\nfrom = "a@example.com"\nto = ["b@example.com", "gone@example.com"]`;
    writeFileSync(join(world.cwd, 'some.toml'), `[[channels]]\nname = "mail"\ntype = "email"\n${mail}\n`);
    const { code, stdout, stderr } = await world.run('test-alert', '-c', 'some.toml');
    assert.equal(code, 1);
    assert.match(stdout + stderr, /refused gone@example\.com: 550 5\.1\.1 No such user/);
    await refusing.close();
  });

  it('sends a labelled down and a labelled recovered through every channel', async () => {
    const { code, stdout, stderr } = await run();
    const names = [...httpTypes, 'email'];
    assert.deepEqual(
      stdout.trimEnd().split('\n'),
      names.map((name) => `ok      ${name.padEnd(13)}  ${name}`),
    );
    assert.equal(stderr, 'statusd: warning: channel off is disabled: its slack webhook_url is empty\n');
    assert.equal(code, 0);
    for (const type of httpTypes.filter((each) => each !== 'webhook')) {
      const texts = vendor(type).notified.map(({ title, text }) => `${title ?? ''} ${text}`);
      assert.equal(texts.length, 2, type);
      assert.match(texts[0] ?? '', /TEST: .*\bdown\b/, type);
      // What opened an alert ends it by the key of that.
      assert.match(texts[1] ?? '', /TEST: .*\b(?:up|recovered)\b|^resolve test\./, type);
      for (const text of texts.filter((each) => !each.startsWith('resolve test.')))
        assert.match(text, /This is a test/, type);
    }
    const events = vendor('webhook').requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    assert.deepEqual(
      events.map(({ event, simulates }) => [event, simulates]),
      [
        ['test', 'down'],
        ['test', 'recovered'],
      ],
    );
    assert.equal(smtp.mails.length, 2);
  });

  it('sends again what a channel took before: a test has a name of its own each time', async () => {
    await run();
    await run();
    assert.equal(vendor('matrix').notified.length, 4);
  });

  it('sends through exactly the channels of a monitor, under its name', async () => {
    const { code, stdout } = await run('api');
    assert.equal(code, 0);
    assert.equal(stdout, 'ok      ntfy     ntfy\nok      webhook  webhook\n');
    assert.deepEqual(
      [...vendors].filter(([, { requests }]) => requests.length > 0).map(([type]) => type),
      ['ntfy', 'webhook'],
    );
    assert.match(vendor('ntfy').notified[0]?.title ?? '', /TEST: The API/);
  });

  it('says why a channel failed, without a secret, and ends with 1; the others are notified', async () => {
    vendor('ntfy').misbehave(refusal('no: cAnArY-ntfy-7f3d9b21c4e8'));
    const { code, stdout } = await run('api');
    assert.equal(code, 1);
    assert.equal(
      stdout,
      'failed  ntfy     ntfy, down: ntfy answered 401: no: ***; check the token\nok      webhook  webhook\n',
    );
    assert.equal(vendor('webhook').notified.length, 2);
  });

  it('lets no secret out, whichever channel fails', async () => {
    for (const type of httpTypes) vendor(type).misbehave(refusal(recipes[type].toml('http://x')));
    const { stdout, stderr } = await run();
    assert.equal(stdout.match(/^failed/gm)?.length, httpTypes.length);
    assert.doesNotMatch(stdout + stderr, /cAnArY/);
    for (const type of httpTypes) vendor(type).misbehave(refusal(recipes[type].toml('http://x')));
    assert.doesNotMatch((await run('--json')).stdout, /cAnArY/);
  });

  it('says which of the two messages was not taken', async () => {
    const [fault] = [{ kind: 'answer', answer: { status: 200, body: 'ok' } } as const];
    vendor('webhook').misbehave(fault, refusal(''));
    const { stdout } = await run('api', '-q');
    assert.match(stdout, /^failed {2}webhook {2}webhook, recovered: .* answered 401/);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
  });

  it('answers with --json', async () => {
    vendor('webhook').misbehave(refusal(''));
    const { code, stdout } = await run('api', '--json');
    assert.equal(code, 1);
    const { channels, ...rest } = JSON.parse(stdout) as { channels: Record<string, unknown>[] };
    assert.deepEqual(rest, {
      ok: false,
      monitor: 'api',
      disabled: [{ name: 'off', type: 'slack', empty: 'webhook_url' }],
    });
    assert.deepEqual(channels[0], {
      name: 'ntfy',
      type: 'ntfy',
      ok: true,
      failed_event: null,
      error: null,
      attempts: 2,
    });
    assert.equal(channels[1]?.['failed_event'], 'down');
  });

  it('knows no monitor of that name (exit 5)', async () => {
    const { code, stderr } = await run('apo');
    assert.equal(code, 5);
    assert.match(stderr, /there is no monitor 'apo'\n {2}Did you mean api\?/);
  });

  it('says why nobody is notified, and ends with 1', async () => {
    const said = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [1, '']);
      return stderr;
    };
    assert.equal(await said('quiet'), 'statusd: nobody is notified about quiet: its notify is empty\n');
    assert.equal(
      await said('lost'),
      'statusd: warning: channel off is disabled: its slack webhook_url is empty\n' +
        'statusd: nobody is notified about lost: its channels are disabled; give the secret that is missing\n',
    );
    writeFileSync(join(world.cwd, 'none.toml'), '[[monitors]]\nid = "a"\ntarget = "http://127.0.0.1:1/"\n');
    const { code, stderr } = await world.run('test-alert', '-c', 'none.toml');
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'statusd: nobody is notified: the configuration has no [[channels]]\n  Add one, then try again.\n',
    );
  });
});
