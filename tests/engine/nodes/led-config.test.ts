import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  differingNodes,
  type LedConfig,
  mayAlign,
  readLedConfig,
  rightfulNodes,
} from '../../../src/engine/nodes/led-config.ts';

const liveMs = 10;
const led: LedConfig = { config: 'new', version: '1', node: 'a', standInSinceAt: null };
const node = (id: string, config: string, { ageMs = 0, version = '1' } = {}) => ({
  id,
  config,
  version,
  ageMs,
});
const fleet = (self: ReturnType<typeof node>, ...others: ReturnType<typeof node>[]) => ({
  self,
  seen: [self, ...others],
  liveMs,
});
const gone = { ageMs: 11 };

describe('a node that takes over', () => {
  const cases: Readonly<Record<string, { readonly may: boolean; readonly by: ReturnType<typeof fleet> }>> = {
    'with the configuration of the last leader aligns': { may: true, by: fleet(node('b', 'new')) },
    'with an older one stands in while the last leader is there': {
      may: false,
      by: fleet(node('b', 'old'), node('a', 'new')),
    },
    'with an older one stands in also when the last leader is gone': {
      may: false,
      by: fleet(node('b', 'old'), node('a', 'new', gone)),
    },
    'with an older one stands in also when nobody else was ever there': {
      may: false,
      by: fleet(node('b', 'old')),
    },
    'with a newer one aligns once the last leader has it too': {
      may: true,
      by: fleet(node('b', 'newer'), node('a', 'newer')),
    },
    'with a newer one stands in while a third node has the one from before': {
      may: false,
      by: fleet(node('b', 'newer'), node('a', 'newer'), node('c', 'new')),
    },
    'with a newer one aligns when a third node with the one from before is gone': {
      may: true,
      by: fleet(node('b', 'newer'), node('a', 'newer'), node('c', 'new', gone)),
    },
    'and led last itself, with another one, has been restarted with it': {
      may: true,
      by: fleet(node('a', 'newer')),
    },
  };
  for (const [what, { may, by }] of Object.entries(cases))
    it(what, () => {
      assert.equal(mayAlign(led, by), may);
    });

  it('aligns in a database without a record of a configuration, unless a node has another one', () => {
    assert.equal(mayAlign(null, fleet(node('a', 'x'))), true);
    assert.equal(mayAlign(null, fleet(node('a', 'x'), node('b', 'x', gone))), true);
    assert.equal(mayAlign(null, fleet(node('a', 'x'), node('b', 'y', gone))), false);
  });
});

describe('the nodes with the right configuration', () => {
  it('are the living ones of this version, as long as this node has another one', () => {
    const others = [
      node('a', 'new'),
      node('c', 'new', gone),
      node('d', 'old'),
      node('e', 'new', { version: '2' }),
    ];
    assert.deepEqual(rightfulNodes(led, fleet(node('b', 'old'), ...others)), ['a']);
    assert.deepEqual(rightfulNodes(led, fleet(node('b', 'new'), ...others)), []);
    assert.deepEqual(rightfulNodes(led, fleet(node('b', 'old', { version: '2' }), ...others)), []);
    assert.deepEqual(rightfulNodes(null, fleet(node('b', 'old'), ...others)), []);
  });
});

describe('the nodes that differ', () => {
  it('are the living ones of the version of the leader that have another configuration than it', () => {
    const others = [node('c', 'y'), node('d', 'z', gone), node('e', 'z', { version: '2' })];
    assert.deepEqual(differingNodes('a', fleet(node('a', 'x'), ...others)), ['c']);
    assert.deepEqual(differingNodes('c', fleet(node('a', 'x'), ...others)), ['a']);
    assert.deepEqual(differingNodes(null, fleet(node('a', 'x'), ...others)), []);
    assert.deepEqual(differingNodes('d', fleet(node('a', 'x'), ...others)), []);
  });
});

describe('the record of a configuration', () => {
  it('is none when another version wrote it in another way', () => {
    assert.deepEqual(readLedConfig({ ...led }), led);
    for (const value of [null, 1, 'x', [], {}, { ...led, node: 5 }]) assert.equal(readLedConfig(value), null);
  });
});
