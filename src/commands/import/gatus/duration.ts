/** Reads the durations of Go: `30s`, `1h30m`, `1.5h`. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds; null when the text is none. */
export function goDurationMs(text: string): number | null {
  const written = text.trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(written)) return null;
  let sum = 0;
  for (const [, number = '0', unit = ''] of written.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0);
  }
  return sum;
}
