import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFragments } from '../../../src/serve/pages/fragments.ts';
import { renderStatusPage, statusPagePieces } from '../../../src/serve/pages/status-page.ts';
import { daySite as site, madeUpDay } from '../../support/made-up-day.ts';

const yieldTurn = () => Promise.resolve();

describe('the status page in pieces', () => {
  it('is the page, byte for byte', async () => {
    for (const kind of ['healthy', 'outage', 'empty', 'first'] as const) {
      const facts = { ...madeUpDay(kind), site, group: null, refreshSecs: null };
      const fragments = createFragments();
      for (const time of ['first', 'second']) {
        const pieces = await statusPagePieces(facts, { fragments, yieldTurn });
        assert.equal(Buffer.concat(pieces).toString(), renderStatusPage(facts), `${kind}, ${time} time`);
      }
    }
  });

  it('shows a text that holds the mark of a piece without it', async () => {
    const { summary, figures } = madeUpDay('healthy', 2);
    const monitors = summary.monitors.map((monitor) => ({ ...monitor, name: 'a\0b' }));
    const facts = { summary: { ...summary, title: '\0', monitors }, figures };
    const page = { ...facts, site: { title: '\0', base: '' }, group: '\0', refreshSecs: null };
    const pieces = await statusPagePieces(page, { fragments: createFragments(), yieldTurn });
    assert.equal(Buffer.concat(pieces).toString(), renderStatusPage(page));
  });

  it('is the page of each reader, whoever read it before', async () => {
    const facts = { ...madeUpDay('outage'), group: null, refreshSecs: null };
    const token = { text: 'a/token', opensAll: true };
    const readers = [
      { site },
      { site: { ...site, token } },
      { site: { ...site, token: { ...token, text: 'another' } } },
      { site: { ...site, token: { ...token, opensAll: false } } },
      { site, hasPages: (id: string) => id.length % 2 === 0 },
      { site: { ...site, token }, hasPages: () => false },
    ];
    for (const [first, reader] of readers.entries()) {
      const fragments = createFragments();
      for (const next of [reader, ...readers]) {
        const page = { ...facts, ...next };
        const pieces = await statusPagePieces(page, { fragments, yieldTurn });
        assert.equal(Buffer.concat(pieces).toString(), renderStatusPage(page), `after reader ${first}`);
      }
    }
  });

  it('keeps the pieces of what did not change, and makes the others anew', async () => {
    const { summary, figures } = madeUpDay('healthy', 3);
    const fragments = createFragments();
    const pieces = async (facts: typeof summary) =>
      statusPagePieces(
        { summary: facts, figures, site, group: null, refreshSecs: null },
        { fragments, yieldTurn },
      );
    const first = new Set(await pieces(summary));
    const kept = (list: readonly Buffer[]) => list.filter((piece) => first.has(piece)).length;
    assert.equal(kept(await pieces(summary)), 3);
    const [one, ...others] = summary.monitors;
    assert.ok(one !== undefined);
    const changed = { ...summary, monitors: [{ ...one, status: 'down' as const }, ...others] };
    const second = await pieces(changed);
    assert.equal(kept(second), 2);
    assert.match(Buffer.concat(second).toString(), /class="m is-down"/);
    // Half an hour later the line of the day begins elsewhere.
    const later = new Date(Date.parse(summary.generated_at) + 1_800_000).toISOString();
    assert.equal(kept(await pieces({ ...summary, generated_at: later })), 0);
  });
});
