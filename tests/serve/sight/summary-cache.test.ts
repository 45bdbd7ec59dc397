import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change } from '../../../src/db/ledger.ts';
import { createSummaryCache } from '../../../src/serve/sight/summary-cache.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function openCache() {
  const clock = new VirtualClock();
  let listener: (change: Change) => void = () => undefined;
  const cache = createSummaryCache({
    store: {
      onChange: (given) => {
        listener = given;
        return () => undefined;
      },
    },
    monotonic: clock.monotonic,
  });
  let built = 0;
  const get = async (key = 'anonymous') =>
    Number((await cache.get(key, () => Promise.resolve(Buffer.from(String((built += 1)))))).toString());
  const change = (name: string) => {
    listener({ operations: [[name]], isForeign: false });
  };
  return { clock, cache, get, change };
}

describe('the cache of summaries', () => {
  it('builds once for many readers, and anew after a second', async () => {
    const { clock, get } = openCache();
    assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1]);
    clock.advance(999);
    assert.equal(await get(), 1);
    clock.advance(1);
    assert.equal(await get(), 2);
  });

  it('shows what an operator did and what incidents did at once, samples within the second', async () => {
    const { get, change } = openCache();
    assert.equal(await get(), 1);
    change('sample.add');
    assert.equal(await get(), 1);
    for (const [index, name] of ['announcement.add', 'silence.clear', 'incident.open'].entries()) {
      change(name);
      assert.equal(await get(), index + 2, name);
    }
  });

  it('keeps viewers apart', async () => {
    const { get } = openCache();
    assert.equal(await get('anonymous'), 1);
    assert.equal(await get('operator'), 2);
    assert.equal(await get('anonymous'), 1);
  });

  it('does not keep a failure', async () => {
    const { cache, get } = openCache();
    await assert.rejects(cache.get('anonymous', () => Promise.reject(new Error('broken'))));
    assert.equal(await get(), 1);
  });

  it('does not show what was read before a change that came while it was built', async () => {
    const { cache, get, change } = openCache();
    let finish: (bytes: Buffer) => void = () => undefined;
    const slow = cache.get('anonymous', () => new Promise((resolve) => (finish = resolve)));
    change('announcement.add');
    const next = get();
    finish(Buffer.from('0'));
    assert.equal((await slow).toString(), '0');
    assert.equal(await next, 1);
    assert.equal(await get(), 1);
  });
});
