import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { broadcasts } from '../../../src/db/tables/broadcasts.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import type { BroadcastDecision } from '../../../src/engine/operations/subscribe.ts';
import type { ReaderAttempt, ReaderDelivery } from '../../../src/notify/channels/reader-mail.ts';
import { createMailer } from '../../../src/notify/subscribers/mailer.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';
import { mailConfig } from '../../support/reader.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const minute = 60_000;
const mail = { subject: 's', text: 't', html: 'h' };
const toAll: BroadcastDecision = { kind: 'send', groups: null, without: [], mail: () => mail };
const sentNow: ReaderAttempt = { kind: 'sent' };
const failed = (error: string, mayBeReceived = false): ReaderAttempt => ({
  kind: 'failed',
  error,
  isPermanent: false,
  retryAfterMs: null,
  ...(mayBeReceived ? { mayBeReceived: true as const } : {}),
});

type Answer = (delivery: ReaderDelivery) => ReaderAttempt | Promise<ReaderAttempt>;

async function openMailer(answer: Answer, { facts, clock }: Partial<Started> = {}) {
  return start(answer, { facts: facts ?? (await openFacts()), clock: clock ?? new VirtualClock() });
}

interface Started {
  readonly facts: Awaited<ReturnType<typeof openFacts>>;
  readonly clock: VirtualClock;
}

async function start(answer: Answer, { facts, clock }: Started) {
  const { sql, apply } = facts;
  const { config } = await load(`[server]\n${mailConfig.head}${mailConfig.tail}`);
  const logged: LogEntry[] = [];
  const deliveries: ReaderDelivery[] = [];
  const listeners = new Set<(change: { operations: readonly Operation[]; isForeign: boolean }) => void>();
  const write = (...operations: readonly Operation[]) => {
    const answers = apply(...operations);
    for (const listener of listeners) listener({ operations, isForeign: false });
    return Promise.resolve(answers);
  };
  let underWay = 0;
  let most = 0;
  const mailer = createMailer({
    config: () => config,
    clock,
    log: (entry) => logged.push(entry),
    store: {
      sql,
      write: (operations) => write(...operations),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    mails: {
      decide: () => toAll,
      dueMaintenance: () => ({ operations: [], nextAt: Infinity }),
      linkMail: () => mail,
    },
    send: async (delivery) => {
      deliveries.push(delivery);
      underWay += 1;
      most = Math.max(most, underWay);
      const result = await answer(delivery);
      underWay -= 1;
      return result;
    },
  });
  const readers = (count: number) =>
    write(
      ...Array.from({ length: count }, (_, index) => `r${index}`).flatMap((uid) => [
        subscribers.ask({ uid, address: `${uid}@example.com`, groups: [], at: clock.now(), max: 1000 }),
        subscribers.answered({ uid, askedAt: clock.now() }),
        subscribers.confirm({ uid, at: clock.now() }),
      ]),
    );
  const happen = (uid: string) =>
    write(
      declareIncident({ id: 1, uid: 'i', title: 't', impact: 'major', monitors: [], at: clock.now() }),
      incidentUpdates.add({ uid, incident: 'i', at: clock.now(), state: null, message: 'm', author: null }),
    );
  return {
    facts,
    sql,
    clock,
    logged,
    deliveries,
    mailer,
    readers,
    happen,
    write,
    most: () => most,
    to: () => deliveries.map(({ address }) => address),
  };
}

describe('the mailer', () => {
  it('mails each reader once, a few at a time, and remembers how far it came', async () => {
    const world = await openMailer(() => sentNow);
    await world.readers(250);
    await world.happen('u1');
    await world.clock.run(minute);
    assert.equal(new Set(world.to()).size, 250);
    assert.equal(world.deliveries.length, 250);
    assert.ok(world.most() <= 4);
    const row = broadcasts.find(world.sql, 'u1');
    assert.deepEqual([row?.sent, row?.ahead, row?.later, row?.finishedAt !== null], [250, [], [], true]);
    assert.equal(new Set(world.deliveries.map(({ deliveryId }) => deliveryId)).size, 250);
    await world.mailer.stop();
  });

  it('waits while the server cannot be used, says so once and without an address, and goes on', async () => {
    let isBroken = true;
    const world = await openMailer(() => (isBroken ? failed('no route to mail.example.org') : sentNow));
    await world.readers(10);
    await world.happen('u1');
    await world.clock.run(10 * minute);
    const tries = world.deliveries.length;
    assert.ok(tries >= 4 && tries <= 4 * 8, String(tries));
    assert.deepEqual(
      world.logged.map(({ event }) => event),
      ['mails.waiting'],
    );
    isBroken = false;
    await world.clock.run(6 * minute);
    assert.equal(world.deliveries.length - tries, 10);
    assert.deepEqual(
      world.logged.map(({ event }) => event),
      ['mails.waiting', 'mails.resumed', 'mails.sent'],
    );
    assert.doesNotMatch(JSON.stringify(world.logged), /@/);
    await world.mailer.stop();
  });

  it('tries an address again that is refused for the moment, under the same id, and gives up after a while', async () => {
    const world = await openMailer(({ address }) =>
      address === 'r1@example.com'
        ? { kind: 'refused', isPermanent: false }
        : address === 'r2@example.com'
          ? failed('no answer', true)
          : address === 'r3@example.com'
            ? { kind: 'refused', isPermanent: true }
            : sentNow,
    );
    await world.readers(6);
    await world.happen('u1');
    await world.clock.run(minute);
    assert.deepEqual(
      world.to().toSorted(),
      [0, 1, 2, 3, 4, 5].map((index) => `r${index}@example.com`),
    );
    await world.clock.run(4 * 3_600_000);
    const ids = (address: string) =>
      world.deliveries.filter((each) => each.address === address).map(({ deliveryId }) => deliveryId);
    assert.deepEqual([ids('r1@example.com').length, new Set(ids('r1@example.com')).size], [4, 1]);
    assert.equal(ids('r2@example.com').length, 4);
    assert.equal(ids('r3@example.com').length, 1);
    assert.deepEqual([broadcasts.open(world.sql).length, broadcasts.find(world.sql, 'u1')?.sent], [0, 3]);
    await world.mailer.stop();
  });

  it('mails a link at once while many readers are mailed, and no more than the limit an hour', async () => {
    const held: (() => void)[] = [];
    const world = await openMailer(async ({ deliveryId }) => {
      if (!deliveryId.includes('.link.')) await new Promise<void>((resolve) => held.push(resolve));
      return sentNow;
    });
    await world.readers(8);
    await world.happen('u1');
    const ask = () =>
      world.write(
        subscribers.ask({
          uid: 'new',
          address: 'new@example.com',
          groups: [],
          at: world.clock.now(),
          max: 99,
        }),
      );
    const links = () => world.deliveries.filter(({ deliveryId }) => deliveryId.includes('.link.'));
    for (let count = 0; count < 8; count += 1) {
      await ask();
      await world.clock.run(1000);
    }
    assert.equal(held.length, 4);
    assert.equal(links().length, 5);
    assert.ok(links().every(({ unsubscribe }) => unsubscribe === null));
    assert.equal(subscribers.find(world.sql, 'new')?.askedAt, null);
    await world.clock.run(3_600_000);
    await ask();
    await world.clock.run(1000);
    assert.equal(links().length, 6);
    for (let count = 0; count < 20; count += 1) {
      for (const release of held.splice(0)) release();
      await world.clock.run(10);
    }
    await world.mailer.stop();
  });

  it('mails no more links than the limit an hour, also after a start and with a server that could not be used', async () => {
    let isBroken = true;
    const answer = () => (isBroken ? failed('no route to mail.example.org') : sentNow);
    const world = await openMailer(answer);
    const ask = () =>
      world.write(
        subscribers.ask({
          uid: 'new',
          address: 'new@example.com',
          groups: [],
          at: world.clock.now(),
          max: 9,
        }),
      );
    await ask();
    await world.clock.run(30 * minute);
    assert.ok(world.deliveries.length > 5);
    isBroken = false;
    await world.clock.run(6 * minute);
    const sent = world.deliveries.length;
    assert.equal(subscribers.find(world.sql, 'new')?.linkMails.length, 1);
    for (let count = 0; count < 8; count += 1) {
      await ask();
      await world.clock.run(1000);
    }
    assert.equal(world.deliveries.length - sent, 4);
    await world.mailer.stop();
    const { facts, clock } = world;
    const next = await openMailer(answer, { facts, clock });
    await ask();
    await clock.run(minute);
    assert.deepEqual([next.deliveries.length, subscribers.find(next.sql, 'new')?.askedAt], [0, null]);
    await clock.run(60 * minute);
    await ask();
    await clock.run(minute);
    assert.equal(next.deliveries.length, 1);
    await next.mailer.stop();
  });

  it('forgets subscribers who do not confirm within a day', async () => {
    const world = await openMailer(() => sentNow);
    await world.write(
      subscribers.ask({ uid: 'new', address: 'new@example.com', groups: [], at: world.clock.now(), max: 9 }),
    );
    await world.clock.run(86_400_000 - 5 * minute);
    assert.notEqual(subscribers.find(world.sql, 'new'), null);
    await world.clock.run(10 * minute);
    assert.equal(subscribers.find(world.sql, 'new'), null);
    await world.mailer.stop();
  });
});
