/** Keeps the latest rendered responses, so that many readers cost no more than one. */
import type { StoreChange } from '../../db/wal/applier.ts';
import type { Store } from '../../db/store/store.ts';
import type { Pieces } from './pieces.ts';
import { type Labels, type CachedResponse, cachedResponseOf } from './cached-response.ts';

export interface Building {
  /** How long a built response is served. */
  readonly maxAgeMs: number;
  /** How long it is still served while the next is built; default: as long as it is fresh. */
  readonly staleMs?: number;
  readonly labels: () => Labels;
  readonly build: () => Promise<Buffer | Pieces>;
}

export interface ResponseCache {
  /** What is kept under `key`, at once when it is there; built when there is nothing that is fresh. */
  readonly get: (key: string, building: Building) => CachedResponse | Promise<CachedResponse>;
  /** Everything is built anew: the configuration is another one. */
  readonly clear: () => void;
  readonly stop: () => void;
}

export interface ResponseCacheOptions {
  readonly store: Pick<Store, 'onChange'>;
  readonly monotonic: () => number;
  /** What is kept at most, all that belongs to it included; what was built the longest ago goes first. */
  readonly maxBytes?: number;
}

interface CacheEntry {
  response: CachedResponse | Promise<CachedResponse>;
  readonly builtAt: number;
  /** 0 while it is built. */
  bytes: number;
  /** What is being built in its place. */
  next: CacheEntry | null;
}

/** Who asks for what has lived so much of its age begins what comes next, and does not wait for it. */
const renewedAt = 0.75;

/** What an operator does, incidents and alerts show at once; samples within the age of what is kept. */
const urgent = /^(?:(?:announcement|silence|maintenance|incident)\.|alert\.raise$)/;

const defaultMaxBytes = 64 * 1024 * 1024;

/** What an entry takes beside its bytes: headers, also as lines, and objects; of a badge that is most. */
const overheadBytes = 8192;

/** The packed form, if it is ever made, is a quarter of what it was at most; a character of the key may take two bytes. */
function bytesOf(key: string, response: CachedResponse): number {
  return overheadBytes + 2 * key.length + Math.ceil(response.length * 1.25);
}

export function createResponseCache({
  store,
  monotonic,
  maxBytes = defaultMaxBytes,
}: ResponseCacheOptions): ResponseCache {
  // Maps keep their order, so the first was built the longest ago.
  const entries = new Map<string, CacheEntry>();
  let total = 0;
  const drop = (key: string, entry: CacheEntry) => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    total -= entry.bytes;
  };
  const settle = (key: string, entry: CacheEntry, response: CachedResponse) => {
    const known = entries.get(key);
    if (known?.next === entry) {
      drop(key, known);
      entries.set(key, entry);
    } else if (known !== entry) return;
    entry.response = response;
    entry.bytes = bytesOf(key, response);
    total += entry.bytes;
    for (const [oldest, old] of entries) {
      if (total <= maxBytes) break;
      drop(oldest, old);
    }
  };
  // What is being built when this happens is not kept either: it may have been read before the change.
  const clear = () => {
    entries.clear();
    total = 0;
  };
  const stop = store.onChange(({ operations }: StoreChange) => {
    if (operations.some(([name]) => urgent.test(name))) clear();
  });
  const begin = (key: string, { labels, build }: Building, before?: CachedResponse): CacheEntry => {
    const building = build().then(async (bytes) => {
      const response = cachedResponseOf(bytes, labels());
      // Who asks next finds it in the form in which the one before was asked for.
      if (before?.isPacked() === true) await response.packed();
      return response;
    });
    const entry: CacheEntry = { response: building, builtAt: monotonic(), bytes: 0, next: null };
    building.then(
      (response) => {
        settle(key, entry, response);
      },
      () => {
        const known = entries.get(key);
        if (known?.next === entry) known.next = null;
        drop(key, entry);
      },
    );
    return entry;
  };
  return {
    get: (key, building) => {
      const known = entries.get(key);
      const ageMs = known === undefined ? Infinity : monotonic() - known.builtAt;
      const isBuilt = known !== undefined && !(known.response instanceof Promise);
      const usableMs = isBuilt ? Math.max(building.maxAgeMs, building.staleMs ?? 0) : building.maxAgeMs;
      if (known !== undefined && ageMs < usableMs) {
        const { response } = known;
        if (!(response instanceof Promise) && ageMs >= building.maxAgeMs * renewedAt) {
          known.next ??= begin(key, building, response);
        }
        return response;
      }
      if (known !== undefined) drop(key, known);
      const entry = known?.next ?? begin(key, building);
      entries.set(key, entry);
      return entry.response;
    },
    clear,
    stop,
  };
}
