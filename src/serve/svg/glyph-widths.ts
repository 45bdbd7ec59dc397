/** How wide a text is in the typeface of a badge, without asking a browser. */

/**
 * Advance widths in thousandths of the type size, from space to tilde, measured with canvas `measureText` in
 * DejaVu Sans, whose widths are close to Verdana's. `textLength` in the badge takes up what differs.
 */
const regular = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
  295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
  500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
  392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

const bold = [
  348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696,
  696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372,
  372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838,
  500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595,
  478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
];

/** Beyond ASCII: full squares for East Asian text and emoji, nothing for combining marks, else a broad letter. */
const square =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;
const combining = /\p{M}|\u200d/u;

export interface Typeface {
  readonly sizePx: number;
  readonly isBold: boolean;
  /** Pixels added after each letter. */
  readonly spacingPx: number;
}

/** The width of `text` in pixels, not rounded. */
export function textWidth(text: string, { sizePx, isBold, spacingPx }: Typeface): number {
  const table = isBold ? bold : regular;
  let width = 0;
  for (const character of text) {
    if (combining.test(character)) continue;
    const known = table[(character.codePointAt(0) ?? 0) - 32];
    const thousandths = known ?? (square.test(character) ? 1000 : 700);
    width += (thousandths * sizePx) / 1000 + spacingPx;
  }
  return width;
}
