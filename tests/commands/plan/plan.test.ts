import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { recordRunning } from '../../../src/commands/plan/record.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const at = Date.UTC(2026, 10, 21, 3, 0, 0);
const file = (name: string) => join(world.cwd, name);
const present = () => readFileSync(file('statusd.toml'), 'utf8');

/** Another configuration beside the one of the world. */
function other(change: (text: string) => string): string {
  writeFileSync(file('other.toml'), change(present()));
  return 'other.toml';
}

const withoutApi = (text: string) => text.replace(/\[\[monitors\]\]\nid = "api"[^[]*\[[^\]]*\]\n/, '');

interface Plan {
  readonly compared_with: { readonly kind: string; readonly since?: string; readonly pid?: number | null };
  readonly start: readonly { readonly id: string }[];
  readonly stop: readonly {
    readonly id: string;
    readonly open_incident: number | null;
    readonly undelivered: number;
  }[];
  readonly restart: readonly { readonly id: string }[];
  readonly unchanged: number;
}
const plan = async (...args: readonly string[]) => (await world.json('plan', ...args)) as Plan;

describe('statusd plan', () => {
  it('compares two files, also where there is no database', async () => {
    const { stop, start, restart, unchanged } = await plan(other(withoutApi));
    assert.deepEqual(
      [stop, start, restart, unchanged],
      [
        [{ id: 'api', open_incident: null, undelivered: 0, history_kept_days: 0, renamed_to: null }],
        [],
        [],
        2,
      ],
    );
  });

  it('needs a database without a file to compare with (exit 4)', async () => {
    assert.equal((await world.run('plan')).code, 4);
  });

  it('is no difference when the file says the same, wherever it lies', async () => {
    const { stdout } = await world.run(
      'plan',
      other((text) => text),
    );
    assert.equal(
      stdout,
      'other.toml, compared with statusd.toml:\n\nNothing would change: 3 monitors as before.\n',
    );
  });

  it('names every problem of a file that cannot be used, by its name (exit 3)', async () => {
    const broken = other((text) =>
      text.replace('kind = "tcp"', 'kind = "tpc"').replace('public = false', 'pubic = 1'),
    );
    const { code, stdout, stderr } = await world.run('plan', broken);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /other\.toml:\d+:\d+ {2}monitor "db": kind/);
    assert.match(stderr, /other\.toml:\d+:\d+ {2}monitor "intern": pubic/);
    assert.equal((await world.run('plan', 'none.toml')).code, 3);
  });

  it('says what a monitor that goes leaves behind', async () => {
    const opened = {
      uid: 'u1',
      monitor: 'api',
      name: 'The API',
      startedAt: at,
      confirmedAt: at,
      category: 'status',
      reason: 'x',
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    } as const;
    const message = {
      deliveryId: 'd1',
      channel: 'ops',
      event: 'down',
      monitor: 'api',
      incident: 'u1',
      payload: {},
      createdAt: at,
      nextAt: at,
    };
    await world.write(
      monitors.see({ id: 'api', name: 'The API', at }),
      incidents.open(opened),
      outbox.put(message),
    );
    const { stop } = await plan(other(withoutApi));
    assert.deepEqual(
      stop.map(({ id, open_incident: incident, undelivered }) => [id, incident, undelivered]),
      [['api', 1, 1]],
    );
  });

  it('knows only which monitors come and go of a daemon that wrote nothing down', async () => {
    const { compared_with: ground, start, unchanged } = await plan();
    assert.deepEqual([ground.kind, start.map(({ id }) => id), unchanged], ['monitors', ['db', 'intern'], 1]);
  });

  it('compares the file with what the daemon runs', async () => {
    const { config, redact } = await loadConfig(file('statusd.toml'), { env: {}, readFile: readSmallFile });
    const store = await world.openDaemon();
    await recordRunning(store, { config, redact, started: config }, at);
    const running = await plan();
    await store.close();
    assert.deepEqual(running.compared_with, {
      kind: 'daemon',
      since: '2026-11-21T03:00:00Z',
      pid: process.pid,
    });
    assert.deepEqual([running.start, running.stop, running.restart, running.unchanged], [[], [], [], 3]);
    const text = present();
    writeFileSync(
      file('statusd.toml'),
      text.replace('target = "http://127.0.0.1:1/"', 'target = "http://127.0.0.1:2/"'),
    );
    const later = await plan();
    writeFileSync(file('statusd.toml'), text);
    assert.equal(later.compared_with.pid, null);
    assert.deepEqual(
      later.restart.map(({ id }) => id),
      ['api'],
    );
  });
});
