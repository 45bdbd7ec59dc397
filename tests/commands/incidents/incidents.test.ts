import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const at = Date.UTC(2026, 10, 21, 3, 0, 0);
type Incident = Parameters<typeof incidents.open>[0];
const incident = (uid: string, changes: Partial<Incident> = {}) =>
  incidents.open({
    uid,
    monitor: 'api',
    name: 'The API',
    startedAt: at,
    confirmedAt: at + 120_000,
    category: 'status',
    reason: 'expected status 200-299, got 503',
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
    ...changes,
  });

interface Listed {
  readonly incidents: readonly { readonly uid: string; readonly [key: string]: unknown }[];
}
const uids = async (...args: readonly string[]) =>
  ((await world.json('incidents', ...args)) as Listed).incidents.map(({ uid }) => uid);

describe('statusd incidents', () => {
  it('needs a database (exit 4) and a configuration (exit 3)', async () => {
    assert.equal((await world.run('incidents')).code, 4);
    assert.equal((await world.run('incidents', '-c', 'none.toml')).code, 3);
  });

  it('says so when there is none', async () => {
    await world.write();
    assert.deepEqual(await world.spawn('incidents'), {
      code: 0,
      stdout: 'No incidents on record.\n',
      stderr: '',
    });
    const { stdout } = await world.run('incidents', '--open');
    assert.equal(stdout, 'No open incidents: nothing is known to be down.\n');
    assert.equal(
      (await world.run('incidents', '--monitor', 'api')).stdout,
      'No incidents of api on record.\n',
    );
    assert.equal((await world.run('incidents', '-q')).stdout, '');
    assert.deepEqual(await world.json('incidents'), { incidents: [] });
  });

  it('lists the one that started last first, one line each where it is no terminal', async () => {
    await world.write(
      monitors.see({ id: 'retired', name: 'Old', at }),
      incident('u-1', { monitor: 'retired', name: 'Old' }),
      incidents.close({ uid: 'u-1', endedAt: at + 250_000 }),
      incidents.annotate({ uid: 'u-1', note: 'a \u001b[31mrack\u202e\nand more', at: 1 }),
      incident('u-2', {
        startedAt: at + 3_600_000,
        cause: 'db',
        impacted: ['web'],
        snapshot: { statusLine: 'HTTP/1.1 503 No\u009b31mpe', headers: [['a', 'b']], body: 'x' },
        vantage: [{ peer: 'paris', verdict: 'up' }],
      }),
      incident('u-0', { startedAt: at - 3_600_000, monitor: 'db', reason: null }),
      incidents.close({ uid: 'u-0', endedAt: at - 3_000_000 }),
    );
    const { stdout } = await world.run('incidents');
    const [heading = '', ...lines] = stdout.replace(/\d+d( \d+h)? /, '9d      ').split('\n');
    assert.match(
      heading,
      /^ {3}ID {2}MONITOR {2}STARTED \(UTC\) {8}ENDED {7}LASTED {2,}ERROR +ANSWERED +NOTE$/,
    );
    assert.match(
      lines[0] ?? '',
      /^✗ {3}2 {2}api {6}2026-11-21 04:00:00 {2}still open .* {2}HTTP\/1\.1 503 Nope$/,
    );
    assert.match(
      lines[1] ?? '',
      /^✓ {3}1 {2}retired {2}2026-11-21 03:00:00 {2}03:04:10 {4}4m 10s .* {2}a rack and more$/,
    );
    assert.match(lines[2] ?? '', /^✓ {3}3 {2}db {7}2026-11-21 02:00:00 {2}02:10:00 {4}10m {2,}status$/);
    assert.equal(lines.length, 4);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('is the JSON of the HTTP interface for viewers who may see everything', async () => {
    const { incidents: rows } = (await world.json('incidents')) as Listed;
    const [first] = rows;
    assert.deepEqual(first, {
      id: 2,
      uid: 'u-2',
      monitor: 'api',
      name: 'The API',
      kind: 'down',
      started_at: '2026-11-21T04:00:00Z',
      confirmed_at: '2026-11-21T03:02:00Z',
      ended_at: null,
      duration_secs: first?.['duration_secs'],
      reason: 'expected status 200-299, got 503',
      error: 'expected status 200-299, got 503',
      latest_reason: null,
      cause: 'db',
      impacted: ['web'],
      note: null,
      snapshot: { status_line: 'HTTP/1.1 503 No\u009b31mpe', headers: [['a', 'b']], body: 'x' },
      vantage: [{ peer: 'paris', verdict: 'up', error: null }],
      state: 'detected',
      impact: 'partial',
      acknowledged: null,
      monitors: ['api'],
      updates: [
        { uid: 'u-2.detected', at: '2026-11-21T03:02:00Z', state: 'detected', message: null, author: null },
      ],
    });
    const { stdout } = await world.run('incidents', '--json');
    assert.doesNotMatch(stdout.trimEnd(), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  it('takes only the open ones, those of one monitor, or so many', async () => {
    assert.deepEqual(await uids(), ['u-2', 'u-1', 'u-0']);
    assert.deepEqual(await uids('--open'), ['u-2']);
    assert.deepEqual(await uids('--monitor', 'db'), ['u-0']);
    assert.deepEqual(await uids('--monitor', 'intern'), []);
    assert.deepEqual(await uids('--limit', '2'), ['u-2', 'u-1']);
    assert.deepEqual(await uids('--open', '--monitor', 'db'), []);
  });

  it('knows a monitor that only the record has', async () => {
    assert.deepEqual(await uids('--monitor', 'retired'), ['u-1']);
  });

  it('refuses a monitor that nobody knows, with the nearest: exit 5', async () => {
    const { code, stdout, stderr } = await world.run('incidents', '--monitor', 'retierd');
    assert.deepEqual([code, stdout], [5, '']);
    assert.equal(stderr, "statusd: there is no monitor 'retierd'\n  Did you mean retired?\n");
  });

  it('says what was meant by a word that is no limit: exit 2', async () => {
    const hints = {
      ls: 'Did you mean `statusd incidents list`?',
      shwo: 'Did you mean `statusd incidents show`?',
      close: 'Did you mean `statusd incidents resolve`?',
    };
    for (const [word, hint] of Object.entries(hints)) {
      const stderr = `statusd: incidents has no subcommand '${word}'\n  ${hint}\n`;
      assert.deepEqual(await world.run('incidents', word), { code: 2, stdout: '', stderr }, word);
    }
  });

  for (const limit of ['0', '-1', '1001', 'ten', '1.5', '']) {
    it(`refuses the limit '${limit}': exit 2`, async () => {
      const { code, stderr } = await world.run('incidents', `--limit=${limit}`);
      assert.equal(code, 2);
      assert.equal(
        stderr,
        `statusd: the limit '${limit}' is not a number from 1 to 1000\n  One incident is shown by \`statusd incidents show\`; see \`statusd incidents --help\`.\n`,
      );
    });
  }
});
