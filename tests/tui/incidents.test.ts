import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidentBlocks } from '../../src/tui/incidents.ts';
import { createTheme } from '../../src/tui/theme.ts';
import { liveOf, troubled } from './facts.ts';

const { marks } = createTheme('none', true);

describe('an open incident', () => {
  it('says that the message about it covers what it took along, where it does', () => {
    const [root] = troubled().incidents;
    assert.ok(root !== undefined);
    const search = { ...root, id: 13, uid: 's', monitor: 'search', cause: 'api', impacted: [] };
    const summary = { ...troubled(), incidents: [root, search] };
    const below = (folded: boolean) => {
      const live = liveOf(summary, { incidents: [{ uid: 's', sent: [], failed: [], folded }] });
      const blocks = incidentBlocks({ summary, live, aheadMs: 0, nowAt: Date.now() }, marks);
      assert.equal(blocks.length, 1);
      return blocks[0]?.more.map(({ text }) => text).join('');
    };
    assert.equal(below(true), '└ 1 impacted: Search  (folded, no extra message)');
    assert.equal(below(false), '└ 1 impacted: Search');
  });
});
