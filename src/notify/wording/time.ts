/** Writes instants and spans for people. */

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `45s`, `4m 10s`, `3d 4h`: the two largest units that follow each other. */
export function span(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000));
  const first = units.findIndex(([, secs]) => rest >= secs);
  if (first === -1) return '0s';
  const parts: string[] = [];
  for (const [letter, secs] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / secs);
    rest -= count * secs;
    if (count > 0) parts.push(`${count}${letter}`);
  }
  return parts.join(' ');
}

/** `2026-11-21 03:14:05 UTC`. */
export function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The day alone: `2026-11-21`. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The second of two instants, without what it shares with the first: `03:16:05 UTC` on the same day. */
export function instantAfter(earlierAt: number, at: number): string {
  return day(earlierAt) === day(at) ? instant(at).slice(11) : instant(at);
}
