/** Figures as the terminal writes them. */

/** `99.8%`: per mille, cut and never rounded up. */
export function permilleText(permille: number | null, none: string): string {
  if (permille === null) return none;
  return permille === 1000 ? '100%' : `${(permille / 10).toFixed(1)}%`;
}

/** `42 ms`, `1.25 s`; at most seven cells. */
export function latencyFigure(ms: number | null, none: string): string {
  if (ms === null) return none;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
