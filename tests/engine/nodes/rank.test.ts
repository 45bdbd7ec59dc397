import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankNodes } from '../../../src/engine/nodes/rank.ts';

const monitors = Array.from({ length: 10_000 }, (_, index) => `monitor-${index}`);
const nodes = ['paris', 'oslo', 'rome', 'node-1', 'node-2'];

function ownersAmong(living: readonly string[]): Map<string, string> {
  return new Map(monitors.map((monitor) => [monitor, rankNodes(monitor, living)[0] ?? '']));
}

describe('the rank of nodes', () => {
  it('gives each node its share, within a tenth of it', () => {
    for (const count of [2, 3, 5]) {
      const living = nodes.slice(0, count);
      const owners = [...ownersAmong(living).values()];
      for (const node of living) {
        const share = owners.filter((owner) => owner === node).length;
        const even = monitors.length / count;
        assert.ok(Math.abs(share - even) < even / 10, `${node} has ${share} of ${even}`);
      }
    }
  });

  it('moves the monitors of a node that goes, and no other', () => {
    const before = ownersAmong(nodes);
    const left = ownersAmong(nodes.filter((node) => node !== 'rome'));
    for (const [monitor, owner] of before)
      if (owner === 'rome') assert.equal(left.get(monitor), rankNodes(monitor, nodes)[1]);
      else assert.equal(left.get(monitor), owner);
  });

  it('spreads the monitors of a node that goes over all others', () => {
    const second = monitors.flatMap((monitor) => {
      const [first, next] = rankNodes(monitor, nodes);
      return first === 'oslo' ? [next] : [];
    });
    for (const node of nodes.filter((each) => each !== 'oslo')) {
      const share = second.filter((owner) => owner === node).length;
      assert.ok(share > second.length / 6 && share < second.length / 3, `${node} has ${share}`);
    }
  });

  it('does not depend on the order in which nodes are known', () => {
    for (const monitor of monitors.slice(0, 100))
      assert.deepEqual(rankNodes(monitor, nodes), rankNodes(monitor, nodes.toReversed()));
  });

  it('names every node once, and none where there is none', () => {
    assert.deepEqual(rankNodes('web', nodes).toSorted(), nodes.toSorted());
    assert.deepEqual(rankNodes('web', []), []);
  });
});
