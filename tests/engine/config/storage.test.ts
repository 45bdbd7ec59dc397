import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, problemsOf } from '../../support/config.ts';

const monitor = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';

describe('[storage] and [node]', () => {
  it('are absent unless they are written: a file keeps everything', async () => {
    const { config } = await load(monitor);
    assert.equal(config.storage, null);
    assert.deepEqual(config.node, { id: null, url: null, token: null, probe: true });
  });

  it('name the database as a secret, and have defaults for the rest', async () => {
    const url = 'postgres://statusd:pa55word-of-the-test@db.example.com/statusd?sslmode=verify-full';
    const { config, redact } = await load(`${monitor}[storage]\nurl = "${url}"\n`);
    assert.equal(config.storage?.url.reveal(), url);
    assert.deepEqual(JSON.parse(JSON.stringify(config.storage)), {
      url: '[secret]',
      schema: 'statusd',
      lease_secs: 15,
      history_hours: 48,
    });
    assert.equal(redact(`cannot reach ${url}`), 'cannot reach ***');
  });

  it('have a token that is none when it is empty, and that a header can carry', async () => {
    const { config, redact } = await load(`${monitor}[node]\ntoken = "c0ffee-of-the-test"\n`);
    assert.equal(config.node.token?.reveal(), 'c0ffee-of-the-test');
    assert.equal(redact('Bearer c0ffee-of-the-test'), 'Bearer ***');
    assert.equal((await load(`${monitor}[node]\ntoken = ""\n`)).config.node.token, null);
    const [problem] = await problemsOf(`${monitor}[node]\ntoken = "two words"\n`);
    assert.match(problem?.message ?? '', /must be ASCII without blanks/);
    const [list] = await problemsOf(`${monitor}nodes = "paris"\n`);
    assert.match(list?.message ?? '', /must be an array of names of nodes, not a string/);
  });

  it('take the URL from a file of its own', async () => {
    const files = { '/run/secrets/db': 'postgres://statusd@db.example.com/statusd\n' };
    const { config } = await load(`${monitor}[storage]\nurl_file = "/run/secrets/db"\n`, { files });
    assert.equal(config.storage?.url.reveal(), 'postgres://statusd@db.example.com/statusd');
  });

  it('are without a token, or without a database, where the value is blanks', async () => {
    assert.equal((await load(`${monitor}[node]\ntoken = "  "\n`)).config.node.token, null);
    const [problem] = await problemsOf(`${monitor}[storage]\nurl = "  "\n`);
    assert.equal(problem?.message, 'must not be empty');
  });

  it('give way to variables, which are enough alone', async () => {
    const env = { STATUSD_STORAGE_URL: 'postgresql://db/other', STATUSD_NODE: 'rome' };
    const alone = (await load(monitor, { env })).config;
    assert.equal(alone.storage?.url.reveal(), 'postgresql://db/other');
    assert.equal(alone.node.id, 'rome');
    const beside = '[storage]\nurl_file = "/nowhere"\nlease_secs = 30\n[node]\nid = "paris"\n';
    const { config } = await load(monitor + beside, { env });
    assert.equal(config.storage?.url.reveal(), 'postgresql://db/other');
    assert.equal(config.storage.lease_secs, 30);
    assert.equal(config.node.id, 'rome');
  });

  it('may name a socket instead of a host', async () => {
    const url = 'postgres://statusd@/statusd?host=%2Frun%2Fpostgresql';
    const { config } = await load(`${monitor}[storage]\nurl = "${url}"\n`);
    assert.equal(config.storage?.url.reveal(), url);
  });

  const storage = '[storage]\nurl = "postgres://db/s"\n';
  const token = '[node]\ntoken = "c0ffee-of-the-test"\n';
  const away = `${monitor}nodes = ["paris"]\n`;
  for (const [toml, warned] of [
    [`${monitor}${storage}${token}probe = false\n`, []],
    [`${away}${storage}${token}`, []],
    [`${monitor}${storage}[node]\nid = "paris"\n`, []],
    [`${monitor}[node]\nid = "paris"\n`, ['node: does nothing without [storage]']],
    [`${monitor}${token}`, ['node: does nothing without [storage]']],
    [`${monitor}[node]\nprobe = false\n`, ['node: does nothing without [storage]']],
    [
      `${away}${monitor.replace('web', 'api')}`,
      ['monitor "web": nodes does nothing without [storage]: this daemon makes the checks'],
    ],
    [
      `${away}${storage}[node]\ntoken = ""\n`,
      [
        'monitor "web": nodes needs node.token: without it the monitor is checked only while one of these leads',
      ],
    ],
    [
      `${monitor}[storage]\nurl = "postgres://db/s?sslmode=require&sslrootcert=/ca.pem&options=-c%20a%3Db"\n`,
      [],
    ],
    [
      `${monitor}[storage]\nurl = "postgres://db/s?sslmod=verify-full&connect_timeout=3&%22x=1"\n`,
      ['storage.url: has parameters that do nothing: sslmod, connect_timeout'],
    ],
    [
      `${monitor}${storage}[node]\nprobe = false\n`,
      ['node.probe: does nothing without token: the node that leads makes all checks'],
    ],
  ] as const)
    it(`are warned of where they have no effect: ${JSON.stringify(toml.replace(monitor, ''))}`, async () => {
      const { warnings } = await load(toml);
      assert.deepEqual(
        warnings.map(({ subject, message }) => `${subject} ${message}`),
        warned,
      );
    });

  for (const [toml, message] of [
    ['[storage]\nschema = "x"', 'storage.url: is required'],
    ['[storage]\nurl = "mysql://db/statusd"', 'storage.url: must be a URL with postgres or postgresql'],
    ['[storage]\nurl = "postgres://db"', 'storage.url: must name a database'],
    ['[storage]\nurl = ""', 'storage.url: must not be empty'],
    [
      '[storage]\nurl = "postgres://db/s?sslmode=verify_full"',
      'storage.url: has an unknown sslmode: it must be disable, verify-full or no-verify',
    ],
    ['[storage]\nurl = "postgres://me@a:1,b:2/s"', 'storage.url: must name a single server'],
    ['[storage]\nurl = "postgres://me@a,b/s"', 'storage.url: must name a single server'],
    [
      '[storage]\nurl = "postgres://db/s"\nlease_secs = 4',
      'storage.lease_secs: must be an integer from 5 to 120',
    ],
    ['[node]\nurl = "10.0.0.5:8787"', 'node.url: must be a URL with http or https'],
  ] as const)
    it(`refuse ${toml.split('\n').join(' ')}`, async () => {
      const [problem] = await problemsOf(`${monitor}${toml}\n`);
      assert.ok(problem !== undefined);
      assert.equal(
        `${problem.subject} ${problem.message}`.startsWith(message),
        true,
        `${problem.subject} ${problem.message}`,
      );
    });
});
