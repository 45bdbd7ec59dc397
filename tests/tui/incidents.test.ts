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
      const live = liveOf(summary, {
        incidents: [{ uid: 's', sent: [], failed: [], folded, withheld: null }],
      });
      const blocks = incidentBlocks({ summary, live, aheadMs: 0, nowAt: Date.now() }, marks);
      assert.equal(blocks.length, 1);
      return blocks[0]?.more.map(({ text }) => text).join('');
    };
    assert.equal(below(true), '└ 1 impacted: Search  (folded, no extra message)');
    assert.equal(below(false), '└ 1 impacted: Search');
  });

  it('says which filter keeps its message back for good, instead of that it is not sent yet', () => {
    const summary = troubled();
    const [{ uid } = { uid: '' }] = summary.incidents;
    const said = (withheld: string | null) => {
      const live = liveOf(summary, {
        incidents: [{ uid, sent: [], failed: [], folded: false, withheld }],
        silences: [],
      });
      const [block] = incidentBlocks({ summary, live, aheadMs: 0, nowAt: Date.now() }, marks);
      return block?.sent.map(({ text }) => text).join('');
    };
    assert.equal(said(null), 'not sent yet');
    assert.equal(
      said('phone takes critical and above; this is an error.'),
      'not sent: phone takes critical and above; this is an error',
    );
  });
});
