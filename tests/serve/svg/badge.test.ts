import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeStyles, renderStatusBadge, renderUptimeBadge } from '../../../src/serve/svg/badge.ts';
import { assertGolden } from '../../support/golden.ts';

const website = { name: 'Website', status: 'up', uptimePermille: 1000 } as const;

describe('a badge', () => {
  for (const style of badgeStyles) {
    it(`looks the same as before in the style ${style}`, () => {
      const both =
        renderStatusBadge(website, style) + renderUptimeBadge({ ...website, uptimePermille: 998 }, style);
      assertGolden(new URL(`golden/badge-${style}.svg.txt`, import.meta.url), both);
    });
  }

  it('has a name for those who do not see it', () => {
    assert.match(
      renderStatusBadge(website, 'flat'),
      /role="img" aria-label="Website: up"><title>Website: up</,
    );
  });

  it('is green when all is ok, amber for a minor incident, red for an outage, blue for maintenance, grey for no data', () => {
    const colour = (svg: string) => /fill="(#1a7f4b|#946200|#c0342b|#245fc4|#69707a)"/.exec(svg)?.[1];
    const both = (part: object) => [
      colour(renderStatusBadge({ ...website, ...part }, 'flat')),
      colour(renderUptimeBadge({ ...website, ...part }, 'flat')),
    ];
    assert.deepEqual(both({}), ['#1a7f4b', '#1a7f4b']);
    assert.deepEqual(both({ status: 'degraded' }), ['#946200', '#946200']);
    assert.deepEqual(both({ uptimePermille: 985 }), ['#946200', '#946200']);
    assert.deepEqual(both({ status: 'down' }), ['#c0342b', '#c0342b']);
    assert.deepEqual(both({ status: 'maintenance' }), ['#245fc4', '#1a7f4b']);
    assert.deepEqual(both({ status: 'unknown', uptimePermille: null }), ['#69707a', '#69707a']);
  });

  it('is as wide as its parts, also for wide characters', () => {
    for (const name of ['a', 'Website', '掲示板', '👩‍👩‍👧‍👦', 'x'.repeat(500)]) {
      const svg = renderStatusBadge({ ...website, name }, 'flat-square');
      const widths = [
        ...svg.matchAll(/<rect(?: x="\d+")? width="([\d.]+)" height="20"(?: rx="0")?(?: fill)?/g),
      ].map(([, width]) => Number(width));
      assert.equal(widths[0], (widths[1] ?? 0) + (widths[2] ?? 0));
    }
  });

  it('has the window and the label that are asked for', () => {
    const text = renderUptimeBadge({ ...website, window: '30d', uptimePermille: 998 }, 'flat');
    assert.match(text, /<title>Website uptime 30d: 99\.8% \(the last 30 times 24 hours\)</);
    for (const render of [renderStatusBadge, renderUptimeBadge])
      assert.match(render({ ...website, label: 'API <b>' }, 'flat'), /<title>API &lt;b&gt;: /);
  });

  it('never says 100% for less', () => {
    assert.match(renderUptimeBadge({ ...website, uptimePermille: 999 }, 'flat'), />99\.9%</);
  });
});
