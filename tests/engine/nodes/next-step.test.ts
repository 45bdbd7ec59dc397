import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type NodeAttempt,
  nextStep,
  type NextStep,
  type Finding,
} from '../../../src/engine/nodes/next-step.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';

interface Fleet {
  readonly order?: readonly string[];
  readonly fallback?: string | null;
  readonly retries?: number;
  /** What a node sees each time it is asked. */
  readonly sees: Readonly<Record<string, Finding>>;
  /** The nodes that reach nothing else. */
  readonly isolated?: readonly string[];
}

/** Asks until it is settled: what was done, a word for each step, and the last step. */
function played({ order = ['a', 'b'], fallback = 'a', retries = 1, sees, isolated = [] }: Fleet) {
  const attempted: NodeAttempt[] = [];
  const reachability = new Map<string, boolean>();
  const said: string[] = [];
  for (;;) {
    const step: NextStep = nextStep(attempted, { order, fallback, retries, reachability });
    assert.ok(said.length < 100, said.join(' '));
    switch (step.kind) {
      case 'ask':
        said.push(step.isRetry ? `again:${step.node}` : step.node);
        attempted.push({ node: step.node, finding: sees[step.node] ?? 'no_reply' });
        break;
      case 'verify':
        said.push(`verify:${step.node}`);
        reachability.set(step.node, !isolated.includes(step.node));
        break;
      case 'settle': {
        const { node, finding } = attempted[step.attempt] ?? { node: '', finding: 'no_reply' };
        return { said: said.join(' '), result: `${finding} ${node}` };
      }
      case 'isolated':
        return { said: said.join(' '), result: `isolated ${step.nodes.join(' ')}` };
      case 'nobody':
        return { said: said.join(' '), result: 'nobody' };
    }
  }
}

describe('the nodes that are asked about a target', () => {
  it('are one where it answers', () => {
    assert.deepEqual(played({ sees: { a: 'healthy' } }), { said: 'a', result: 'healthy a' });
  });

  it('are two where it fails: the retry goes to the next', () => {
    const fails = played({ sees: { a: 'bad_answer', b: 'bad_answer' } });
    assert.deepEqual(fails, { said: 'a again:b', result: 'bad_answer b' });
    const recovers = played({ sees: { a: 'silence', b: 'healthy' } });
    assert.deepEqual(recovers, { said: 'a again:b', result: 'healthy b' });
  });

  it('are two also where no retry is configured', () => {
    assert.equal(played({ retries: 0, sees: { a: 'bad_answer', b: 'healthy' } }).result, 'healthy b');
    const down = played({ retries: 0, sees: { a: 'silence', b: 'silence' } });
    assert.deepEqual(down, { said: 'a b verify:a', result: 'silence a' });
  });

  it('come again in turn with more retries', () => {
    const { said } = played({ retries: 3, sees: { a: 'bad_answer', b: 'bad_answer' } });
    assert.equal(said, 'a again:b again:a again:b');
  });

  it('do not count where they say nothing, or cannot ask', () => {
    assert.deepEqual(played({ sees: { a: 'no_reply', b: 'healthy' } }), { said: 'a b', result: 'healthy b' });
    assert.deepEqual(played({ sees: { a: 'own_fault', b: 'bad_answer' } }), {
      said: 'a b again:b',
      result: 'bad_answer b',
    });
  });

  it('end with the one that leads when no other can look', () => {
    const alone = played({ order: ['b', 'c'], fallback: 'a', sees: { a: 'bad_answer', b: 'no_reply' } });
    assert.equal(alone.said, 'b c a');
    assert.equal(played({ order: [], fallback: 'a', sees: { a: 'healthy' } }).result, 'healthy a');
  });

  it('are none where only nodes that are gone may look', () => {
    assert.equal(played({ order: ['b'], fallback: null, sees: {} }).result, 'nobody');
    assert.equal(played({ order: [], fallback: null, sees: {} }).result, 'nobody');
  });

  it('leave it at what kept them from asking when that is all there is', () => {
    assert.equal(played({ sees: { a: 'own_fault', b: 'own_fault' } }).result, 'own_fault b');
  });
});

describe('silence', () => {
  it('counts when one of those that met it reaches others', () => {
    const { said, result } = played({ sees: { a: 'silence', b: 'silence' }, isolated: ['a'] });
    assert.deepEqual({ said, result }, { said: 'a again:b verify:a verify:b', result: 'silence b' });
  });

  it('does not count when none of them does', () => {
    assert.equal(
      played({ sees: { a: 'silence', b: 'silence' }, isolated: ['a', 'b'] }).result,
      'isolated a b',
    );
  });

  it('is left to a third node when two have lost the same network', () => {
    const order = ['a', 'b', 'c'];
    const cut = { order, isolated: ['a', 'b'] };
    assert.equal(played({ ...cut, sees: { a: 'silence', b: 'silence', c: 'healthy' } }).result, 'healthy c');
    // The same with a real outage in it.
    assert.equal(played({ ...cut, sees: { a: 'silence', b: 'silence', c: 'silence' } }).result, 'silence c');
  });

  it('counts from the only node that may look, when that reaches others', () => {
    const only = { order: ['b'], fallback: null, sees: { b: 'silence' } } as const;
    assert.equal(played(only).result, 'silence b');
    assert.equal(played({ ...only, isolated: ['b'] }).result, 'isolated b');
  });

  it('says less than a bad answer', () => {
    assert.equal(played({ sees: { a: 'bad_answer', b: 'silence' } }).result, 'bad_answer a');
  });
});

describe('any fleet', () => {
  it('reports no healthy target as down because of isolated nodes, and misses no outage that a node can see', () => {
    const { below } = randomOf(printedSeed());
    const random = () => below(1000) / 1000;
    for (let run = 0; run < casesOf(5000, 200_000); run += 1) {
      const names = ['a', 'b', 'c', 'd'].slice(0, 1 + Math.floor(random() * 4));
      const isUp = random() < 0.5;
      const isolated = names.filter(() => random() < 0.4);
      const mute = names.filter(() => random() < 0.2);
      const sees = Object.fromEntries(
        names.map((node): [string, Finding] => {
          if (mute.includes(node)) return [node, random() < 0.5 ? 'no_reply' : 'own_fault'];
          return [node, isUp && !isolated.includes(node) ? 'healthy' : 'silence'];
        }),
      );
      const retries = Math.floor(random() * 3);
      const { said, result } = played({ order: names, fallback: 'a', retries, sees, isolated });
      const about = JSON.stringify({ names, isUp, isolated, mute, retries, said, result });
      const isBlamed = result.startsWith('silence');
      const canSee = names.some((node) => !isolated.includes(node) && !mute.includes(node));
      assert.equal(isBlamed, !isUp && canSee, about);
      assert.equal(result.startsWith('healthy'), isUp && canSee, about);
    }
  });
});
