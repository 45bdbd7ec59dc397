/** The search list of resolv.conf(5), which c-ares leaves to its callers. */

export interface Search {
  readonly domains: readonly string[];
  readonly ndots: number;
}

/** The last `search` or `domain` line wins, as in glibc. */
export function parseSearch(text: string): Search {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [key, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (key === 'search') domains = values;
    if (key === 'domain') domains = values.slice(0, 1);
    if (key !== 'options') continue;
    for (const value of values) {
      const match = /^ndots:(\d+)$/.exec(value);
      // resolv.conf(5): silently capped to 15.
      if (match) ndots = Math.min(Number(match[1]), 15);
    }
  }
  return {
    domains: domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''),
    ndots,
  };
}

/** The names to ask for, in order: a name with at least `ndots` dots is tried as it is first. */
export function candidates(name: string, { domains, ndots }: Search): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
