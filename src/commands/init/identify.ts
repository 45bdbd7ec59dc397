/** Chooses an id for every target: short, unique, and valid in a URL. */
import type { ProbeQuestion } from './target.ts';

const maxLength = 64;

/**
 * Ids made from hosts, in the order of `targets`: `www.example.com` gives `example-com`. When that is taken (by one
 * before it, or in `others`), what is particular about the target is added, and as a last resort a number.
 */
export function identify(
  targets: readonly (ProbeQuestion & { readonly host: string })[],
  others: Iterable<string> = [],
): string[] {
  const taken = new Set(others);
  return targets.map(({ host, kind, target }) => {
    const short = wordsOf(host.replace(/^www\./, '')) || kind;
    const long = cut(`${short}-${wordsOf(particular(kind, target))}`, maxLength);
    const id = [short, long].find((candidate) => !taken.has(candidate)) ?? numbered(short, taken);
    taken.add(id);
    return id;
  });
}

/** The port and path of a URL (never its query: ids are public), the port of a connection, else the kind. */
function particular(kind: ProbeQuestion['kind'], target: string): string {
  switch (kind) {
    case 'http': {
      const { pathname, port, protocol } = new URL(target);
      return port === '' && pathname === '/' ? protocol : `${port}${pathname}`;
    }
    case 'tcp':
      return target.slice(target.lastIndexOf(':') + 1);
    case 'icmp':
    case 'dns':
      return kind;
  }
}

function numbered(short: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const id = `${cut(short, maxLength - 6)}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** Letters and digits with a hyphen between their groups. */
function wordsOf(text: string): string {
  return cut(text.toLowerCase().replace(/[^a-z0-9_]+/g, '-'), maxLength);
}

function cut(text: string, length: number): string {
  return text.replace(/^-+/, '').slice(0, length).replace(/-+$/, '');
}
