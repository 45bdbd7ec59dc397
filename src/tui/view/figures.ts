/** Figures as the terminal writes them. */

/** `99.8%`: per mille, cut and never rounded up. */
export function permilleText(permille: number | null, none: string): string {
  if (permille === null) return none;
  return permille === 1000 ? '100%' : `${(permille / 10).toFixed(1)}%`;
}
