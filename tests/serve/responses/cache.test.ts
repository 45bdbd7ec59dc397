import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import { createResponseCache } from '../../../src/serve/responses/cache.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const labels = () => ({ contentType: 'text/plain', headers: {}, isKept: true });

function openCache(maxBytes?: number) {
  const clock = new VirtualClock();
  let listener: (change: StoreChange) => void = () => undefined;
  const cache = createResponseCache({
    store: {
      onChange: (given) => {
        listener = given;
        return () => undefined;
      },
    },
    monotonic: clock.monotonic,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  let built = 0;
  const build = () => Promise.resolve(Buffer.from(String((built += 1))));
  const get = async (key = 'anonymous') =>
    Number((await cache.get(key, { maxAgeMs: 1000, labels, build })).plain.whole.body.toString());
  const change = (name: string) => {
    listener({ operations: [[name]], isForeign: false });
  };
  return { clock, cache, get, change };
}

function deferred() {
  let resolve: (bytes: Buffer) => void = () => undefined;
  const promise = new Promise<Buffer>((done) => (resolve = done));
  return {
    promise,
    resolve: (bytes: Buffer) => {
      resolve(bytes);
    },
  };
}

describe('the cache of renditions', () => {
  it('builds once for many readers, and anew after a second', async () => {
    const { clock, get } = openCache();
    assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1]);
    clock.advance(999);
    assert.equal(await get(), 1);
    clock.advance(1);
    assert.equal(await get(), 2);
  });

  it('builds what comes next while it hands out the last, so that nobody who keeps asking waits', async () => {
    const { clock, cache, get } = openCache();
    await get();
    for (let round = 2; round < 6; round += 1) {
      clock.advance(800);
      const next = deferred();
      const ask = () => cache.get('anonymous', { maxAgeMs: 1000, labels, build: () => next.promise });
      const known = [ask(), ask()];
      assert.ok(known.every((answer) => !(answer instanceof Promise)));
      next.resolve(Buffer.from(String(round)));
      await new Promise(setImmediate);
      assert.equal(await get(), round);
    }
  });

  it('hands out what is no longer fresh while it builds the next, where that is allowed', async () => {
    const { clock, cache, get } = openCache();
    await get();
    const next = deferred();
    let begun = 0;
    const build = () => {
      begun += 1;
      return next.promise;
    };
    const ask = () => cache.get('anonymous', { maxAgeMs: 1000, staleMs: 30_000, labels, build });
    clock.advance(29_999);
    const known = [ask(), ask()];
    assert.ok(known.every((answer) => !(answer instanceof Promise)));
    assert.equal(begun, 1);
    next.resolve(Buffer.from('2'));
    await new Promise(setImmediate);
    assert.equal(await get(), 2);
    clock.advance(30_000);
    assert.ok(ask() instanceof Promise);
  });

  it('begins again where what it began has not come for so long that it would not be fresh', async () => {
    const { clock, cache } = openCache();
    const first = deferred();
    const building = { maxAgeMs: 1000, staleMs: 30_000, labels, build: () => first.promise };
    void cache.get('anonymous', building);
    clock.advance(20_000);
    const again = { ...building, build: () => Promise.resolve(Buffer.from('again')) };
    const { plain } = await cache.get('anonymous', again);
    assert.equal(plain.whole.body.toString(), 'again');
  });

  it('packs what comes next where the last was asked for packed, and only there', async () => {
    for (const isAsked of [true, false]) {
      const { clock, cache } = openCache();
      const build = () => Promise.resolve(Buffer.alloc(5000, 'a'));
      const ask = () => cache.get('anonymous', { maxAgeMs: 1000, labels, build });
      const first = await ask();
      if (isAsked) await first.packed();
      clock.advance(800);
      await ask();
      await first.packed();
      clock.advance(300);
      assert.equal((await ask()).isPacked(), isAsked);
    }
  });

  it('waits for what is being built already when the last is too old, and builds anew when that failed', async () => {
    const { clock, cache, get } = openCache();
    const late = deferred();
    await get();
    clock.advance(800);
    const ask = (build: () => Promise<Buffer>) => cache.get('anonymous', { maxAgeMs: 1000, labels, build });
    void ask(() => late.promise);
    clock.advance(200);
    const waiting = get();
    late.resolve(Buffer.from('7'));
    assert.equal(await waiting, 7);
    clock.advance(800);
    void ask(() => Promise.reject(new Error('not today')));
    await new Promise(setImmediate);
    assert.equal(await get(), 2);
    clock.advance(200);
    await new Promise(setImmediate);
    assert.equal(await get(), 2);
  });

  it('shows nothing that was being built when something urgent changed', async () => {
    const { clock, cache, get, change } = openCache();
    const late = deferred();
    await get();
    clock.advance(800);
    void cache.get('anonymous', { maxAgeMs: 1000, labels, build: () => late.promise });
    change('incident.open');
    late.resolve(Buffer.from('7'));
    await new Promise(setImmediate);
    assert.equal(await get(), 2);
  });

  it('hands out at once what is there, without a promise', async () => {
    const { cache, get } = openCache();
    await get();
    const known = cache.get('anonymous', {
      maxAgeMs: 1000,
      labels,
      build: () => Promise.reject(new Error('nothing is to be built')),
    });
    assert.ok(!(known instanceof Promise));
    assert.equal(known.plain.whole.body.toString(), '1');
  });

  it('shows what an operator did and what incidents did at once, samples within the second', async () => {
    const { get, change } = openCache();
    assert.equal(await get(), 1);
    change('sample');
    change('alert.state');
    assert.equal(await get(), 1);
    for (const [index, name] of [
      'announcement.add',
      'silence.clear',
      'incident.open',
      'alert.raise',
    ].entries()) {
      change(name);
      assert.equal(await get(), index + 2, name);
    }
  });

  it('lets go of what was built the longest ago when it holds too much, however short each is', async () => {
    // Each takes 8 KiB beside its bytes.
    const { get } = openCache(3 * 8200);
    assert.deepEqual([await get('a'), await get('b'), await get('c')], [1, 2, 3]);
    assert.equal(await get('d'), 4);
    assert.deepEqual([await get('c'), await get('b')], [3, 2]);
    assert.equal(await get('a'), 5);
  });

  it('keeps viewers apart', async () => {
    const { get } = openCache();
    assert.equal(await get('anonymous'), 1);
    assert.equal(await get('operator'), 2);
    assert.equal(await get('anonymous'), 1);
  });

  it('does not keep a failure', async () => {
    const { cache, get } = openCache();
    const build = () => Promise.reject(new Error('broken'));
    await assert.rejects(async () => cache.get('anonymous', { maxAgeMs: 1000, labels, build }));
    assert.equal(await get(), 1);
  });

  it('does not show what was read before a change that came while it was built', async () => {
    const { cache, get, change } = openCache();
    let finish: (bytes: Buffer) => void = () => undefined;
    const slow = cache.get('anonymous', {
      maxAgeMs: 1000,
      labels,
      build: () => new Promise((resolve) => (finish = resolve)),
    });
    change('announcement.add');
    const next = get();
    finish(Buffer.from('0'));
    assert.equal((await slow).plain.whole.body.toString(), '0');
    assert.equal(await next, 1);
    assert.equal(await get(), 1);
  });
});
