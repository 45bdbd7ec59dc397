/** Writes spans of time for people to read. */

/** `14 ms`, `0.4 s`, `12.3 s`, `2 min 5 s`. */
export function inSeconds(ms: number): string {
  if (ms < 100) return inMilliseconds(ms);
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `142 ms`, `<1 ms`. */
export function inMilliseconds(ms: number): string {
  return ms < 1 ? '<1 ms' : `${Math.round(ms)} ms`;
}
