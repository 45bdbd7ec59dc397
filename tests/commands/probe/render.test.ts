import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { probeJson } from '../../../src/commands/probe/json.ts';
import { probeText } from '../../../src/commands/probe/render.ts';
import type { ProbeReport } from '../../../src/commands/probe/report.ts';
import { asciiGlyphs } from '../../../src/commands/terminal/glyphs.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';
import { aReport } from './a-report.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);
const plain = outputOf({ columns: 80, isColoured: false });
const ascii = { ...plain, glyphs: asciiGlyphs, cells: { ...plain.cells, ellipsis: '...' } };

describe('a probe on the terminal', () => {
  for (const columns of [80, 200]) {
    for (const isColoured of [false, true]) {
      it(`is as it was at ${columns} columns, ${isColoured ? 'with' : 'without'} colour`, () => {
        const text = probeText(aReport, false, outputOf({ columns, isColoured }));
        assertGolden(golden(`probe.${columns}${isColoured ? '.colour' : ''}.txt`), text);
      });
    }
  }

  it('is as it was where only ASCII can be shown', () => {
    assertGolden(golden('probe.ascii.txt'), probeText(aReport, false, ascii));
  });

  it('keeps every bar within 80 columns', () => {
    const bars = probeText(aReport, false, plain)
      .split('\n')
      .filter((line) => line.includes('█'));
    assert.equal(bars.length, 8);
    for (const line of bars) assert.ok(stringWidth(line) <= 80, line);
  });

  it('draws a bar for a phase of no time, and for a probe of no time', () => {
    const [track] = aReport.tracks;
    assert.ok(track !== undefined);
    const legs = track.legs.map((leg) => ({
      ...leg,
      spans: [{ phase: 'connect' as const, fromMs: 0, toMs: 0 }],
    }));
    const text = probeText({ ...aReport, tracks: [{ ...track, tookMs: 0, legs }] }, false, plain);
    assert.match(text, /connect {6}█ +<1 ms/);
  });

  it('lets nothing of the target act on the terminal', () => {
    assert.doesNotMatch(probeText(aReport, false, plain), /\u001b/);
  });

  it('says nothing when quiet and all is ok, else why it is not', () => {
    const well: ProbeReport = { ...aReport, status: 'up', reason: null };
    assert.equal(probeText(well, true, plain), '');
    assert.equal(
      probeText(aReport, true, plain),
      '✗ down: keyword: expected "ok" in the body, got a body without it\n',
    );
  });

  it('is the same for a program', () => {
    assertGolden(golden('probe.json'), `${JSON.stringify(probeJson(aReport), null, 2)}\n`);
  });
});
