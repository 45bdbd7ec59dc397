import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(async () => {
  world = makeOperatorWorld();
  await world.run('announce', 'A first row', '--offline');
});
after(() => {
  world.remove();
});

const at = Date.UTC(2026, 10, 1, 12);
const ask = (uid: string, address: string, groups: readonly string[] = []) =>
  subscribers.ask({ uid, address, groups, at, max: 100 });
/** As a daemon does when it stops, if there was anything to write. */
const compact = async () => {
  await world.write(ask('more', 'more@example.com'));
  const store = await world.openDaemon();
  await store.close();
};
const stored = () => world.read((sql) => subscribers.list(sql));

beforeEach(async () => {
  const uids = (await stored()).map(({ uid }) => uid);
  await world.write(
    ...uids.map((uid) => subscribers.remove({ uid })),
    ask('one', 'ann@example.com'),
    subscribers.confirm({ uid: 'one', at: at + 60_000 }),
    ask('two', 'bob@example.com', ['Web, shop', '']),
  );
});

describe('statusd subscribers list', () => {
  it('shows each address, whether it is confirmed, and what it gets', async () => {
    const { code, stdout } = await world.run('subscribers', 'list');
    assert.equal(code, 0);
    assert.match(stdout, /ann@example\.com +2026-11-01 12:01 +everything/);
    assert.match(stdout, /bob@example\.com +mail waits +Web, shop, no group/);
  });

  it('says how many mails with links wait', async () => {
    const { stdout } = await world.run('subscribers', 'list');
    assert.match(
      stdout,
      /\n2 mails with a link wait: at most 30 an hour go out that nobody confirms, 10 of them to one domain\.\n/,
    );
    await world.write(
      subscribers.answered({ uid: 'one', askedAt: at }),
      subscribers.answered({ uid: 'two', askedAt: at }),
    );
    assert.doesNotMatch((await world.run('subscribers', 'list')).stdout, /wait/);
  });

  it('says who gets no mails because their groups are not on the page any more', async () => {
    const none = await world.run('subscribers', 'list');
    assert.doesNotMatch(none.stdout, /no mails/);
    await world.write(
      ask('three', 'eve@example.com', ['Renamed', 'Gone']),
      subscribers.confirm({ uid: 'three', at: at + 60_000 }),
      ask('four', 'not-yet@example.com', ['Gone']),
    );
    const { stdout } = await world.run('subscribers', 'list');
    assert.match(
      stdout,
      /\n1 subscriber gets no mails: there is no group Gone or Renamed on the page any more\.\n/,
    );
  });

  it('is JSON for programs, and holds no digest of a link', async () => {
    assert.deepEqual(await world.json('subscribers'), {
      subscribers: [
        {
          address: 'ann@example.com',
          confirmed_at: '2026-11-01T12:01:00Z',
          requested_at: '2026-11-01T12:00:00Z',
          groups: [],
          mail_waiting_since: '2026-11-01T12:00:00Z',
        },
        {
          address: 'bob@example.com',
          confirmed_at: null,
          requested_at: '2026-11-01T12:00:00Z',
          groups: ['Web, shop', ''],
          mail_waiting_since: '2026-11-01T12:00:00Z',
        },
      ],
      mails_stopped_until: null,
    });
  });
});

describe('statusd subscribers export', () => {
  it('is CSV of those who confirmed, with nothing a spreadsheet would run', async () => {
    await world.write(
      subscribers.confirm({ uid: 'two', at: at + 60_000 }),
      ask('three', '=cmd@example.com'),
      subscribers.confirm({ uid: 'three', at: at + 60_000 }),
      ask('four', 'not-yet@example.com'),
      ask('five', 'rest@example.com', ['']),
      subscribers.confirm({ uid: 'five', at: at + 60_000 }),
    );
    const { stdout } = await world.run('subscribers', 'export');
    assert.equal(
      stdout,
      [
        'address,confirmed_at,groups',
        'ann@example.com,2026-11-01T12:01:00Z,',
        'bob@example.com,2026-11-01T12:01:00Z,"Web, shop;"',
        "'=cmd@example.com,2026-11-01T12:01:00Z,",
        'rest@example.com,2026-11-01T12:01:00Z,;',
        '',
      ].join('\n'),
    );
  });
});

describe('statusd subscribers remove', () => {
  it('erases an address, whatever the case of its letters', async () => {
    const { code, stdout } = await world.run('subscribers', 'remove', 'ANN@example.com');
    assert.deepEqual([code, stdout], [0, 'Erased 1 subscriber.\n']);
    assert.deepEqual(
      (await stored()).map(({ address }) => address),
      ['bob@example.com'],
    );
  });

  it('says which address there is none of, and erases the others', async () => {
    const { code, stderr } = await world.run(
      'subscribers',
      'remove',
      'nobody@example.com',
      'ann@example.com',
    );
    assert.equal(code, 5);
    assert.match(stderr, /there is no subscriber 'nobody@example\.com'/);
    assert.equal((await stored()).length, 1);
  });

  it('wants an address', async () => {
    const { code, stderr } = await world.run('subscribers', 'remove');
    assert.equal(code, 2);
    assert.match(stderr, /no address is named/);
  });

  it('leaves no byte of the address in the files after two compactions', async () => {
    const holding = (address: string) =>
      readdirSync(world.cwd).filter(
        (name) =>
          name.startsWith('statusd.db') && readFileSync(join(world.cwd, name), 'latin1').includes(address),
      );
    // Rows that grow are moved within a page, and leave a copy behind unless it is overwritten.
    for (let count = 0; count < 40; count += 1)
      await world.write(
        ...['one', 'two'].map((uid) => subscribers.admit({ uid, token: String(count).padStart(64, 'f') })),
      );
    await compact();
    assert.notDeepEqual(holding('ann@example.com'), []);
    await world.run('subscribers', 'remove', 'ann@example.com');
    await compact();
    await compact();
    assert.notDeepEqual(holding('bob@example.com'), []);
    assert.deepEqual(holding('ann@example.com'), []);
  });
});
