import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { silences } from '../../src/db/tables/silences.ts';
import { makeOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

let world: OperatorWorld;
before(async () => {
  world = makeOperatorWorld();
  await world.write(
    silences.add({ monitors: null, untilAt: Date.UTC(2100, 0, 1), reason: null, createdAt: 0 }),
  );
});
after(() => {
  world.remove();
});

describe('a command beside the daemon', () => {
  it('that only reads changes no file and makes none', async () => {
    const before = readdirSync(world.cwd);
    for (const args of [
      ['silence', 'list'],
      ['announce', 'list'],
      ['incidents'],
      ['outbox'],
      ['explain', 'api'],
    ]) {
      assert.equal((await world.run(...args)).code, 0, args.join(' '));
    }
    assert.deepEqual(readdirSync(world.cwd), before);
  });

  it('that changes something makes no database where there is none', async () => {
    const empty = makeOperatorWorld();
    for (const args of [
      ['silence', 'clear', '--all'],
      ['announce', 'clear', '--all'],
      ['annotate', '1', 'x'],
      ['outbox', 'retry'],
    ]) {
      assert.equal((await empty.run(...args)).code, 4, args.join(' '));
    }
    assert.deepEqual(readdirSync(empty.cwd), ['statusd.toml']);
    empty.remove();
  });

  it('reports on stderr what is damaged, and still answers', async () => {
    appendFileSync(join(world.cwd, 'statusd.db-log.1'), 'not a record');
    const { code, stdout, stderr } = await world.run('silence', 'list', '--json');
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { silences: unknown[] }).silences.length, 1);
    assert.match(stderr, /^statusd: warning: .*statusd\.db-log\.1.*\n$/);
  });

  it('does not take an empty file for a database: exit 4', async () => {
    truncateSync(join(world.cwd, 'statusd.db-log.1'), 0);
    appendFileSync(join(world.cwd, 'statusd.db'), '');
    for (const args of [
      ['silence', 'list'],
      ['silence', 'clear', '--all'],
      ['silence', 'all', '1m'],
    ]) {
      const { code, stdout } = await world.run(...args);
      assert.deepEqual([code, stdout], [4, ''], args.join(' '));
    }
  });
});
