/** A store in memory: the real tables and operations, without files. It can be told that its disk fails. */
import { nothingArchived } from '../../../src/db/store/history.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import type { Operation } from '../../../src/db/store/operation.ts';
import type { Store, StoreHealth } from '../../../src/db/store/store.ts';
import { type Facts, openFacts } from '../../support/facts.ts';

export interface MemoryStore extends Store {
  readonly facts: Facts;
  /** Every operation that was taken, in order, samples included. Cleared by whoever reads it. */
  readonly taken: Operation[];
  setHealth: (health: StoreHealth) => void;
}

export interface MemoryStoreOptions {
  /** Samples reach `taken` only: what a long run needs to be quick. */
  readonly isWithoutSamples?: boolean;
  readonly facts?: Facts;
}

const healthy: StoreHealth = { isDurable: true, reason: null, since: null };

export async function memoryStore(options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const facts = options.facts ?? (await openFacts());
  const taken: Operation[] = [];
  const listeners = new Set<(health: StoreHealth) => void>();
  const changeListeners = new Set<(change: StoreChange) => void>();
  let health = healthy;
  /** What is not applied yet: samples keep their place behind a transaction, as they do in the log. */
  let queued: (() => unknown)[] = [];
  const apply = (operations: readonly Operation[]) => {
    const kept =
      options.isWithoutSamples === true ? operations.filter(([name]) => name !== 'sample') : operations;
    const results = kept.length === 0 ? [] : facts.apply(...kept);
    for (const listener of changeListeners) listener({ operations, isForeign: false });
    return results;
  };
  const applyQueued = () => {
    const ready = queued;
    queued = [];
    for (const run of ready) run();
  };
  return {
    facts,
    taken,
    sql: facts.sql,
    archive: nothingArchived,
    warnings: () => [],
    write: async (operations, { mustBeDurable } = { mustBeDurable: true }) => {
      if (mustBeDurable && !health.isDurable) throw new StatusdError('store_full', 'the disk is full');
      // The order is that of the calls, as in the log; what was written can be read a little later.
      taken.push(...operations);
      return new Promise((resolve) => {
        queued.push(() => {
          resolve(apply(operations));
        });
        if (queued.length === 1) void Promise.resolve().then(applyQueued);
      });
    },
    record: (operations) => {
      taken.push(...operations);
      if (queued.length === 0) apply(operations);
      else queued.push(() => apply(operations));
    },
    refresh: () => Promise.resolve(),
    onChange: (listener) => {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    onHealth: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    health: () => health,
    setHealth: (next) => {
      health = next;
      for (const listener of listeners) listener(next);
    },
    lost: new Promise(() => undefined),
    checkpoint: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
