import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { incidentUpdates, postmortems } from '../../../src/db/tables/incident-updates.ts';
import { events } from '../../../src/db/tables/events.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../../src/db/tables/recorded-incidents.ts';
import { checkEvent, createEvent } from '../../../src/engine/operations/event.ts';
import {
  checkIncident,
  checkUpdate,
  type IncidentRequest,
  keepPostmortem,
  openIncident,
  updateIncident,
} from '../../../src/engine/operations/incident.ts';
import { limits } from '../../../src/engine/operations/limits.ts';
import { wholeIncident } from '../../../src/engine/views/incident.ts';
import { openFacts } from '../../support/facts.ts';

const nowAt = Date.UTC(2026, 10, 21, 14);
const fault = (code: string, message: RegExp) => ({ code, message });
const asked: IncidentRequest = {
  title: 'Checkout is slow',
  message: 'We are looking into it.',
  state: 'investigating',
  impact: 'partial',
  monitors: [],
};

const publishing = {
  isForced: false,
  config: {
    monitors: ['api', 'web', 'db'].map((id) => ({
      id,
      name: id === 'db' ? 'Ledger store' : id,
      kind: 'http' as const,
      target: `https://${id}.internal.example`,
      group: null,
      description: null,
      url: null,
      public: id !== 'db',
      public_error_detail: false,
    })),
    channels: [],
    rotations: [],
    page: { title: 'Status', footer: null },
    server: { base_url: null },
  },
};

/** A database, and what an operator does to it, a minute apart. */
async function world() {
  const { sql, apply } = await openFacts();
  let named = 0;
  let at = nowAt;
  const records: (readonly Operation[])[] = [];
  const ground = () => ({
    known: ['api', 'web', 'db'].map((id) => ({ id, group: null })),
    write: (operations: readonly Operation[]) => {
      records.push(operations);
      return Promise.resolve(apply(...operations));
    },
    redact: (text: string) => text.replaceAll('s3cret-token', '***'),
    nowAt: (at += 60_000),
    newUid: () => `u${(named += 1)}`,
    author: 'root',
    publishing,
  });
  const found = (name: number | string): RecordedIncidentRow => {
    const row = recorded.find(sql, name);
    if (row === null) throw new Error(`no incident ${name}`);
    return row;
  };
  return {
    sql,
    apply,
    ground,
    records,
    found,
    open: (given: Partial<IncidentRequest> = {}) => {
      const identity = recorded.identity(sql, `i${(named += 1)}`);
      return openIncident(checkIncident({ ...asked, ...given }), { ...ground(), identity });
    },
    update: (name: number | string, message: string, state: string | null = null) =>
      updateIncident(found(name), checkUpdate({ message, state }), ground()),
    view: (name: number | string) => {
      const row = found(name);
      return wholeIncident(
        row,
        { nowAt: at, isCritical: () => false },
        incidentUpdates.of(sql, [row.uid]).get(row.uid),
      );
    },
  };
}

const outage = (uid: string, ownFault: string | null = null) =>
  incidents.open({
    uid,
    monitor: 'api',
    name: 'API',
    startedAt: nowAt - 60_000,
    confirmedAt: nowAt,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
    ownFault,
  });

describe('an incident opened by hand', () => {
  it('is one record with what was said first, and follows its updates to its end', async () => {
    const { open, update, view, records } = await world();
    assert.deepEqual(await open({ monitors: ['web', ' api '] }), { id: 1, uid: 'i1' });
    assert.equal(records.length, 1);
    await update(1, 'A full disk.', 'identified');
    await update(1, 'Space was made.');
    assert.deepEqual(
      [view(1).state, view(1).impact, view(1).monitors],
      ['identified', 'partial', ['api', 'web']],
    );
    await update(1, '', 'resolved');
    assert.equal(records.length, 4);
    const { state, ended_at, updates, kind, monitor, name } = view('i1');
    assert.deepEqual([state, ended_at, kind], ['resolved', '2026-11-21T14:04:00Z', 'operator']);
    assert.deepEqual([monitor, name], [null, 'Checkout is slow']);
    assert.deepEqual(
      updates.map((each) => [each.state, each.message, each.author]),
      [
        ['resolved', null, 'root'],
        ['identified', 'Space was made.', 'root'],
        ['identified', 'A full disk.', 'root'],
        ['investigating', 'We are looking into it.', 'root'],
      ],
    );
  });

  it('can be recorded when it is over, and is over at once then', async () => {
    const { open, view } = await world();
    await open({ state: 'resolved' });
    assert.deepEqual([view(1).state, view(1).duration_secs], ['resolved', 0]);
    assert.notEqual(view(1).ended_at, null);
  });

  it('is cut to its limits, without secrets', async () => {
    const { open, view } = await world();
    await open({ title: `s3cret-token ${'t'.repeat(300)}`, message: `s3cret-token\n${'m'.repeat(3000)}` });
    const { name, updates } = view(1);
    assert.deepEqual([name.length, name.slice(0, 5)], [limits.title, '*** t']);
    assert.deepEqual(
      [updates[0]?.message?.length, updates[0]?.message?.slice(0, 5)],
      [limits.message, '***\nm'],
    );
  });

  it('needs a title, words that exist and monitors that are known', async () => {
    for (const [change, message] of [
      [{ title: ' \u200b' }, /^the title is empty$/],
      [{ state: 'fixed' }, /^there is no state 'fixed'$/],
      [{ impact: 'huge' }, /^there is no impact 'huge'$/],
    ] as const)
      assert.throws(() => checkIncident({ ...asked, ...change }), fault('usage', message));
    const { open } = await world();
    await assert.rejects(open({ monitors: ['apo'] }), fault('not_found', /^there is no monitor 'apo'$/));
    await assert.rejects(
      open({ monitors: ['s3cret-token'] }),
      fault('not_found', /^there is no monitor '\*\*\*'$/),
    );
  });

  it('has no second end, but can be added to', async () => {
    const { open, update, view } = await world();
    await open();
    await update(1, 'Done.', 'resolved');
    await assert.rejects(
      update(1, 'Again.', 'resolved'),
      fault('conflict', /^incident 1 has been over since 2026-/),
    );
    await assert.rejects(update(1, 'No.', 'monitoring'), fault('conflict', /^incident 1 has been over/));
    await update(1, 'A refund is on its way.');
    assert.deepEqual([view(1).state, view(1).updates[0]?.state], ['resolved', 'resolved']);
  });
});

describe('an update of the incident of a monitor', () => {
  it('is listed between what happens by itself', async () => {
    const { apply, update, view } = await world();
    apply(outage('m'));
    assert.deepEqual(
      [view('m').state, view('m').impact, view('m').monitors],
      ['detected', 'partial', ['api']],
    );
    await update('m', 'We know.', 'identified');
    assert.equal(view('m').state, 'identified');
    apply(incidents.close({ uid: 'm', endedAt: nowAt + 600_000 }));
    assert.deepEqual(
      view('m').updates.map(({ uid, state, message, author }) => [uid, state, message, author]),
      [
        ['m.resolved', 'resolved', null, null],
        ['u1', 'identified', 'We know.', 'root'],
        ['m.detected', 'detected', null, null],
      ],
    );
  });

  it('does not resolve it while the monitor is down, or cannot be checked', async () => {
    for (const [ownFault, message] of [
      [null, /^incident 1 cannot be resolved by hand: api is down$/],
      ['resolver', /^incident 1 cannot be resolved by hand: api cannot be checked$/],
    ] as const) {
      const { apply, update, found, records } = await world();
      apply(outage('m', ownFault));
      await assert.rejects(update('m', 'Fixed!', 'resolved'), fault('conflict', message));
      assert.deepEqual([found('m').endedAt, records.length], [null, 0]);
    }
  });

  it('says something', () => {
    assert.throws(
      () => checkUpdate({ message: ' ', state: 'monitoring' }),
      fault('usage', /^the message is empty$/),
    );
    assert.throws(
      () => checkUpdate({ message: 'x', state: 'well' }),
      fault('usage', /^there is no state 'well'$/),
    );
    assert.equal(checkUpdate({ message: '', state: 'resolved' }).state, 'resolved');
  });
});

describe('texts that strangers read', () => {
  const named = fault('usage', /^strangers would read this: .*the private monitor 'Ledger store'$/);

  it('name nothing private where the incident is about anything public', async () => {
    const { open, update, records, found, ground } = await world();
    await assert.rejects(open({ title: 'Ledger store is full' }), named);
    await assert.rejects(open({ message: 'The ledger store is full.', monitors: ['web', 'db'] }), named);
    assert.equal(records.length, 0);
    const { id } = await open({ monitors: ['web'] });
    await assert.rejects(update(id, 'The ledger store is full.'), named);
    await assert.rejects(update(id, 'ledger STORE', 'resolved'), named);
    await assert.rejects(
      keepPostmortem(found(id), '# Why\n\nSee db.internal.example:5432.', ground()),
      fault('usage', /line 3 of the post-mortem names the host of a target, 'db\.internal\.example'/),
    );
    assert.equal(found(id).endedAt, null);
    const { id: inside } = await open({ title: 'Ledger store is full', monitors: ['db'] });
    await update(inside, 'The ledger store has room again.', 'resolved');
  });
});

describe('a post-mortem', () => {
  it('is kept without secrets, cleared by nothing, and refused when it is too long', async () => {
    const { apply, ground, sql, found } = await world();
    apply(outage('m'));
    await keepPostmortem(found('m'), '# Why\n\ns3cret-token leaked\n', ground());
    assert.equal(postmortems.find(sql, 'm')?.text, '# Why\n\n*** leaked');
    const long = 'x'.repeat(limits.postmortem + 1);
    await assert.rejects(
      keepPostmortem(found('m'), long, ground()),
      fault('usage', /^the post-mortem has 100,001 characters$/),
    );
    await keepPostmortem(found('m'), ' \n', ground());
    assert.equal(postmortems.find(sql, 'm'), null);
  });
});

describe('an event', () => {
  it('is now or was then, about everything or some monitors', async () => {
    const { sql, ground } = await world();
    const create = (monitors: readonly string[], at: string | null) =>
      createEvent(checkEvent({ title: 'deploy v2.3 s3cret-token', monitors, at }, nowAt), {
        ...ground(),
        identity: events.identity(sql, `e${monitors.length}`),
      });
    assert.deepEqual(await create([], null), {
      id: 1,
      uid: 'e0',
      title: 'deploy v2.3 ***',
      monitors: [],
      at: nowAt,
    });
    const { monitors, at } = await create(['web', 'api'], '2026-11-21T14:30:00+01:00');
    assert.deepEqual([monitors, at], [['api', 'web'], nowAt - 1_800_000]);
    assert.equal(checkEvent({ title: 'x', monitors: [], at: '10m' }, nowAt).at, nowAt - 600_000);
    await assert.rejects(create(['apo'], null), fault('not_found', /'apo'/));
  });

  it('needs a title and a time that is past', () => {
    const check = (title: string, at: string | null) => checkEvent({ title, monitors: [], at }, nowAt);
    assert.throws(() => check('', null), fault('usage', /^the title is empty$/));
    assert.throws(() => check('x', 'yesterday'), fault('usage', /^'yesterday' is no time$/));
    assert.throws(() => check('x', '2026-11-21T14:02:00Z'), fault('usage', /is still to come$/));
    assert.equal(check('x', '2026-11-21T14:00:30Z').at, nowAt + 30_000);
  });
});
