/** What doctor says of the nodes that share a database: real daemons and a real PostgreSQL. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { runHere } from '../../support/operator-world.ts';
import { type Daemon, startDaemon } from '../../support/daemon.ts';
import { startHttp, type Target } from '../../support/http-target.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const token = 'of-the-nodes';

describe('what doctor says of nodes', { skip: skipWithoutPostgres }, () => {
  const folder = makeFolder();
  const daemons: Daemon[] = [];
  const targets: Target[] = [];
  let postgres: Postgres;
  let url = '';
  let db: pg.Client;

  const configure = (id: string, { nodeToken = token, probe = true, more = '' } = {}) => {
    const file = folder.at(`${id}.toml`);
    const text = `
[server]
bind = "127.0.0.1:0"
[storage]
url = "${url}"
[node]
id = "${id}"
token = "${nodeToken}"
probe = ${probe}
[[monitors]]
id = "job"
kind = "push"
push_token = "the-token-of-the-tests"
${more}`;
    writeFileSync(file, text);
    return file;
  };
  const start = async (id: string, how: Parameters<typeof configure>[1] = {}) => {
    const daemon = await startDaemon(folder.path, { env: { STATUSD_CONFIG: configure(id, how) } });
    daemons.push(daemon);
    return daemon;
  };
  /** Of the nodes alone. */
  const doctor = async (how: Parameters<typeof configure>[1] = {}) => {
    const { code, stdout } = await runHere(['doctor', '--json', '-c', configure('here', how)], {
      cwd: folder.path,
    });
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly {
        readonly check: string;
        readonly verdict: string;
        readonly message: string;
        readonly cure: string | null;
      }[];
    };
    const found = checks.filter(({ check }) => check === 'nodes');
    for (const { verdict, cure } of found) assert.equal(cure === null, verdict === 'ok');
    return { code, said: found.map(({ verdict, message }) => `${verdict}: ${message}`) };
  };
  /** A node that said in the database that it is there. */
  const add = (id: string, at: string, version: string | null = null) =>
    db.query(
      `INSERT INTO statusd.node (id, url, version, config, is_probing, seen)
       SELECT $1, $2, coalesce($3, version), config, true, clock_timestamp() + interval '1 hour'
       FROM statusd.node WHERE id = 'a'`,
      [id, at, version],
    );
  const remove = (...ids: readonly string[]) =>
    db.query('DELETE FROM statusd.node WHERE id = ANY($1)', [ids]);
  /** What is no daemon, but answers at the address of one. */
  const impostor = async (status: number, text: () => string) => {
    const target = await startHttp((_, response) => response.writeHead(status).end(text()));
    targets.push(target);
    return target.origin;
  };

  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    await (await start('a')).says('node.leads');
    await (await start('b', { probe: false })).says('node.standby');
    db = new pg.Client({ connectionString: url });
    await db.connect();
  });
  after(async () => {
    await Promise.all(daemons.map((daemon) => daemon.end('SIGKILL')));
    await Promise.all(targets.map((target) => target.close()));
    await db.end();
    await postgres.stop();
    folder.remove();
  });

  it('is that each answers and takes the token', async () => {
    const { code, said } = await doctor();
    assert.equal(code, 0);
    assert.equal(said.length, 2);
    assert.match(said[0] ?? '', /^ok: a answers in [\d.]+ ms, accepts the token$/);
    assert.match(said[1] ?? '', /^ok: b answers in [\d.]+ ms, accepts the token, makes no checks/);
  });

  it('is nothing without a token, or where the database cannot be reached', async () => {
    assert.deepEqual((await doctor({ nodeToken: '' })).said, []);
    const file = folder.at('away.toml');
    writeFileSync(
      file,
      `[storage]\nurl = "postgres:///x?host=${encodeURIComponent(folder.path)}"\n[node]\ntoken = "t"\n`,
    );
    const { stdout } = await runHere(['doctor', '--json', '-c', file], { cwd: folder.path });
    assert.doesNotMatch(stdout, /"nodes"/);
  });

  it('is a failure where they do not accept the token', async () => {
    const { code, said } = await doctor({ nodeToken: 'another' });
    assert.equal(code, 1);
    assert.deepEqual(
      said,
      ['a', 'b'].map((id) => `fail: ${id} does not accept the token: other nodes make its checks`),
    );
  });

  it('is a warning where they have another configuration, or lack a node that a monitor names', async () => {
    const more = '[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1:1/"\nnodes = ["a", "oslo"]\n';
    const { code, said } = await doctor({ more });
    assert.equal(code, 0);
    assert.deepEqual(said, [
      ...['a', 'b'].map(
        (id) => `warn: ${id} runs on another configuration than this one: other nodes make its checks`,
      ),
      'warn: oslo is not running, and 1 monitor names it in nodes',
    ]);
  });

  it('is a failure where nothing, or something else, answers at the address of one', async () => {
    const { url: address } = daemons[0] ?? { url: '' };
    const origin = address.replace(/\/$/, '');
    await add('gone', 'http://127.0.0.1:1');
    await add('proxied', origin);
    await add('page', await impostor(200, () => '<html>'));
    await add('broken', await impostor(503, () => '{}'));
    try {
      const { code, said } = await doctor();
      assert.equal(code, 1);
      const of = (what: string) => said.filter((line) => line.includes(what) && line.startsWith('fail'));
      assert.match(of('gone ')[0] ?? '', /^fail: gone cannot be reached at http:\/\/127\.0\.0\.1:1: /);
      assert.deepEqual(of('proxied'), [`fail: a answers at ${origin}, the address that proxied gave`]);
      assert.match(of('page')[0] ?? '', /is no node that shares a database, where page should be$/);
      assert.match(of('broken')[0] ?? '', /^fail: broken answers with status 503 at /);
      assert.equal(of('').length, 4);
    } finally {
      await remove('gone', 'proxied', 'page', 'broken');
    }
  });

  it('is of its version and its clock', async () => {
    const clock = (node: string, aheadMs: number) =>
      impostor(200, () => JSON.stringify({ node, at: Date.now() + aheadMs, findings: [] }));
    await add('old', await impostor(409, () => '{}'), '0.0.1');
    await add('slow', await clock('slow', -60_000));
    await add('lost', await clock('lost', 3_600_000));
    try {
      const { code, said } = await doctor();
      assert.equal(code, 1);
      const of = (what: string) =>
        said.filter((line) => line.includes(` ${what} `) && !line.startsWith('ok'));
      assert.match(of('old')[0] ?? '', /^warn: old runs statusd 0\.0\.1, and this is /);
      assert.match(of('slow')[0] ?? '', /^warn: the clock of slow is (?:59s|1m) behind that of this host$/);
      assert.match(
        of('lost')[0] ?? '',
        /^fail: the clock of lost is .* ahead of .*other nodes make its checks$/,
      );
    } finally {
      await remove('old', 'slow', 'lost');
    }
  });
});
