import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restartNeeded } from '../../../src/commands/serve/restart-needed.ts';
import { load } from '../../support/config.ts';

const config = async (server: string) => (await load(`[server]\n${server}`)).config;

it('names the settings that are read once, and no other', async () => {
  const before = await config('');
  const after = await config(
    'bind = "127.0.0.1:9000"\ndatabase_path = "other.db"\nrate_limit_burst = 5\nrate_limit_refill_secs = 2\nauth_token = "t0ken-of-a-test"',
  );
  assert.deepEqual(restartNeeded(before, after), [
    'server.bind',
    'server.database_path',
    'server.rate_limit_burst',
    'server.rate_limit_refill_secs',
  ]);
  assert.deepEqual(restartNeeded(before, await config('auth_token = "t0ken-of-a-test"')), []);
  const shared = await config('[storage]\nurl = "postgres://db/statusd"\n[node]\nid = "paris"');
  assert.deepEqual(restartNeeded(before, shared), ['storage', 'node']);
  assert.deepEqual(restartNeeded(shared, shared), []);
  const looking = '[storage]\nurl = "postgres://db/statusd"\n[node]\nid = "paris"\nprobe = false';
  assert.deepEqual(restartNeeded(shared, await config(looking)), [], 'what a node checks follows the file');
});

describe('the URL of a shared database', () => {
  const at = async (url: string) => (await load(`[storage]\nurl = "${url}"`)).config;
  const waits = async (from: string, to: string) => restartNeeded(await at(from), await at(to));

  it('may have another user, password and way to be trusted without a restart', async () => {
    const old = 'postgres://me:old@db.example.com/statusd';
    for (const url of [
      'postgres://me:new@db.example.com/statusd',
      'postgresql://you:new@db.example.com:5432/statusd?sslmode=verify-full&sslrootcert=/ca.pem',
    ])
      assert.deepEqual(await waits(old, url), [], url);
    const socket = 'postgres://me:old@/statusd?host=%2Frun%2Fpostgresql';
    assert.deepEqual(await waits(socket, socket.replace('old', 'new')), []);
  });

  it('leads to another server or database after a restart', async () => {
    const old = 'postgres://me:old@db.example.com/statusd';
    for (const url of [
      'postgres://me:old@other.example.com/statusd',
      'postgres://me:old@db.example.com:6432/statusd',
      'postgres://me:old@db.example.com/other',
      'postgres://me:old@/statusd?host=%2Frun%2Fpostgresql',
      'postgres://me:old@db.example.com/statusd?host=other.example.com',
    ])
      assert.deepEqual(await waits(old, url), ['storage'], url);
  });
});
