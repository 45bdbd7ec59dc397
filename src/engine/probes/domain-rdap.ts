/** Reads the documents of RDAP that lead to the expiry of a domain. */

/** One entry of the bootstrap registry: the top-level domains, and the base URLs that know of them. */
export interface Service {
  readonly suffixes: readonly string[];
  readonly urls: readonly string[];
}

/** RFC 9224, section 3: `{"services": [[["net", "com"], ["https://registry.example/"]], …]}`. */
export function readBootstrap(document: unknown): readonly Service[] {
  const entries = (document as { services?: unknown } | null)?.services;
  if (!Array.isArray(entries)) throw new Error('the list of registries is not one');
  return (entries as unknown[]).map((entry) => {
    const [suffixes, urls] = Array.isArray(entry) ? (entry as unknown[]) : [];
    return { suffixes: texts(suffixes).map((suffix) => suffix.toLowerCase()), urls: texts(urls) };
  });
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

/** The base URL for `domain` by the longest match, label by label (RFC 9224, section 4); https where there is one. */
export function registryOf(domain: string, services: readonly Service[]): string | null {
  const labels = domain.split('.');
  for (const from of labels.keys()) {
    const suffix = labels.slice(from).join('.');
    const service = services.find(({ suffixes }) => suffixes.includes(suffix));
    if (service === undefined) continue;
    const urls = service.urls.filter((url) => /^https?:/.test(url) && URL.canParse(url));
    return urls.find((url) => url.startsWith('https:')) ?? urls[0] ?? null;
  }
  return null;
}

/** Epoch milliseconds of the `expiration` event (RFC 9083, section 4.5); null when there is none. */
export function readExpiry(document: unknown): number | null {
  const events = (document as { events?: unknown } | null)?.events;
  if (!Array.isArray(events)) return null;
  for (const event of events as unknown[]) {
    const { eventAction, eventDate } = (event ?? {}) as { eventAction?: unknown; eventDate?: unknown };
    if (typeof eventAction !== 'string' || eventAction.toLowerCase() !== 'expiration') continue;
    const expiresAt = typeof eventDate === 'string' ? Date.parse(eventDate) : Number.NaN;
    if (Number.isFinite(expiresAt)) return expiresAt;
  }
  return null;
}
