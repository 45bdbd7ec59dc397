/** Draws counts as bars of characters. */
import { asciiGlyphs, type Glyphs } from '../terminal/glyphs.ts';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar of `share` (0 to 1) of `width` cells; what is more than nothing is never drawn as nothing. */
export function barOf(share: number, width: number, glyphs: Glyphs): string {
  if (share <= 0) return '';
  if (isAscii(glyphs)) return '#'.repeat(Math.max(1, Math.round(share * width)));
  const parts = Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

export function arrowOf(glyphs: Glyphs): string {
  return isAscii(glyphs) ? '->' : '→';
}

function isAscii(glyphs: Glyphs): boolean {
  return glyphs.ellipsis === asciiGlyphs.ellipsis;
}
