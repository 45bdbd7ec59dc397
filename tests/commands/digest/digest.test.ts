import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import type { Status } from '../../../src/engine/core/status.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
  const toml = `
[server]
database_path = "statusd.db"
auth_token = "cAnArY-the-token-of-the-tests"

[digest]
schedule = "0 8 * * 1"
notify = ["ops", "off"]

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/ops"

[[channels]]
name = "other"
type = "webhook"
url = "http://127.0.0.1:1/other"

[[channels]]
name = "off"
type = "webhook"
url = ""

[[monitors]]
id = "db"
target = "http://127.0.0.1:1/"

[[monitors]]
id = "api"
name = "The API"
target = "http://127.0.0.1:1/"
slo_uptime = 99.9

[[monitors]]
id = "leak"
name = "cAnArY-the-token-of-the-tests"
target = "http://127.0.0.1:1/"
`;
  writeFileSync(join(world.cwd, 'weekly.toml'), toml);
});
after(() => {
  world.remove();
});

const hourMs = 3_600_000;
const nowAt = Date.now();
const digest = (...args: readonly string[]) => world.run('digest', '-c', 'weekly.toml', ...args);
const sample = (at: number, status: Status, holdSecs: number): Operation =>
  samples.add({
    monitor: 'api',
    at,
    status,
    holdSecs,
    latencyMs: null,
    isHeartbeat: false,
    category: null,
    message: null,
  });
const decision = (reason: string, verdict: 'told' | 'spared', event = 'down') =>
  decisions.log({
    at: nowAt - hourMs,
    monitor: 'api',
    incident: null,
    channel: 'ops',
    event,
    verdict,
    reason,
    detail: null,
  });

describe('statusd digest', () => {
  it('needs a database (exit 4) and a configuration (exit 3)', async () => {
    assert.equal((await digest()).code, 4);
    assert.equal((await world.run('digest', '-c', 'none.toml')).code, 3);
  });

  it('prints the text of the last seven days, those with trouble first', async () => {
    await world.write(
      ...['db', 'api', 'leak'].map((id) => monitors.see({ id, name: id, at: nowAt - 24 * hourMs })),
      // Well for two hours but for six minutes: 95 %.
      sample(nowAt - 3 * hourMs, 'up', 3600),
      sample(nowAt - 2 * hourMs, 'up', 3240),
      sample(nowAt - 2 * hourMs + 3_240_000, 'down', 360),
      sample(nowAt - hourMs, 'unknown', 0),
      incidents.open({
        uid: 'one',
        monitor: 'api',
        name: 'The API',
        startedAt: nowAt - hourMs,
        confirmedAt: nowAt - hourMs,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      decision('sent', 'told'),
      decision('sent', 'told', 'reminder'),
      decision('sent', 'told', 'recovered'),
      decision('late', 'told', 'recovered'),
      decision('flap', 'spared'),
      decision('flap', 'spared'),
      decision('folded', 'spared'),
    );
    const { code, stdout, stderr } = await digest();
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    assert.equal(stderr, '');
    assert.deepEqual(stdout.split('\n'), [
      `Digest: ${day(nowAt - 7 * 24 * hourMs)} to ${day(nowAt)}`,
      '3 monitors: 95.00% uptime, 1 incident, 1 down now. 2 alerts sent, 2 suppressed: 1 flap absorbed, 1 folded into its cause',
      'The API: 95.00% uptime, seen 1.19% of the time, 1 incident, down now, 37m 12s of 43m 12s error budget left',
      'db: no data, no incidents',
      '***: no data, no incidents',
      '',
    ]);
    assert.equal(code, 0);
  });

  it('says with --json when it is sent, and through which channels that can be used', async () => {
    const { stdout } = await digest('--json');
    const { lines, title, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
    assert.match(String(title), /^Digest: /);
    assert.equal((lines as string[]).length, 4);
    assert.deepEqual(rest['channels'], ['ops']);
    assert.deepEqual(Object.keys(rest), ['from', 'to', 'next_at', 'channels']);
    const nextAt = new Date(String(rest['next_at']));
    assert.ok(nextAt.getTime() > nowAt && nextAt.getUTCDay() === 1 && nextAt.getUTCHours() === 8);
  });

  it('sends nothing and remembers nothing', async () => {
    await digest();
    const left = await world.read((sql) => [outbox.due(sql, Infinity, 10), meta.digestSlot(sql)]);
    assert.deepEqual(left, [[], null]);
  });

  it('says so when the configuration never sends it', async () => {
    const { code, stdout, stderr } = await world.run('digest');
    assert.equal(code, 0);
    assert.match(stdout, /^Digest: /);
    assert.equal(stderr, 'statusd: it is never sent: the configuration has no [digest]\n');
    assert.equal((await world.run('digest', '-q')).stderr, '');
    const { channels, next_at } = (await world.json('digest')) as Record<string, unknown>;
    assert.deepEqual({ channels, next_at }, { channels: [], next_at: null });
  });
});
