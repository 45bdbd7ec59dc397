/** Brings numbers of the other program into the bounds of a setting. */
import type { Remarks } from './item.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The nearest whole number within the bounds; `what` is told when that is another one. */
export function bounded(
  wanted: number,
  { min, max }: Bounds,
  notified: { readonly what: string; readonly remarks: Remarks },
): number {
  const value = Number.isFinite(wanted) ? Math.min(max, Math.max(min, Math.round(wanted))) : min;
  if (value !== wanted) notified.remarks.approximate(`${notified.what} of ${rounded(wanted)}: ${value} here`);
  return value;
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

export const intervalBounds = { min: 1, max: 2_592_000 } as const;
export const timeoutBounds = { min: 1, max: 300 } as const;
export const thresholdBounds = { min: 1, max: 100 } as const;
