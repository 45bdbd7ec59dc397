import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dependents, graphOf, graphOfMonitors, rootsOf, upstreams } from '../../../src/engine/core/graph.ts';

/** `router` above `switch` above `web` and `db`; `web` also above `shop`, which needs `db` too. */
const graph = graphOf([
  { id: 'router', dependsOn: [] },
  { id: 'switch', dependsOn: ['router'] },
  { id: 'web', dependsOn: ['switch'] },
  { id: 'db', dependsOn: ['switch'] },
  { id: 'shop', dependsOn: ['web', 'db'] },
  { id: 'alone', dependsOn: ['nowhere'] },
]);

const failing = (...ids: string[]) => {
  const causes = new Set(ids);
  return (id: string) => causes.has(id);
};

describe('a graph of depends_on', () => {
  it('knows everything above a monitor, nearest first', () => {
    assert.deepEqual(upstreams(graph, 'shop'), ['web', 'db', 'switch', 'router']);
    assert.deepEqual(upstreams(graph, 'router'), []);
  });
  it('knows everything below a monitor, nearest first', () => {
    assert.deepEqual(dependents(graph, 'router'), ['switch', 'web', 'db', 'shop']);
    assert.deepEqual(dependents(graph, 'shop'), []);
  });
  it('leaves out what no monitor is', () => {
    assert.deepEqual(upstreams(graph, 'alone'), []);
    assert.deepEqual(upstreams(graph, 'nowhere'), []);
    assert.deepEqual(dependents(graph, 'nowhere'), []);
  });
  it('is not caught in a cycle', () => {
    const ring = graphOf([
      { id: 'a', dependsOn: ['c', 'a'] },
      { id: 'b', dependsOn: ['a'] },
      { id: 'c', dependsOn: ['b', 'b'] },
    ]);
    assert.deepEqual(upstreams(ring, 'a'), ['c', 'b']);
    assert.deepEqual(dependents(ring, 'a'), ['b', 'c']);
  });
  it('is made of monitors as the configuration has them', () => {
    const monitors = [
      { id: 'db', depends_on: [] },
      { id: 'api', depends_on: ['db', 'cache'] },
    ];
    assert.deepEqual(upstreams(graphOfMonitors(monitors), 'api'), ['db']);
    assert.deepEqual(dependents(graphOfMonitors(monitors), 'db'), ['api']);
  });
  it('bears a chain of 10,000', () => {
    const chain = graphOf(
      Array.from({ length: 10_000 }, (_, n) => ({
        id: String(n),
        dependsOn: n === 0 ? [] : [String(n - 1)],
      })),
    );
    assert.equal(upstreams(chain, '9999').length, 9999);
  });
});

describe('the root causes of a monitor', () => {
  it('are the topmost failing ones above it', () => {
    assert.deepEqual(rootsOf(graph, 'shop', failing('web', 'switch', 'router')), ['router']);
    assert.deepEqual(rootsOf(graph, 'shop', failing('web', 'db')), ['web', 'db']);
  });
  it('reach across one that still looks up', () => {
    assert.deepEqual(rootsOf(graph, 'shop', failing('router')), ['router']);
    assert.deepEqual(rootsOf(graph, 'shop', failing('web', 'router')), ['router']);
  });
  it('are not the monitor itself where it is in a cycle', () => {
    const ring = graphOf([
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', dependsOn: ['a'] },
    ]);
    assert.deepEqual(rootsOf(ring, 'a', failing('a', 'b')), ['b']);
  });
  it('are none when nothing above it fails, whatever fails below or beside', () => {
    assert.deepEqual(rootsOf(graph, 'web', failing('web', 'db', 'shop')), []);
  });
});
