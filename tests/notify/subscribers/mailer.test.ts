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

  const askFor = (world: Awaited<ReturnType<typeof openMailer>>, addresses: readonly string[]) =>
    world.write(
      ...addresses.map((address) =>
        subscribers.ask({
          uid: `u-${address}`.replace(/[@+]/g, '-'),
          address,
          groups: [],
          at: world.clock.now(),
          max: 9999,
        }),
      ),
    );
  const named = (count: number, domain: (index: number) => string, from = 0) =>
    Array.from({ length: count }, (_, index) => `n${from + index}@${domain(index)}`);

  it('takes forms of an address with a plus or dots for one inbox, and mails it no more than the limit an hour', async () => {
    const world = await openMailer(() => sentNow);
    await askFor(world, [
      ...Array.from({ length: 40 }, (_, index) => `ann.lee+${index}@gmail.com`),
      ...Array.from({ length: 20 }, (_, index) => `an.nlee+x${index}@googlemail.com`),
      'bob@example.com',
    ]);
    await world.clock.run(5 * minute);
    assert.equal(world.to().filter((address) => /mail\.com$/.test(address)).length, 5);
    assert.ok(world.to().includes('bob@example.com'));
    await world.clock.run(90 * minute);
    assert.equal(world.deliveries.length, 6);
    await world.mailer.stop();
  });

  it('mails 30 links an hour that nobody confirms, 10 of them to one domain; the others wait, also across a start', async () => {
    const world = await openMailer(() => sentNow);
    await askFor(
      world,
      named(25, () => 'one.example'),
    );
    await world.clock.run(minute);
    assert.equal(world.deliveries.length, 10);
    await askFor(
      world,
      named(40, (index) => `d${index}.example`, 100),
    );
    await world.clock.run(minute);
    assert.equal(world.deliveries.length, 30);
    await world.clock.run(10 * minute);
    await world.mailer.stop();
    const next = await openMailer(() => sentNow, world);
    await world.clock.run(40 * minute);
    assert.equal(next.deliveries.length, 0);
    assert.equal(world.logged.filter(({ event }) => event === 'mails.held').length, 1);
    await world.clock.run(20 * minute);
    assert.equal(next.deliveries.length, 30);
    await next.mailer.stop();
  });

  it('counts no mail that was confirmed', async () => {
    const world = await openMailer(() => sentNow);
    await askFor(
      world,
      named(80, (index) => `d${index}.example`),
    );
    await world.clock.run(minute);
    assert.equal(world.deliveries.length, 30);
    for (const { address } of [...world.deliveries].slice(0, 20))
      await world.write(
        subscribers.confirm({ uid: `u-${address}`.replace('@', '-'), at: world.clock.now() }),
      );
    await world.clock.run(minute);
    assert.equal(world.deliveries.length, 50);
    await world.mailer.stop();
  });

  it('stops for a while when the server speaks of a quota, then tries with one mail, and goes on', async () => {
    let isUsedUp = true;
    const quota: ReaderAttempt = {
      ...failed('mail.example.org answered 452 4.2.2 quota exceeded'),
      isQuota: true,
    } as ReaderAttempt;
    const world = await openMailer(() => (isUsedUp ? quota : sentNow));
    await world.readers(20);
    await world.happen('u1');
    await world.clock.run(14 * minute);
    assert.ok(world.deliveries.length <= 4, String(world.deliveries.length));
    const first = world.deliveries.length;
    await askFor(world, ['new@example.com']);
    await world.clock.run(30_000);
    assert.equal(world.deliveries.length, first);
    await world.clock.run(2 * minute);
    // The link and one reader.
    assert.ok(world.deliveries.length - first <= 2, String(world.deliveries.length - first));
    await world.clock.run(50 * minute);
    assert.ok(world.deliveries.length - first <= 2, 'the second stop is an hour');
    isUsedUp = false;
    await world.clock.run(12 * minute);
    assert.deepEqual(broadcasts.find(world.sql, 'u1')?.sent, 20);
    const events = world.logged.map(({ event }) => event);
    assert.deepEqual(events, ['mails.quota', 'mails.quota', 'mails.resumed', 'mails.sent']);
    assert.match(
      world.logged[0]?.message ?? '',
      /^Mails to readers stop for 15m, as the mail server speaks of a quota: /,
    );
    await world.mailer.stop();
  });

  it('stops when an alert met the quota of the same account, and not of another', async () => {
    const world = await openMailer(() => sentNow);
    await world.readers(20);
    const { config } = await load(`[server]\n${mailConfig.head}${mailConfig.tail}`);
    const [channel] = config.channels;
    assert.ok(channel?.type === 'email');
    await world.mailer.noteQuota({ ...channel, host: 'mail.example.net' }, 'quota');
    await world.mailer.noteQuota(channel, 'quota');
    await world.happen('u1');
    await world.clock.run(10 * minute);
    assert.equal(world.deliveries.length, 0);
    await world.clock.run(10 * minute);
    assert.equal(world.deliveries.length, 20);
    await world.mailer.stop();
  });

  it('keeps no limit longer because the clock was set back', async () => {
    const world = await openMailer(() => sentNow);
    await askFor(
      world,
      named(40, (index) => `d${index}.example`),
    );
    await world.clock.run(minute);
    assert.equal(world.deliveries.length, 30);
    world.clock.step(-5 * 3_600_000);
    await world.clock.run(65 * minute);
    assert.equal(world.deliveries.length, 40);
    await world.mailer.stop();
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
