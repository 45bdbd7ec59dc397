/** Reads the documents of RDAP that lead to the expiry of a domain. */
import { aList, anObject, aText, fieldsOf, readAs, readList } from '../core/decode.ts';

/** One entry of the bootstrap registry: the top-level domains, and the base URLs that know of them. */
export interface Service {
  readonly suffixes: readonly string[];
  readonly urls: readonly string[];
}

/** RFC 9224, section 3: `{"services": [[["net", "com"], ["https://registry.example/"]], …]}`. */
export function readBootstrap(document: unknown): readonly Service[] {
  const entries = readAs(fieldsOf(document)['services'], aList);
  if (entries === null) throw new Error('the list of registries is not one');
  return entries.map((entry) => {
    const [suffixes, urls] = readAs(entry, aList) ?? [];
    return {
      suffixes: readList(suffixes, aText).map((suffix) => suffix.toLowerCase()),
      urls: readList(urls, aText),
    };
  });
}

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
  for (const { eventAction, eventDate } of readList(fieldsOf(document)['events'], anObject)) {
    if (readAs(eventAction, aText)?.toLowerCase() !== 'expiration') continue;
    const expiresAt = Date.parse(readAs(eventDate, aText) ?? '');
    if (Number.isFinite(expiresAt)) return expiresAt;
  }
  return null;
}
