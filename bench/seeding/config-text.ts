/** A configuration of many monitors, as text: what the store's benchmarks seed from. */

/** `count` http monitors at 60 s; every tenth has two that depend on it. */
export function configText(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const place = index % 10;
    return [
      '[[monitors]]',
      `id = "monitor-${index}"`,
      `name = "Monitor ${index}"`,
      `target = "https://monitor-${index}.example.org/"`,
      ...(index % 3 === 0 ? ['degraded_over_ms = 600'] : []),
      ...(place === 1 || place === 2 ? [`depends_on = ["monitor-${index - place}"]`] : []),
      '',
    ].join('\n');
  }).join('\n');
}
