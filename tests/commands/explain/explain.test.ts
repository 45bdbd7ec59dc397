import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, Operation } from '../../../src/db/store/operation.ts';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
after(() => {
  world.remove();
});

const secs = 1000;
const hour = 3600 * secs;
const nowAt = Date.now();
const startedAt = nowAt - 3 * hour;

function outage(uid: string, monitor: string, at: number): Operation {
  return incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt: at,
    confirmedAt: at + 120 * secs,
    category: 'connection',
    reason: 'connection refused',
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
}

function decided(at: number, incident: string | null, detail: string): Operation {
  const common = { channel: 'ops', event: 'down', verdict: 'queued', reason: 'window' };
  return decisions.log({ ...common, at, monitor: 'api', incident, detail });
}

function message(deliveryId: string, incident: string, nextAt: number): Operation {
  const payload = {};
  const row = { channel: 'ops', event: 'down', monitor: 'api', createdAt: nowAt, payload };
  return outbox.put({ ...row, deliveryId, incident, nextAt });
}

/** Two failed checks an hour ago, between healthy ones. */
function nearMiss(): Operation[] {
  const at = Math.floor((nowAt - hour) / secs) * secs;
  return (['up', 'down', 'down', 'up'] as const).map((status, index) =>
    samples.add({
      monitor: 'intern',
      at: at + (index - 1) * 60 * secs,
      status,
      latencyMs: null,
      holdSecs: 60,
      isHeartbeat: false,
      category: null,
      message: null,
    }),
  );
}

/** As the store has it: JSON. */
const healthy = JSON.parse(JSON.stringify({ ...freshState, status: 'up' })) as Json;

before(async () => {
  world = makeOperatorWorld();
  await world.write(
    ...['db', 'api', 'intern'].map((id) => monitors.see({ id, name: id, at: startedAt - hour })),
    outage('u-1', 'api', startedAt),
    incidents.close({ uid: 'u-1', endedAt: startedAt + 250 * secs }),
    decided(startedAt + 120 * secs, 'u-1', 'It waits 30s for its group window.'),
    message('u-1.down', 'u-1', startedAt),
    outbox.sent({ deliveryId: 'u-1.down', at: startedAt + 150 * secs }),
    outage('u-2', 'db', nowAt - 90 * secs),
    alertStates.save({ monitor: 'api', state: healthy, at: nowAt }),
    ...nearMiss(),
  );
});

describe('statusd explain', () => {
  it('explains a monitor as of now, with its last incident', async () => {
    const { code, stdout, stderr } = await world.spawn('explain', 'api');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^api is up\.\nIncident 1: api was down from .*, for 4m 10s: connection refused\.\nSent to ops\.\n/,
    );
    assert.match(stdout, /\nWhat happened \(UTC\)\n {2}\d{4}-\d\d-\d\d\n/);
    assert.match(stdout, / queued {7}ops \(down\): It waits 30s for its group window\.\n/);
    assert.match(stdout, /\nMessages\n.*\n +1 {2}ops +down +sent/);
    assert.match(stdout, /\nWhat happens next\n {2}· Nothing: it is over, and no message is pending\.\n$/);
  });

  it('explains an incident by number, uid or as the last', async () => {
    const texts = await Promise.all(['1', '#1', 'u-1'].map((word) => world.run('explain', word)));
    for (const { code, stdout } of texts) {
      assert.equal(code, 0);
      assert.match(stdout, /^Incident 1: api was down from /);
    }
    assert.match(
      (await world.run('explain', 'last')).stdout,
      /^Incident 2: db is down since .*\nNot sent\.\n/,
    );
  });

  it('explains how near a monitor came at a time, by instant or by how long ago', async () => {
    const expected =
      /^At .*, no incident of intern was open: it had 2 failed checks in a row from .*, and it takes 3 to confirm/;
    assert.match((await world.run('explain', 'intern', '--at', '1h')).stdout, expected);
    const instant = new Date(nowAt - hour).toISOString();
    assert.match((await world.run('explain', 'intern', '--at', instant)).stdout, expected);
  });

  it('finds the incident that was open at a time', async () => {
    const during = new Date(startedAt + 200 * secs).toISOString();
    assert.match((await world.run('explain', 'api', '--at', during)).stdout, /^Incident 1: api was down/);
    const before = new Date(startedAt - 7200 * secs).toISOString();
    assert.match((await world.run('explain', 'api', '--at', before)).stdout, /^There is no sample of api/);
  });

  it('says what mutes it', async () => {
    await world.write(
      silences.add({ monitors: ['api'], untilAt: nowAt + 2 * hour, reason: null, createdAt: 0 }),
    );
    const { stdout } = await world.run('explain', 'api');
    assert.match(stdout, /· Messages are held back by silence 1 until .* \(1h 59m\)\./);
    await world.write(silences.clear({ id: null }));
  });

  it('is JSON for programs', async () => {
    const json = (await world.json('explain', 'api')) as Record<string, unknown>;
    assert.deepEqual(Object.keys(json), [
      ...['monitor', 'name', 'at', 'status', 'summary', 'incident', 'timeline', 'messages', 'next'],
    ]);
    const { monitor, name, status, incident, messages } = json;
    assert.deepEqual([monitor, name, status], ['api', 'The API', 'up']);
    assert.equal((incident as { uid: string }).uid, 'u-1');
    assert.equal((messages as { state: string }[])[0]?.state, 'sent');
    const notified = (json['timeline'] as { kind: string; text: string }[]).map(({ kind }) => kind);
    assert.deepEqual(notified, ['happened', 'happened', 'queued', 'happened']);
  });

  it('is one paragraph with --quiet', async () => {
    assert.equal((await world.run('explain', 'intern', '-q')).stdout, 'Nothing is known of intern yet.\n');
  });

  const refused: [args: string[], code: number, stderr: RegExp][] = [
    [
      ['apo'],
      5,
      /^statusd: there is no monitor or incident 'apo'\n {2}Did you mean api\? `statusd incidents` lists/,
    ],
    [['99'], 5, /^statusd: there is no monitor or incident '99'\n/],
    [['\u001b[31mx\u202e'], 5, /^statusd: there is no monitor or incident 'x'\n/],
    [
      ['1', '--at', '30m'],
      2,
      /^statusd: --at cannot be used with incident 1: an incident is explained as a whole\n {2}`statusd explain api --at 30m` explains its monitor at that time\.\n/,
    ],
    [['api', '--at', 'yesterday'], 2, /^statusd: 'yesterday' is no time\n {2}Write RFC 3339/],
    [['api', '--at', '2026-11-21T03:00:00'], 2, /is no time/],
    [['api', '--at', '36000d'], 2, /is no time/],
    [['api', '--at', '2100-01-01T00:00:00Z'], 2, /is still to come/],
    [[], 2, /^statusd: explain needs <subject>/],
    [['api', '-c', 'none.toml'], 3, /none\.toml/],
  ];
  for (const [args, code, stderr] of refused) {
    it(`refuses ${JSON.stringify(args)} with ${code}`, async () => {
      const result = await world.run('explain', ...args);
      assert.deepEqual([result.code, result.stdout], [code, '']);
      assert.match(result.stderr, stderr);
      assert.doesNotMatch(result.stderr, /[\u001b\u202e]/);
    });
  }

  it('needs a database: exit 4', async () => {
    const empty = makeOperatorWorld();
    assert.equal((await empty.run('explain', 'api')).code, 4);
    empty.remove();
  });
});
