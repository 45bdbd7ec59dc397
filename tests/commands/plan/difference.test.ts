import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeText, differenceOf, isEmpty } from '../../../src/commands/plan/difference.ts';
import { configFingerprint, isHidden } from '../../../src/commands/plan/fingerprint.ts';
import { load } from '../../support/config.ts';

const base = `
[server]
auth_token = "operator-4711"
[[channels]]
name = "ops"
type = "webhook"
url = "https://hooks.example.org/services/T0000/abcdefghijklmnop4711"
[[monitors]]
id = "web"
target = "https://user:login-4711@a.example/?token=query-4711"
headers = { X-Api-Key = "header-4711", Accept = "text/html" }
[[monitors]]
id = "job"
kind = "push"
push_token = "push-4711"
[[monitors]]
id = "__proto__"
kind = "tcp"
target = "a.example:1"
`;
const salt = '0011';
const fingerprint = async (toml: string, withSalt = salt) => {
  const { config, redact } = await load(toml);
  return configFingerprint(config, { redact, salt: withSalt });
};
const difference = async (after: string, before = base) =>
  differenceOf(await fingerprint(before), await fingerprint(after));

describe('the imprint of a configuration', () => {
  it('holds no secret, not even as a plain digest', async () => {
    const text = JSON.stringify(await fingerprint(base));
    assert.doesNotMatch(text, /4711|T0000/);
    assert.notEqual(text, JSON.stringify(await fingerprint(base, '0022')));
  });

  it('is the same for the same configuration, whatever its ids', async () => {
    const same = await difference(base);
    assert.ok(isEmpty(same));
    assert.equal(same.unchanged, 3);
  });

  it('limits the recorded length of a setting, and still detects a change', async () => {
    const long = (end: string) =>
      `[[monitors]]\nid = "a"\ntarget = "http://a.example/"\nmethod = "POST"\nbody = "${'x'.repeat(5000)}${end}"`;
    assert.ok(JSON.stringify(await fingerprint(long('a'))).length < 3000);
    const { restarted } = await difference(long('b'), long('a'));
    assert.deepEqual(
      restarted.map(({ id, changes }) => [id, changes.map(({ key }) => key)]),
      [['a', ['body']]],
    );
  });
});

describe('the difference of two configurations', () => {
  it('names what starts, stops and goes on otherwise', async () => {
    const after = base.replace('id = "job"', 'id = "task"').replace('a.example:1', 'a.example:2');
    const { started, stopped, restarted, unchanged } = await difference(after);
    assert.deepEqual([started, stopped, unchanged], [['task'], ['job'], 1]);
    assert.deepEqual(restarted, [
      { id: '__proto__', changes: [{ key: 'target', before: 'a.example:1', after: 'a.example:2' }] },
    ]);
  });

  for (const [secret, key] of [
    ['push-4711', 'push_token'],
    ['header-4711', 'headers'],
    ['query-4711', 'target'],
    ['login-4711', 'target'],
  ] as const) {
    it(`sees that ${key} has another secret, and shows neither`, async () => {
      const { restarted } = await difference(base.replace(secret, 'another-0815'));
      const changes = restarted.flatMap((altered) => altered.changes);
      assert.deepEqual(
        changes.map((change) => change.key),
        [key],
      );
      const notified = changes.map((change) => changeText(change, '->')).join();
      assert.match(notified, /changed|->/);
      assert.doesNotMatch(notified + JSON.stringify(changes), /4711|0815/);
    });
  }

  it('shows spans and instants of rotations and maintenance as a file has them', async () => {
    const tables = (every: string, duration: string) => `${base}
[[rotations]]
name = "primary"
members = ["ops"]
every = "${every}"
from = "2026-06-01T09:00:00+02:00"
[[maintenance]]
schedule = "0 3 * * 0"
start = "2026-06-08T00:00:00Z"
duration = "${duration}"
`;
    const { settings } = await difference(tables('36h', '2h'), tables('7d', '90m'));
    const [rotation = '', maintenance = ''] = settings.map((change) => changeText(change, '->'));
    assert.match(
      rotation,
      /"every":"7d","from":"2026-06-01T07:00:00Z",.* -> .*"every":"1d12h","from":"2026-06-01T07:00:00Z"/,
    );
    assert.match(maintenance, /"start":"2026-06-08T00:00:00Z",.*"duration":"1h30m",.* -> .*"duration":"2h",/);
  });

  it('keeps apart what a reload cannot change', async () => {
    const server = 'bind = "127.0.0.1:9"\nrate_limit_burst = 3\nbase_url = "https://s.example"';
    const { settings, waiting } = await difference(base.replace('[server]', `[server]\n${server}`));
    assert.deepEqual(
      waiting.map(({ key }) => key),
      ['server.bind', 'server.rate_limit_burst'],
    );
    assert.deepEqual(settings, [{ key: 'server.base_url', before: null, after: 'https://s.example' }]);
  });

  it('keeps apart that a node or the database it shares is another one', async () => {
    const shared = '[storage]\nurl = "postgres://statusd:word-4711@db.example/statusd"\n';
    const node = '[node]\nid = "paris"\ntoken = "node-4711"\n';
    const keysOf = async (after: string, before: string) => {
      const { settings, waiting } = await difference(`${after}${base}`, `${before}${base}`);
      assert.doesNotMatch(JSON.stringify(waiting.map((change) => changeText(change, '->'))), /4711|0815/);
      return [settings, waiting.map(({ key }) => key)];
    };
    assert.deepEqual(await keysOf(shared + node, shared + node), [[], []]);
    assert.deepEqual(await keysOf(shared.replace('db.example', 'db2.example') + node, shared + node), [
      [],
      ['storage.url'],
    ]);
    const settings = ['storage.url', 'storage.schema', 'storage.lease_secs', 'storage.history_hours'];
    assert.deepEqual(await keysOf(node, shared + node), [[], settings]);
    assert.deepEqual(await keysOf(shared + node.replace('node-4711', 'node-0815'), shared + node), [
      [],
      ['node.token'],
    ]);
    assert.deepEqual(await keysOf(`${shared}lease_secs = 30\n${node}`, shared), [
      [],
      ['storage.lease_secs', 'node.id', 'node.token'],
    ]);
  });

  it('knows that a reload takes another login of the same database', async () => {
    const shared = (login: string) => `[storage]\nurl = "postgres://${login}@db.example/statusd"\n${base}`;
    const before = shared('statusd:word-4711');
    const { settings, waiting } = await difference(shared('operator:word-0815'), before);
    assert.deepEqual(
      settings.map(({ key }) => key),
      ['storage.url'],
    );
    assert.doesNotMatch(JSON.stringify(settings), /4711|0815/);
    assert.deepEqual(waiting, []);
    const earlier = await fingerprint(before);
    const { place, ...storage } = earlier.sections['storage'] ?? {};
    assert.ok(isHidden(place));
    const unsure = differenceOf(
      { ...earlier, sections: { ...earlier.sections, storage } },
      await fingerprint(shared('statusd:word-0815')),
    );
    assert.deepEqual([unsure.settings, unsure.waiting.map(({ key }) => key)], [[], ['storage.url']]);
  });

  it('says nothing of a section that an earlier version did not write down', async () => {
    const { sections, ...rest } = await fingerprint(base);
    const known = Object.fromEntries(
      Object.entries(sections).filter(([name]) => name !== 'storage' && name !== 'node'),
    );
    assert.ok(isEmpty(differenceOf({ ...rest, sections: known }, await fingerprint(base))));
  });

  it('lets a threshold of all monitors be seen at each of them', async () => {
    const { restarted, settings } = await difference(`[alerts]\nfail_threshold = 5\n${base}`);
    assert.deepEqual(
      restarted.map(({ id, changes }) => [id, changes.map(({ key }) => key)]),
      [
        ['web', ['fail_threshold']],
        ['job', ['grace_secs', 'fail_threshold']],
        ['__proto__', ['fail_threshold']],
      ],
    );
    assert.deepEqual(
      settings.map(({ key }) => key),
      ['alerts.fail_threshold'],
    );
  });

  it('shows a channel that is switched off by an empty secret', async () => {
    const { channels } = await difference(base.replace(/url = "https:.*"/, 'url = ""'));
    assert.deepEqual(
      channels.changed.map(({ id, changes }) => [id, changes.map(({ key }) => key)]),
      [['ops', ['url', 'switched_off_by']]],
    );
  });
});

describe('a change in words', () => {
  const text = (before: unknown, after: unknown) =>
    changeText({ key: 'k', before: before as never, after: after as never }, '->');

  it('shows values as the file has them, and that there is none', () => {
    assert.equal(text(null, 'a'), 'not set -> "a"');
    assert.equal(
      text(
        [
          { from: 200, to: 299 },
          { from: 404, to: 404 },
        ],
        null,
      ),
      '["200-299",404] -> not set',
    );
    assert.equal(text('\u001b[31mred', 'b'), '"\\u001b[31mred" -> "b"');
  });

  it('shows of a secret that it changed, came or went', () => {
    const secret = (hidden: string, shown: string | null = null) => ({ hidden, shown });
    assert.equal(text(secret('a'), secret('b')), 'changed');
    assert.equal(text(null, secret('b')), 'not set -> a secret');
    assert.equal(text(secret('a', 'x=***'), secret('b', 'x=***')), '"x=***", the secret in it changed');
  });
});
