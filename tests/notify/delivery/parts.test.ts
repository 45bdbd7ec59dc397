import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { deliverySettings, type DeliverySettings, gather } from '../../../src/notify/delivery/context.ts';
import { OpenOutages } from '../../../src/notify/delivery/open-outages.ts';
import { plan } from '../../../src/notify/delivery/plan.ts';
import { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import { load } from '../../support/config.ts';
import { type Facts, openFacts } from '../../support/facts.ts';
import { printedSeed, type Random, randomOf } from '../../support/random.ts';

const startAt = Date.UTC(2026, 0, 1);
const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
const channels = ['ops', 'sms'];

let settings: DeliverySettings;

before(async () => {
  const monitors = ids.map(
    (id, index) =>
      `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example/"\n` +
      (index === 0 ? '' : `depends_on = ["m${Math.floor((index - 1) / 3)}"]\n`),
  );
  const receivers = channels.map(
    (name) => `[[channels]]\nname = "${name}"\ntype = "ntfy"\nurl = "https://ntfy.example/${name}"\n`,
  );
  settings = deliverySettings((await load([...monitors, ...receivers].join('\n'))).config);
});

function opening(uid: string, monitor: string, at: number): Operation[] {
  const times = { startedAt: at - 1000, confirmedAt: at };
  const incident = { category: null, reason: null, cause: null, impacted: [], snapshot: null, vantage: null };
  const payload = { ...times, confirmation: '', windowEndsAt: at + 30_000, cause: null, hold: null };
  return [
    incidents.open({ uid, monitor, name: monitor, ...times, ...incident }),
    ...channels.map((channel) =>
      outbox.put({
        deliveryId: `${uid}.${channel}`,
        channel,
        event: 'down',
        monitor,
        incident: uid,
        payload,
        createdAt: at,
        nextAt: at + 30_000,
      }),
    ),
  ];
}

/** What the pipeline holds in memory, from the beginning. */
function freshOutages(facts: Facts): OpenOutages {
  const cache = new OutboxCache(facts.sql);
  return new OpenOutages({
    sql: facts.sql,
    rowsOf: (uid) => cache.ofIncident(uid),
    isNotifiedAlone: (id) => id.endsWith('7.ops'),
  });
}

/** One thing that may happen to an outage. */
function anyChange(random: Random, uids: string[], at: number): Operation[] {
  if (uids.length === 0 || random.below(3) === 0) {
    const uid = `uid-${at - startAt}`;
    uids.push(uid);
    return opening(uid, random.pick(ids), at);
  }
  const uid = random.pick(uids);
  const deliveryId = `${uid}.${random.pick(channels)}`;
  switch (random.below(5)) {
    case 0:
      return [incidents.close({ uid, endedAt: at })];
    case 1:
      return [outbox.sent({ deliveryId, at })];
    case 2:
      return [outbox.drop({ deliveryId, at })];
    case 3:
      return [outbox.failed({ deliveryId, at, error: 'no', nextAt: at + 1000 })];
    default: {
      const payload = { startedAt: at, confirmedAt: at, windowEndsAt: at + 60_000, cause: 'm0' };
      return [outbox.replace({ deliveryId, event: 'down', payload, nextAt: at + 60_000 })];
    }
  }
}

describe('the open outages in memory', () => {
  it('are those of the record, whatever happened', async () => {
    const random = randomOf(printedSeed());
    const facts = await openFacts();
    const cache = new OutboxCache(facts.sql);
    const kept = new OpenOutages({
      sql: facts.sql,
      rowsOf: (uid) => cache.ofIncident(uid),
      isNotifiedAlone: (id) => id.endsWith('7.ops'),
    });
    const uids: string[] = [];
    for (let step = 1; step <= 600; step += 1) {
      const operations = anyChange(random, uids, startAt + step);
      facts.apply(...operations);
      cache.note(operations);
      kept.note(operations);
      if (random.below(4) > 0) continue;
      const byName = (outages: OpenOutages) =>
        [...outages.connected(settings)].toSorted(([a], [b]) => a.localeCompare(b));
      assert.deepEqual(byName(kept), byName(freshOutages(facts)), `after ${step} changes`);
    }
  });

  it('are asked for where monitors depend on each other: one that stands alone is no part of any other', async () => {
    const monitor = (id: string, more = '') =>
      `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example/"\n${more}`;
    const { config } = await load(
      [monitor('db'), monitor('api', 'depends_on = ["db"]'), monitor('lone')].join('\n'),
    );
    const facts = await openFacts();
    facts.apply(...['db', 'api', 'lone'].flatMap((id) => opening(`of-${id}`, id, startAt)));
    const outages = freshOutages(facts);
    assert.deepEqual([...outages.connected(deliverySettings(config)).keys()].toSorted(), ['api', 'db']);
    assert.equal(outages.byMonitor().get('lone'), 'of-lone');
  });

  it('were alerted alone where an alert that blames no upstream was sent or tried', async () => {
    const facts = await openFacts();
    const uids = ['by-db', 'alone', 'tried', 'waiting'];
    facts.apply(...uids.flatMap((uid, index) => opening(uid, `m${index}`, startAt)));
    const id = (uid: string) => `${uid}.${channels[0]}`;
    const times = { startedAt: startAt, confirmedAt: startAt, windowEndsAt: startAt + 30_000 };
    const payload = { ...times, cause: 'm0' };
    facts.apply(
      outbox.replace({ deliveryId: id('by-db'), event: 'down', payload, nextAt: startAt }),
      outbox.sent({ deliveryId: id('by-db'), at: startAt }),
      outbox.sent({ deliveryId: id('alone'), at: startAt }),
      outbox.failed({ deliveryId: id('tried'), at: startAt, error: 'no', nextAt: startAt + 1000 }),
    );
    const found = [...freshOutages(facts).connected(settings).values()];
    assert.deepEqual(found.flatMap(({ uid, isNotifiedAlone }) => (isNotifiedAlone ? uid : [])).toSorted(), [
      'alone',
      'tried',
    ]);
    assert.equal(found.length, uids.length);
  });

  it('cover others on a channel that was sent their alert, or will be, and not where another one named them', async () => {
    const facts = await openFacts();
    facts.apply(
      ...['sent', 'waits', 'named', 'dropped'].flatMap((uid, index) => opening(uid, `m${index}`, startAt)),
    );
    const id = (uid: string) => `${uid}.${channels[0]}`;
    const times = { startedAt: startAt, confirmedAt: startAt, windowEndsAt: startAt + 30_000 };
    const payload = { ...times, cause: null, namedBy: { groupId: 'a group', root: 'sent' } };
    facts.apply(
      outbox.sent({ deliveryId: id('sent'), at: startAt }),
      outbox.replace({ deliveryId: id('named'), event: 'down', payload, nextAt: startAt }),
      outbox.sent({ deliveryId: id('named'), at: startAt }),
      outbox.drop({ deliveryId: id('dropped'), at: startAt }),
    );
    const found = [...freshOutages(facts).connected(settings).values()];
    assert.deepEqual(
      found.map(({ uid, channels: known }) => `${uid} ${[...known.keys()].join(' ')}`).toSorted(),
      ['dropped sms', 'named sms', 'sent ops sms', 'waits ops sms'],
    );
  });

  it('say about which of them a message changed, and no other', async () => {
    const facts = await openFacts();
    facts.apply(...opening('uid-1', 'm1', startAt), ...opening('uid-2', 'm2', startAt));
    const outages = freshOutages(facts);
    const changed = (...operations: Operation[]) => [...outages.withChangedMessages(operations)];
    assert.deepEqual(changed(outbox.sent({ deliveryId: 'uid-1.down.x', at: startAt })), ['m1']);
    assert.deepEqual(changed(outbox.sent({ deliveryId: 'uid-1.recovered.x', at: startAt })), []);
    assert.deepEqual(changed(outbox.sent({ deliveryId: 'uid-3.down.x', at: startAt })), []);
    assert.deepEqual(changed(incidents.close({ uid: 'uid-1', endedAt: startAt })), []);
    assert.deepEqual(
      changed(
        outbox.drop({ deliveryId: 'uid-1.down.3.x', at: startAt }),
        outbox.failed({ deliveryId: 'uid-2.down.x', at: startAt, error: 'no', nextAt: null }),
        outbox.sent({ deliveryId: 'uid-1.down.y', at: startAt }),
      ),
      ['m1', 'm2'],
    );
  });

  it('name the monitor whose outage began or ended, also when both were written at once', async () => {
    const facts = await openFacts();
    const outages = freshOutages(facts);
    const [opened, closed] = [
      opening('uid-1', 'm3', startAt),
      [incidents.close({ uid: 'uid-1', endedAt: startAt })],
    ];
    facts.apply(...opened);
    facts.apply(...closed);
    assert.deepEqual(outages.note(opened), ['m3']);
    assert.deepEqual(outages.note(closed), []);
    assert.equal(outages.connected(settings).size, 0);
  });
});

describe('a turn planned in parts', () => {
  const nowAt = startAt + 60_000;

  /** All monitors down and due; each part planned takes as long as a slice. */
  async function planned(meanwhile: (cache: OutboxCache, facts: Facts) => void) {
    const facts = await openFacts();
    const many = Array.from({ length: 400 }, (_, index) => `none-${index}`);
    facts.apply(...many.flatMap((monitor) => opening(`uid-${monitor}`, monitor, startAt)));
    facts.apply(
      ...many.map((monitor) => incidents.close({ uid: `uid-${monitor}`, endedAt: startAt + 1000 })),
    );
    const cache = new OutboxCache(facts.sql);
    let ms = 0;
    const written: Operation[][] = [];
    const sources = {
      sql: facts.sql,
      startedAt: startAt,
      stateOf: () => null,
      heardAgainBy: () => null,
      checks: { lastAt: () => null, lastBegunAt: () => null, lastRecoveryAt: () => null },
      outages: () => new Map(),
      open: () => new Map(),
      laterGroups: () => () => 0,
      deliveries: cache,
    };
    const planning = plan([...cache.all()], gather(nowAt, settings, sources), {
      yielder: new Yielder(() => (ms += 4)),
      cache,
      write: (operations) => {
        written.push([...operations]);
        return Promise.resolve();
      },
    });
    let turns = 0;
    let mostATurn = 0;
    const state = { isDone: false };
    void planning.finally(() => {
      state.isDone = true;
    });
    while (!state.isDone) {
      const parts = written.length;
      await new Promise((resolve) => setImmediate(resolve));
      mostATurn = Math.max(mostATurn, written.length - parts);
      if ((turns += 1) === 1) meanwhile(cache, facts);
    }
    return { written: written.flat(), turns, mostATurn };
  }

  it('decides about everything, and gives others their turn in between', async () => {
    const { written, turns, mostATurn } = await planned(() => undefined);
    assert.equal(written.filter(([name]) => name === 'outbox.drop').length, 800);
    assert.ok(turns >= 4 && mostATurn <= 4, `${turns} turns, ${mostATurn} parts in one`);
  });

  it('leaves a delivery alone that changed after the turn began', async () => {
    const changed = 'uid-none-399.sms';
    const { written } = await planned((cache, { apply }) => {
      const operation = outbox.sent({ deliveryId: changed, at: nowAt });
      apply(operation);
      cache.note([operation]);
    });
    const dropped = written.filter(([name]) => name === 'outbox.drop').map(([, deliveryId]) => deliveryId);
    assert.equal(dropped.length, 799);
    assert.ok(!dropped.includes(changed));
  });
});
