import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inlineHeatmap, renderHeatmap } from '../../../src/serve/svg/heatmap.ts';
import { stylesheetsOf } from '../../../src/serve/pages/style.ts';
import { madeUpHeatmap } from '../../support/made-up-day.ts';

const heatmap = { ...madeUpHeatmap(), name: 'API' };

/** Relative luminance after WCAG 2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the heatmap', () => {
  const svg = renderHeatmap(heatmap);

  it('has a cell for every hour and a tooltip for every measured one', () => {
    const measured = heatmap.days.flat().filter(({ averageMs }) => averageMs !== null).length;
    assert.equal(svg.match(/<rect x="[\d.]+" y="[\d.]+" width="18" height="9"/g)?.length, 28 * 24);
    assert.equal(svg.match(/<title>\d{4}-\d\d-\d\d \d\d:00 UTC: /g)?.length, measured);
    assert.match(svg, /<title>2026-10-25 03:00 UTC: \d+ ms<\/title>/);
  });

  it('gets darker from grade to grade, so that it needs no colour to be read', () => {
    const fills = [...svg.matchAll(/<rect [^>]*rx="2" fill="(#\w{6})"/g)]
      .map(([, fill = '']) => fill)
      .slice(0, 5);
    const steps = fills.map(luminance);
    assert.equal(steps.length, 5);
    for (const [index, step] of steps.slice(1).entries()) assert.ok(step < (steps[index] ?? 0) * 0.75);
  });

  it('has the colours of the page, which on a dark ground gets brighter from grade to grade', () => {
    const [css = ''] = stylesheetsOf({ accent: null, theme: 'auto', css: null }).texts;
    const [, light = '', dark = ''] = /^(.*?)@media \(prefers-color-scheme:dark\)(.*?)\}\}/s.exec(css) ?? [];
    const coloursIn = (text: string) =>
      [...text.matchAll(/--h([0-4n]):(#\w{6})/g)].map(([, , colour]) => colour);
    const key = [...svg.matchAll(/<rect [^>]*rx="2" fill="(#\w{6})"/g)].map(([, fill]) => fill);
    assert.deepEqual(coloursIn(light), key);
    const steps = coloursIn(dark)
      .slice(0, 5)
      .map((colour = '') => luminance(colour));
    assert.equal(steps.length, 5);
    for (const [index, step] of steps.slice(1).entries()) assert.ok(step * 0.75 > (steps[index] ?? 0));
  });

  it('is given in words', () => {
    assert.match(svg, /<desc id="d">Latency of 28 days by hour: \d+ hours measured, median 88 ms/);
    assert.match(inlineHeatmap(heatmap, 'Slow & fast').text, /role="img" aria-label="Slow &amp; fast"/);
  });

  it('is short inside a page', () => {
    assert.ok(inlineHeatmap(heatmap, '').text.length < 8000);
  });
});
