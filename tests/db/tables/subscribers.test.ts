/** Readers who want mails, and what they are to be mailed. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { broadcasts } from '../../../src/db/tables/broadcasts.ts';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { systemProcesses } from '../../../src/db/store/lock/processes.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import type { SqlMemory } from '../../../src/db/store/sql.ts';
import { buildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import { dumpTable, openFacts } from '../../support/facts.ts';
import { realClock } from '../../support/real-clock.ts';

const t0 = 1_764_000_000_000;

const ask = (uid: string, given: { at?: number; max?: number; address?: string; groups?: string[] } = {}) =>
  subscribers.ask({
    uid,
    address: given.address ?? `${uid}@example.com`,
    groups: given.groups ?? [],
    at: given.at ?? t0,
    max: given.max ?? 10,
  });
const opened = (uid: string, ownFault: string | null = null) =>
  incidents.open({
    uid,
    monitor: `m-${uid}`,
    name: uid,
    startedAt: t0,
    confirmedAt: t0 + 1000,
    category: null,
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
    ownFault,
  });
const said = (uid: string, incident: string) =>
  incidentUpdates.add({ uid, incident, at: t0 + 2000, state: null, message: 'm', author: null });
const uids = (sql: SqlMemory) => broadcasts.open(sql).map(({ uid }) => uid);

describe('a reader who asks for mails', () => {
  it('is kept once, whatever the case of the letters, and waits for a mail', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(apply(ask('one', { groups: ['A'] })), [true]);
    assert.deepEqual(apply(ask('two', { address: 'ONE@Example.com', groups: ['B'], at: t0 + 5 })), [true]);
    const [row, ...others] = subscribers.list(sql);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [row?.uid, row?.address, row?.groups, row?.requestedAt, row?.askedAt, row?.confirmedAt],
      ['one', 'one@example.com', ['B'], t0 + 5, t0, null],
    );
  });

  it('is not kept beyond the limit, unless known', async () => {
    const { sql, apply } = await openFacts();
    assert.deepEqual(apply(ask('one', { max: 1 }), ask('two', { max: 1 }), ask('one', { max: 1 })), [
      true,
      false,
      true,
    ]);
    assert.equal(subscribers.list(sql).length, 1);
  });

  it('keeps the groups that were chosen once confirmed, also when asked for again', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one', { groups: ['A'] }), subscribers.confirm({ uid: 'one', at: t0 + 1 }), ask('one'));
    assert.deepEqual(subscribers.find(sql, 'one')?.groups, ['A']);
    apply(subscribers.choose({ uid: 'one', groups: ['C'] }), subscribers.confirm({ uid: 'one', at: t0 + 9 }));
    const row = subscribers.find(sql, 'one');
    assert.deepEqual([row?.groups, row?.confirmedAt], [['C'], t0 + 1]);
  });

  it('has the links of the latest sixteen mails', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'));
    for (let count = 0; count < 20; count += 1) apply(subscribers.admit({ uid: 'one', token: `t${count}` }));
    apply(subscribers.admit({ uid: 'one', token: 't19' }));
    const tokens = subscribers.find(sql, 'one')?.tokens ?? [];
    assert.deepEqual([tokens.length, tokens[0], tokens[15]], [16, 't19', 't4']);
    assert.deepEqual(apply(subscribers.admit({ uid: 'none', token: 'x' })), [false]);
  });
});

describe('what readers are to be mailed', () => {
  it('is nothing while nobody has confirmed', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), opened('i'), said('u', 'i'), incidents.close({ uid: 'i', endedAt: t0 + 3000 }));
    apply(broadcasts.put({ uid: 'w', about: '{}', event: 'begun', at: t0 }));
    assert.deepEqual(uids(sql), []);
  });

  it('is put down with what happened, once, whichever process wrote it', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), subscribers.confirm({ uid: 'one', at: t0 }));
    apply(opened('i'), opened('i'), said('u', 'i'), said('u', 'i'));
    assert.deepEqual(apply(incidents.close({ uid: 'i', endedAt: t0 + 3000 })), [true]);
    assert.deepEqual(apply(incidents.close({ uid: 'i', endedAt: t0 + 3000 })), [false]);
    const put = broadcasts.put({ uid: 'w', about: '{}', event: 'begun', at: t0 });
    apply(put, put, ask('two'));
    assert.deepEqual(uids(sql), ['i.opened', 'u', 'i.resolved', 'w']);
    assert.deepEqual(
      broadcasts.open(sql).map(({ lastSubscriber }) => lastSubscriber),
      [1, 1, 1, 1],
    );
  });

  it('of an incident opened by hand is what was said about it', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), subscribers.confirm({ uid: 'one', at: t0 }));
    apply(
      declareIncident({ id: 5, uid: 'o', title: 't', impact: 'major', monitors: [], at: t0 }),
      said('first', 'o'),
      said('last', 'o'),
      incidents.close({ uid: 'o', endedAt: t0 + 9 }),
    );
    assert.deepEqual(uids(sql), ['first', 'last']);
  });

  it('is none for checks that this node could not make', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), subscribers.confirm({ uid: 'one', at: t0 }));
    apply(opened('i', 'dns'), said('u', 'i'), incidents.close({ uid: 'i', endedAt: t0 + 3000 }));
    assert.deepEqual(uids(sql), []);
  });

  it('keeps how far it has come, and is let go of when it is done for long', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), subscribers.confirm({ uid: 'one', at: t0 }), opened('i'));
    apply(broadcasts.advance({ uid: 'i.opened', cursor: 3, ahead: [5], later: [[2, 1]], sent: 4 }));
    const row = broadcasts.find(sql, 'i.opened');
    assert.deepEqual([row?.cursor, row?.ahead, row?.later, row?.sent], [3, [5], [[2, 1]], 4]);
    apply(broadcasts.finish({ uid: 'i.opened', at: t0 + 5 }));
    assert.deepEqual(uids(sql), []);
    assert.equal(broadcasts.isIncidentMailed(sql, 'i'), true);
    apply(broadcasts.prune({ before: t0 + 6 }));
    assert.equal(broadcasts.find(sql, 'i.opened'), null);
  });

  it('moves with the clock, and so do requests', async () => {
    const { sql, apply } = await openFacts();
    apply(ask('one'), subscribers.confirm({ uid: 'one', at: t0 }), opened('i'));
    assert.equal(clockRecord.isAnyAhead(sql, t0 - 500), true);
    apply(clockRecord.shift({ byMs: -60_000, sinceAt: t0 - 1, at: t0 - 50_000 }));
    assert.equal(subscribers.find(sql, 'one')?.requestedAt, t0 - 60_000);
    assert.equal(broadcasts.find(sql, 'i.opened')?.createdAt, t0 - 59_000);
  });

  it('is the same in memory, from the files, and in a copy of them', async () => {
    const top = mkdtempSync(join(tmpdir(), 'statusd-subscribers-'));
    const [folder, copy] = [join(top, 'own'), join(top, 'copy')];
    mkdirSync(folder);
    const common = { schema, files: nodeFiles, clock: realClock };
    const build = (job: Parameters<typeof buildSnapshot>[0]) => buildSnapshot(job, nodeFiles, schema);
    const tables = ['subscribers', 'broadcasts'];
    const dumpOf = (sql: SqlMemory) => tables.map((table) => dumpTable(sql, table));
    try {
      const file = join(folder, 'statusd.db');
      const store = await openStore({ ...common, role: 'daemon', file, processes: systemProcesses, build });
      await store.write([ask('one'), ask('gone'), subscribers.confirm({ uid: 'one', at: t0 })]);
      await store.write([opened('i'), subscribers.admit({ uid: 'one', token: 'a'.repeat(64) })]);
      await store.checkpoint();
      await store.write([said('u', 'i'), subscribers.remove({ uid: 'gone' })]);
      await store.write([
        broadcasts.advance({ uid: 'i.opened', cursor: 1, ahead: [], later: [], sent: 1 }),
        broadcasts.finish({ uid: 'i.opened', at: t0 + 8000 }),
        incidents.close({ uid: 'i', endedAt: t0 + 9000 }),
      ]);
      const inMemory = dumpOf(store.sql as SqlMemory);
      cpSync(folder, copy, { recursive: true });
      for (const role of ['reader', 'writer'] as const) {
        const again = await openStore({ ...common, role, file: join(copy, 'statusd.db') });
        assert.deepEqual(dumpOf(again.sql as SqlMemory), inMemory);
        await again.close();
      }
      await store.close();
      const reader = await openStore({ ...common, role: 'reader', file });
      assert.deepEqual(dumpOf(reader.sql as SqlMemory), inMemory);
      await reader.close();
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  });
});
