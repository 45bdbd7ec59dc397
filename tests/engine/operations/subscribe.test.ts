import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { signUp } from '../../../src/engine/operations/subscribe.ts';
import { openFacts } from '../../support/facts.ts';

async function world(max: number) {
  const { sql, apply } = await openFacts();
  let at = 0;
  const ask = (name: string) => {
    at += 1000;
    apply(...signUp(sql, { uid: name, address: `${name}@example.com`, groups: [], at, max }));
  };
  const names = () => subscribers.list(sql).map(({ uid }) => uid);
  const confirm = (uid: string) => {
    apply(subscribers.confirm({ uid, at }));
  };
  return { ask, names, confirm };
}

describe('readers who sign up', () => {
  it('are kept whatever one visitor asks for, as long as they confirm', async () => {
    const { ask, names, confirm } = await world(100);
    ask('first');
    confirm('first');
    for (let n = 0; n < 500; n += 1) ask(`flood-${n}`);
    ask('late');
    confirm('late');
    for (let n = 500; n < 1000; n += 1) ask(`flood-${n}`);
    assert.deepEqual(names().slice(0, 2), ['first', 'late']);
    assert.equal(names().length, 102);
  });

  it('give way when they have not confirmed and waited longest; who asks again has not', async () => {
    const { ask, names } = await world(2000);
    for (let n = 0; n < 200; n += 1) ask(`n${n}`);
    ask('n0');
    ask('one-more');
    const kept = names();
    assert.equal(kept.length, 200);
    assert.deepEqual(
      [kept.includes('n0'), kept.includes('n1'), kept.includes('one-more')],
      [true, false, true],
    );
  });

  it('are not kept beyond max, which only those who confirmed count towards', async () => {
    const { ask, names, confirm } = await world(2);
    for (const name of ['a', 'b', 'c']) ask(name);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    confirm('a');
    confirm('b');
    ask('d');
    ask('c');
    assert.deepEqual(names(), ['a', 'b', 'c']);
  });
});
