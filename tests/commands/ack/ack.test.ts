import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

const startedAt = Date.UTC(2026, 10, 21, 3, 4, 5);
let world: OperatorWorld;
before(async () => {
  world = makeOperatorWorld();
  await world.write(outage('u-1', 'db'), outage('u-2', 'api'));
});
after(() => {
  world.remove();
});

function outage(uid: string, monitor: string) {
  return incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt,
    confirmedAt: startedAt,
    category: null,
    reason: 'the connection is refused',
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
}

const stored = (uid: string) => world.read((sql) => incidents.find(sql, uid)?.acknowledged ?? null);

describe('statusd ack', () => {
  it('asks which incident when several are open and none is named (exit 2)', async () => {
    const { code, stderr } = await world.run('ack');
    assert.deepEqual(
      [code, stderr],
      [
        2,
        'statusd: which incident? 2 (api) and 1 (db) are open\n' +
          '  Name one by its number or its monitor, or say `all`.\n',
      ],
    );
  });

  it('takes the monitor, the number, the uid or `last`, a reason without quotes, and who', async () => {
    const { code, stdout } = await world.run('ack', 'api', 'restarting', 'it', '--by', 'ann');
    assert.deepEqual(
      [code, stdout],
      [
        0,
        'Incident 2 (api) is acknowledged by ann: restarting it\n' +
          '  Reminders and escalations stop; the recovery is still sent.\n',
      ],
    );
    const { by, reason } = (await stored('u-2')) ?? {};
    assert.deepEqual([by, reason], ['ann', 'restarting it']);
    assert.match(
      (await world.run('acknowledge', '2')).stdout,
      /^Incident 2 \(api\) was acknowledged by ann at /,
    );
    const again = await world.run('ack', 'api', 'second', 'reason');
    assert.match(
      again.stdout,
      /^Incident 2 \(api\) was acknowledged by ann at .*: restarting it\n {2}The first one is kept: `statusd ack --clear` withdraws it, `statusd incidents update` adds words\.\n$/,
    );
    assert.equal((await stored('u-2'))?.reason, 'restarting it');
    await world.run('ack', '#1', '--by', 'bob');
    assert.equal((await stored('u-1'))?.by, 'bob');
  });

  it('stands in the incident, its timeline and its explanation', async () => {
    const shown = (await world.json('incidents', 'show', '2')) as {
      readonly acknowledged: { readonly by: string };
      readonly timeline: readonly { readonly text: string }[];
    };
    assert.equal(shown.acknowledged.by, 'ann');
    assert.ok(shown.timeline.some(({ text }) => text === 'Acknowledged (ann): restarting it.'));
    assert.match((await world.run('explain', 'api')).stdout, /Acknowledged by ann at .*: restarting it\./);
  });

  it('is taken back with --clear, of one or of all', async () => {
    assert.match(
      (await world.run('ack', '--clear')).stderr,
      /which incident\? 2 .* and 1 .* are acknowledged\n/,
    );
    assert.match(
      (await world.run('ack', '--clear', 'api')).stdout,
      /^Incident 2 \(api\) is not acknowledged any more\n/,
    );
    assert.equal(await stored('u-2'), null);
    const withdrawn = async () => {
      const shown = (await world.json('incidents', 'show', '2')) as {
        readonly timeline: readonly { readonly kind: string; readonly text: string }[];
      };
      return shown.timeline.filter(({ text }) => text.startsWith('Acknowledgement withdrawn'));
    };
    const [line, ...others] = await withdrawn();
    assert.deepEqual([line?.kind, others], ['happened', []]);
    assert.match(
      line?.text ?? '',
      /^Acknowledgement withdrawn( \(.+\))?\. It was acknowledged \(ann\) at .* UTC: restarting it\.$/,
    );
    assert.match((await world.run('explain', 'api')).stdout, /Acknowledgement withdrawn/);
    await world.run('ack', '--clear', 'api');
    assert.equal((await withdrawn()).length, 1, 'there was nothing left to withdraw');
    assert.equal((await world.run('ack', 'last', '--json')).code, 0);
    const all = (await world.json('ack', '--clear', 'all')) as { readonly incidents: readonly unknown[] };
    assert.equal(all.incidents.length, 2);
    assert.deepEqual([await stored('u-1'), await stored('u-2')], [null, null]);
    assert.equal((await withdrawn()).length, 2);
    assert.equal((await world.run('ack', '--clear')).stdout, 'No open incident is acknowledged.\n');
    await world.run('ack', 'all');
    assert.ok((await stored('u-1')) !== null && (await stored('u-2')) !== null);
    assert.equal((await world.run('ack')).stdout, 'No open incident waits to be acknowledged.\n');
  });

  it('is refused for what is over or opened by hand (exit 1), and for what there is none of (5)', async () => {
    await world.write(
      incidents.close({ uid: 'u-1', endedAt: startedAt + 60_000 }),
      declareIncident({ id: 3, uid: 'u-3', title: 'By hand', impact: 'major', monitors: [], at: startedAt }),
    );
    const over = await world.run('ack', '1');
    assert.equal(over.code, 1);
    assert.match(over.stderr, /^statusd: incident 1 has been over since .*\n {2}db recovered: /);
    assert.equal((await world.run('ack', 'u-3')).code, 1);
    assert.match((await world.run('ack', 'db')).stderr, /^statusd: db has no open incident\n/);
    assert.equal((await world.run('ack', 'nothing')).code, 5);
  });
});

describe('statusd ack in a cascade', () => {
  let cascade: OperatorWorld;
  const at = startedAt;
  before(async () => {
    cascade = makeOperatorWorld();
    await cascade.write(
      outage('root', 'db'),
      outage('below', 'api'),
      outage('other', 'intern'),
      incidents.describe({ uid: 'root', cause: null, impacted: ['api'], vantage: null }),
      incidents.describe({ uid: 'below', cause: 'db', impacted: [], vantage: null }),
    );
  });
  after(() => {
    cascade.remove();
  });
  const whose = async () => {
    const found = await cascade.read((sql) =>
      ['root', 'below', 'other'].map((uid) => incidents.find(sql, uid)?.acknowledged?.reason ?? null),
    );
    await cascade.run('ack', '--clear', 'all');
    return found;
  };

  it('takes the root with a dependent, says so, and withdraws both', async () => {
    const { stdout } = await cascade.run('ack', 'api', 'on', 'it', '--by', 'ann');
    assert.equal(
      stdout,
      'Incident 1 (db), the cause of api, is acknowledged by ann: on it\n' +
        'Incident 2 (api) is acknowledged by ann: on it\n' +
        '  Reminders and escalations stop; the recovery is still sent.\n',
    );
    const cleared = await cascade.run('ack', '--clear', 'api');
    assert.match(cleared.stdout, /^Incident 1 \(db\), the cause of api, is not acknowledged any more\n/);
    assert.deepEqual(await whose(), [null, null, null]);
  });

  it('leaves a dependent alone when its root is named: it rings by itself when the root is over', async () => {
    await cascade.run('ack', 'db', 'on it');
    assert.deepEqual(await whose(), ['on it', null, null]);
  });

  it('takes `last` for the root of the newest trouble', async () => {
    await cascade.write(incidents.close({ uid: 'other', endedAt: at + 1 }));
    assert.match((await cascade.run('ack', 'last', 'seen')).stdout, /^Incident 1 \(db\) is acknowledged/);
    assert.match((await cascade.run('annotate', 'last', 'A disk')).stdout, /^Noted on incident 1 \(db,/);
    assert.match(
      (await cascade.run('incidents', 'update', 'last', 'Soon')).stdout,
      /^Added to incident 1 \(db\)/,
    );
    for (const eyes of [[], ['--internal']]) {
      const { stdout } = await cascade.run('postmortem', 'last', ...eyes);
      assert.match(stdout, /\bdb\b/);
      assert.match(stdout, /It took The API with it\./);
      assert.doesNotMatch(stdout, /\bapi\b/);
    }
    assert.match((await cascade.run('explain', 'last')).stdout, /^Incident 1: db is down/);
    assert.equal(((await cascade.json('incidents', 'show', 'last')) as { readonly uid: string }).uid, 'root');
    // The list agrees, also where it is too short for the whole cascade.
    for (const limit of ['1', '2', '20'])
      assert.match((await cascade.run('incidents', limit, '-q')).stdout, /^\S+ +1 +db /, limit);
    await cascade.run('ack', '--clear', 'all');
  });

  it('says of a dependent that is named where readers look', async () => {
    const line = /\n {2}It is folded into incident 1 \(db\), whose words the status page shows\.\n$/;
    assert.match((await cascade.run('annotate', '2', 'A note')).stdout, line);
    assert.match((await cascade.run('incidents', 'update', '2', 'Soon')).stdout, line);
    assert.doesNotMatch((await cascade.run('annotate', '1', 'A note')).stdout, line);
  });

  it('needs no name where one trouble alone is open', async () => {
    assert.match((await cascade.run('ack')).stdout, /^Incident 1 \(db\) is acknowledged/);
    assert.equal((await cascade.run('ack')).stdout, 'No open incident waits to be acknowledged.\n');
    await cascade.run('ack', '--clear', 'all');
  });

  it('takes every monitor that is named, by id or exact name, and begins the reason with the first other word', async () => {
    await cascade.write(outage('third', 'intern'));
    const acknowledged = async (...words: readonly string[]) => {
      const { stdout, code, stderr } = await cascade.run('ack', ...words, '--json');
      await cascade.run('ack', '--clear', 'all');
      if (code !== 0) return [code, stderr.split('\n')[0]];
      const { incidents: all } = JSON.parse(stdout) as {
        readonly incidents: readonly {
          readonly monitor: string;
          readonly acknowledged: { readonly reason?: string };
        }[];
      };
      return [all.map(({ monitor }) => monitor).toSorted(), all[0]?.acknowledged.reason ?? null];
    };
    assert.deepEqual(await acknowledged('db', 'intern'), [['db', 'intern'], null]);
    assert.deepEqual(await acknowledged('intern', 'The API', 'is', 'slow'), [
      ['api', 'db', 'intern'],
      'is slow',
    ]);
    // A reason in other letters is no monitor, one after --reason never is.
    assert.deepEqual(await acknowledged('intern', 'the api', 'is slow'), [['intern'], 'the api is slow']);
    assert.deepEqual(await acknowledged('intern', '--reason', 'db is next'), [['intern'], 'db is next']);
    assert.deepEqual(await acknowledged('the api', 'intern', '--reason', 'x'), [
      ['api', 'db', 'intern'],
      'x',
    ]);
    assert.deepEqual(await acknowledged('1', '#2'), [['api', 'db'], null]);
    assert.deepEqual(await acknowledged('intern', '500', 'errors'), [['intern'], '500 errors']);
    assert.deepEqual(await acknowledged('intern', 'nothing', '--reason', 'x'), [
      5,
      "statusd: there is no incident 'nothing'",
    ]);
    await cascade.write(incidents.close({ uid: 'third', endedAt: at + 1 }));
    assert.deepEqual(await acknowledged('db', 'intern'), [5, 'statusd: intern has no open incident']);
    assert.deepEqual(await acknowledged('db', 'intern', 'is', 'fine'), [['db'], 'intern is fine']);
  });

  it('takes the dependent alone once its root is over', async () => {
    await cascade.write(incidents.close({ uid: 'root', endedAt: at + 60_000 }));
    assert.match((await cascade.run('ack', 'api', 'alone')).stdout, /^Incident 2 \(api\) is acknowledged/);
    assert.deepEqual(await whose(), [null, 'alone', null]);
  });
});
