import assert from 'node:assert/strict';
import { it } from 'node:test';
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
});
