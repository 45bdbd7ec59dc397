/** Says spans of time in the words of decisions and messages. */

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `4m 10s`: the two largest units, whole seconds, `0s` below one. */
export function spanText(ms: number): string {
  let secs = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(secs / size);
    secs -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0s';
}
