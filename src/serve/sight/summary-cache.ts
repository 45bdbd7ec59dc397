/** Keeps the bytes of the last summary of each sort of viewer, so that many readers cost no more than one. */
import type { Change } from '../../db/ledger.ts';
import type { Store } from '../../db/store.ts';

export interface SummaryCache {
  /** The bytes under `key`, built by `build` when there are none that are fresh. */
  readonly get: (key: string, build: () => Promise<Buffer>) => Promise<Buffer>;
  /** Everything is built anew: the configuration is another one. */
  readonly clear: () => void;
  readonly stop: () => void;
}

export interface SummaryCacheOptions {
  readonly store: Pick<Store, 'onChange'>;
  readonly monotonic: () => number;
}

interface Entry {
  readonly bytes: Promise<Buffer>;
  readonly builtAt: number;
  readonly version: number;
}

/** Samples arrive all the time, so a summary may be this old; it is never over 2 s behind. */
const maxAgeMs = 1000;

/** What an operator does, and incidents, show at once. */
const urgent = /^(?:announcement|silence|incident)\./;

export function createSummaryCache({ store, monotonic }: SummaryCacheOptions): SummaryCache {
  const entries = new Map<string, Entry>();
  let version = 0;
  const clear = () => {
    version += 1;
    entries.clear();
  };
  const stop = store.onChange(({ operations }: Change) => {
    if (operations.some(([name]) => urgent.test(name))) version += 1;
  });
  return {
    get: (key, build) => {
      const known = entries.get(key);
      if (known?.version === version && monotonic() - known.builtAt < maxAgeMs) return known.bytes;
      const entry = { bytes: build(), builtAt: monotonic(), version };
      entries.set(key, entry);
      entry.bytes.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.bytes;
    },
    clear,
    stop,
  };
}
