import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anonymousVantage,
  disagreementOf,
  readVantage,
  vantageWords,
} from '../../../src/engine/views/vantage.ts';
import type { SeenFrom } from '../../../src/engine/alerting/events/outage.ts';

/** `+Paris` sees it up, `-Paris` down, `?Paris` does not answer. */
const views = (...nodes: readonly string[]): SeenFrom[] =>
  nodes.map((node) => {
    const verdict = node.startsWith('+') ? 'up' : node.startsWith('-') ? 'down' : null;
    return { peer: node.slice(1), verdict, error: 'words' };
  });

describe('what other nodes saw', () => {
  it('confirms an outage, is a doubt, or says nothing', () => {
    const table: readonly (readonly [readonly string[], readonly string[]])[] = [
      [[], []],
      [['-Paris'], ['Confirmed down from 2 of 2 nodes']],
      [['-Paris', '-Tokyo'], ['Confirmed down from 3 of 3 nodes']],
      [
        ['-Paris', '?Tokyo'],
        ['Confirmed down from 2 of 3 nodes', 'No answer from Tokyo'],
      ],
      [['+Paris'], ['Seen up by Paris: perhaps a network problem near this node']],
      [
        ['+Paris', '-Tokyo'],
        ['Seen up by Paris: perhaps a network problem near this node', 'Down from 2 of 3 nodes'],
      ],
      [['+Paris', '-Tokyo', '-Lima'], ['Down from 3 of 4 nodes, seen up by Paris']],
      [['?Paris', '?Tokyo'], ['No answer from Paris and Tokyo']],
      [
        ['+A', '+B', '+C', '+D', '+E', '+F'],
        ['Seen up by A, B, C, D and 2 others: perhaps a network problem near this node'],
      ],
    ];
    for (const [nodes, words] of table) assert.deepEqual(vantageWords(views(...nodes)), words, nodes.join());
  });

  it('is a doubt for a title as soon as one sees it up', () => {
    assert.equal(disagreementOf(views('-Paris', '?Tokyo')), null);
    assert.equal(disagreementOf(views('+Paris', '-Tokyo', '+Lima')), 'seen up by Paris and Lima');
  });

  it('has no names and no words of others for those who may not know them', () => {
    const anonymous = anonymousVantage(views('+Paris', '-Tokyo', '?Lima', '+Oslo'));
    assert.doesNotMatch(JSON.stringify(anonymous), /Paris|Tokyo|Lima|Oslo|words/);
    assert.deepEqual(vantageWords(anonymous), [
      'Seen up by 2 other nodes: perhaps a network problem near this node',
      'Down from 2 of 5 nodes',
      'No answer from another node',
    ]);
  });

  it('is read with care: another version may have written it', () => {
    for (const stored of [null, undefined, 7, 'up', {}, { paris: 'up' }])
      assert.equal(readVantage(stored), null);
    assert.deepEqual(
      readVantage([null, 7, [], { peer: 'p', verdict: 'maybe', error: 3 }, { verdict: 'up' }]),
      [
        { peer: 'p', verdict: null, error: null },
        { peer: null, verdict: 'up', error: null },
      ],
    );
  });
});
