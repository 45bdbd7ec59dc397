import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTheme, type Tone } from '../../src/tui/theme.ts';

const tones: readonly Tone[] = ['dim', 'accent', 'good', 'warn', 'bad'];

/** Of one of the 256: the cube of six steps a colour, then the greys. */
function partsOf(index: number): readonly number[] {
  if (index >= 232) return [0, 0, 0].map(() => 8 + 10 * (index - 232));
  const step = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
}

/** Relative luminance, as WCAG 2 has it: 0 is black, 1 is white. */
function luminanceOf(index: number): number {
  const [red = 0, green = 0, blue = 0] = partsOf(index).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the colours', () => {
  it('of the 256 are told from a white and from a black background', () => {
    const { paint } = createTheme('many', true);
    for (const tone of tones) {
      const [, index = ''] = /38;5;(\d+)m/.exec(paint('x', tone)) ?? [];
      const luminance = luminanceOf(Number(index));
      assert.ok(1.05 / (luminance + 0.05) >= 3.5, `${tone} on white`);
      assert.ok((luminance + 0.05) / 0.05 >= 3.5, `${tone} on black`);
    }
  });

  it('differ from each other, and are none without colours', () => {
    for (const colours of ['basic', 'many'] as const) {
      const { paint } = createTheme(colours, true);
      assert.equal(new Set(tones.map((tone) => paint('x', tone))).size, tones.length);
    }
    for (const tone of tones) assert.equal(createTheme('none', true).paint('x', tone), 'x');
  });
});
