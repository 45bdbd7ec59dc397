import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Config } from '../../../src/engine/config/config.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { createDigest, type DigestScheduler } from '../../../src/notify/digest/digest.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { createPipeline } from '../../../src/notify/delivery.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { memoryStore, type MemoryStore } from '../../engine/monitoring/memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { load } from '../../support/config.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { digestToml, runWeeks } from './weeks.ts';

const hourMs = 3_600_000;
const slotAt = Date.UTC(2026, 0, 5, 8);

interface Setup {
  readonly config: Config;
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly digest: DigestScheduler;
  readonly logged: readonly LogEntry[];
  readonly queued: () => ReturnType<typeof outbox.due>;
}

async function setUp(toml = digestToml): Promise<Setup> {
  const { config } = await load(toml);
  const clock = new VirtualClock(slotAt - hourMs);
  const store = await memoryStore();
  const logged: LogEntry[] = [];
  const digest = await createDigest({
    config: () => config,
    store,
    clock,
    log: (entry) => logged.push(entry),
  });
  return { config, clock, store, digest, logged, queued: () => outbox.due(store.sql, clock.now(), 100) };
}

describe('the digest of the daemon', () => {
  it('is queued at its slot for the channels that digest.notify names', async () => {
    const { clock, queued, digest, store, logged } = await setUp();
    await clock.run(hourMs - 1);
    assert.deepEqual(queued(), []);
    await clock.run(1);
    const rows = queued();
    assert.deepEqual(
      rows.map(({ channel, event, monitor }) => ({ channel, event, monitor })),
      ['ops', 'mail'].map((channel) => ({ channel, event: 'digest', monitor: null })),
    );
    assert.deepEqual(rows[0]?.payload, {
      kind: 'digest_due',
      at: slotAt,
      slotAt,
      fromAt: slotAt - 168 * hourMs,
      toAt: slotAt,
      summary: '1 monitor: no data, no incidents',
      lines: ['api: no data, no incidents'],
      hold: null,
    });
    assert.equal(meta.digestSlot(store.sql), slotAt);
    assert.equal(logged[0]?.message, 'the digest of 2026-01-05 08:00:00 UTC is sent to ops, mail');
    await digest.stop();
  });

  it('follows the clocks of its time zone, each slot once, also where they are set', async () => {
    const sent = async (schedule: string, fromAt: number, days: number) => {
      const toml = digestToml.replace(
        'schedule = "0 8 * * 1"',
        `schedule = "${schedule}"\ntimezone = "Europe/Berlin"`,
      );
      const { config } = await load(toml);
      const clock = new VirtualClock(fromAt);
      const store = await memoryStore();
      const start = () => createDigest({ config: () => config, store, clock, log: () => undefined });
      let digest = await start();
      for (let passed = 0; passed < days * 24; passed += 1) {
        await clock.run(hourMs);
        // Nothing is sent a second time by a start, wherever it falls.
        await digest.stop();
        digest = await start();
      }
      await digest.stop();
      const slots = outbox.due(store.sql, clock.now(), 100).map(({ payload }) => {
        return new Date((payload as { readonly slotAt: number }).slotAt).toISOString().slice(0, 16);
      });
      return slots.filter((_, index) => index % 2 === 0);
    };
    assert.deepEqual(await sent('0 8 * * *', Date.UTC(2026, 2, 28), 2), [
      '2026-03-28T07:00',
      '2026-03-29T06:00',
    ]);
    assert.deepEqual(await sent('30 2 * * *', Date.UTC(2026, 2, 28, 12), 2), [
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    assert.deepEqual(await sent('30 2 * * *', Date.UTC(2026, 9, 24, 12), 2), [
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('counts no incident that began and ended under maintenance', async () => {
    const planned = `[[maintenance]]\ntitle = "Move"\nstart = "2026-01-04T00:00:00Z"\nend = "2026-01-04T06:00:00Z"\nmonitors = ["api"]\n`;
    const { clock, queued, digest, store } = await setUp(`${digestToml}\n${planned}`);
    const night = Date.UTC(2026, 0, 4);
    const incident = async (uid: string, startedAt: number, endedAt: number) => {
      await store.write([
        incidents.open({
          uid,
          monitor: 'api',
          name: 'api',
          startedAt,
          confirmedAt: startedAt + 60_000,
          category: 'timeout',
          reason: 'no answer',
          cause: null,
          impacted: [],
          snapshot: null,
          vantage: null,
        }),
        incidents.close({ uid, endedAt }),
      ]);
    };
    await incident('covered', night + hourMs, night + 2 * hourMs);
    await incident('longer', night + 5 * hourMs, night + 7 * hourMs);
    await clock.run(hourMs);
    assert.deepEqual((queued()[0]?.payload as { lines: string[] }).lines, ['api: no data, 1 incident']);
    await digest.stop();
  });

  it('says of a monitor under maintenance that it cannot be checked', async () => {
    const planned = `[[maintenance]]\ntitle = "Move"\nstart = "2026-01-04T00:00:00Z"\nend = "2026-01-06T00:00:00Z"\nmonitors = ["api"]\n`;
    const { clock, queued, digest, store } = await setUp(`${digestToml}\n${planned}`);
    await store.write([
      incidents.open({
        uid: 'unchecked',
        monitor: 'api',
        name: 'api',
        startedAt: Date.UTC(2026, 0, 4, 1),
        confirmedAt: Date.UTC(2026, 0, 4, 1, 1),
        category: 'own_fault',
        reason: 'there is no name server',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
        ownFault: 'resolver',
      }),
    ]);
    await clock.run(hourMs);
    assert.match((queued()[0]?.payload as { lines: string[] }).lines.join(), /cannot be checked/);
    await digest.stop();
  });

  it('goes to every channel without digest.notify, and is not sent where there is none', async () => {
    const all = await setUp(digestToml.replace(/^notify.*$/m, ''));
    await all.clock.run(hourMs);
    assert.deepEqual(
      all.queued().map(({ channel }) => channel),
      ['ops', 'mail', 'other'],
    );
    await all.digest.stop();
    const nobody = await setUp('[digest]\n[[monitors]]\nid = "a"\ntarget = "http://127.0.0.1:1/"\n');
    await nobody.clock.run(hourMs);
    assert.deepEqual(nobody.queued(), []);
    const [count] = decisions.totals(nobody.store.sql);
    assert.deepEqual(count, { verdict: 'spared', reason: 'nobody_routed', count: 1 });
    assert.equal(meta.digestSlot(nobody.store.sql), slotAt);
    await nobody.digest.stop();
  });

  it('waits while the disk does not keep it, says so once, and is sent when the disk does again', async () => {
    const { clock, queued, digest, store, logged } = await setUp();
    store.setHealth({ isDurable: false, reason: 'full', since: 0 });
    await clock.run(3 * hourMs);
    assert.deepEqual(queued(), []);
    assert.deepEqual(
      logged.map(({ event, message }) => [event, message]),
      [
        [
          'digest.failed',
          `the digest is delayed: ${new StatusdError('store_full', 'the disk is full').message}`,
        ],
      ],
    );
    store.setHealth({ isDurable: true, reason: null, since: null });
    await clock.run(60_000);
    assert.equal(queued().length, 2);
    await digest.stop();
  });

  it('is not fooled by a clock that was years ahead: the next slot is the next Monday', async () => {
    const { clock, store, digest, queued } = await setUp();
    clock.step(10 * 366 * 24 * hourMs);
    await clock.run(1_800_000);
    assert.equal(queued().length, 2);
    clock.step(-(10 * 366 * 24 + 2) * hourMs);
    await clock.run(1_800_000);
    assert.ok((meta.digestSlot(store.sql) ?? Infinity) < slotAt);
    await clock.run(2 * hourMs);
    assert.equal(meta.digestSlot(store.sql), slotAt);
    await digest.stop();
  });

  it('reaches the channels as the message that it was queued as', async () => {
    const { clock, store, digest, config } = await setUp();
    await clock.run(hourMs);
    const notified: Message[] = [];
    const listeners = new Set<(change: StoreChange) => void>();
    const pipeline = createPipeline({
      askPeer: null,
      config: () => config,
      store: {
        sql: store.sql,
        write: async (operations, options) => {
          const answers = await store.write(operations, options);
          for (const listener of listeners) listener({ operations, isForeign: false });
          return answers;
        },
        onChange: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      clock,
      log: () => undefined,
      engine: { stateOf: () => null, checkAnew: () => Promise.resolve(), heardAgainBy: () => null },
      deliver: (message) => {
        notified.push(message);
        return Promise.resolve({ kind: 'sent', attempts: 1 });
      },
    });
    await clock.until(pipeline.settle());
    assert.equal(notified.length, 2);
    const [message] = notified;
    assert.ok(message?.event === 'digest');
    assert.deepEqual(wordingOf(message), {
      title: 'Digest: 2025-12-29 to 2026-01-05',
      lines: ['1 monitor: no data, no incidents', 'api: no data, no incidents'],
      quote: [],
      isText: true,
    });
    await pipeline.stop();
    await digest.stop();
  });

  it('lets others run between monitors, however many there are', async () => {
    const many = Array.from(
      { length: 40 },
      (_, n) => `[[monitors]]\nid = "m${n}"\nkind = "push"\npush_token = "t0k3n-${n}"\n`,
    );
    const { clock, store, digest, queued } = await setUp(`${digestToml}\n${many.join('\n')}`);
    store.facts.apply(monitors.see({ id: 'm7', name: 'm7', at: slotAt - hourMs }));
    const sleeps: number[] = [];
    const { sleep } = clock;
    Object.assign(clock, {
      sleep: (ms: number, signal?: AbortSignal) => {
        sleeps.push(ms);
        return sleep(ms, signal);
      },
    });
    await clock.run(hourMs + 1);
    assert.equal(queued().length, 2);
    assert.ok(sleeps.filter((ms) => ms === 0).length >= 8);
    await digest.stop();
  });
});

const weeks = casesOf(250, 1000);

describe(`${weeks} weeks of digests`, () => {
  it('send each slot at most once, and of those that were missed only the latest', async () => {
    const { sent, expected, restarts, crashes, missed } = await runWeeks(weeks, randomOf(printedSeed()));
    console.log(
      `  ${weeks} weeks, ${restarts} restarts, ${crashes} kills in a write: ${sent.length} sent, ${missed} missed for good`,
    );
    assert.deepEqual(sent, expected);
    assert.ok(crashes > weeks / 50 && missed > weeks / 50 && sent.length > 0.4 * weeks);
  });

  it('would be sent twice if the slot were not remembered', async () => {
    const forgetful = await runWeeks(40, randomOf(1), (operations) =>
      operations.filter(([name, key]) => name !== 'meta.set' || key !== 'digest_slot'),
    );
    assert.notDeepEqual(forgetful.sent, forgetful.expected);
    assert.ok(new Set(forgetful.sent).size < forgetful.sent.length);
  });

  it('would be lost if the slot were remembered without its messages', async () => {
    const hasty = await runWeeks(40, randomOf(1), (operations) =>
      operations.some(([name, key]) => name === 'meta.set' && key === 'digest_slot')
        ? operations.filter(([name]) => name === 'meta.set')
        : operations,
    );
    assert.notDeepEqual(hasty.sent, hasty.expected);
  });
});
