/** What a node can do with the database it shares with others. */
import type { Clock } from '../../engine/core/clock.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import type { Store } from '../store/store.ts';
import type { SharedDatabaseOptions } from './database.ts';
import type { SnapshotKeeperOptions } from './snapshot-keeper.ts';
import type { NodeRow } from './statements.ts';
import type { SeenNode } from './survey.ts';

export interface NodeStoreOptions
  extends Omit<SharedDatabaseOptions, 'deadlineMs'>,
    Pick<SnapshotKeeperOptions, 'build' | 'onWarning'> {
  readonly leaseMs: number;
  /** For how many ms others go first when the lease is free, by what the store knows at the moment. Default: 0. */
  readonly headStartMs?: (store: NodeStore) => number;
  /** Whether it makes the tables where there are none; default: yes. */
  readonly mayMake?: boolean;
  /** Called when changes are lost, because the log went back to an earlier state while this node stood by. */
  readonly onWentBack: (why: StatusdError) => void;
  /** What this node tells the others about itself. */
  readonly self: () => NodeRow;
  /** Asks the nodes at these URLs: whether any of them reaches the database. Takes no longer than `patienceMs`. */
  readonly askOthers: (urls: readonly string[], patienceMs: number) => Promise<boolean>;
}

export interface LeaseStanding {
  readonly role: 'leader' | 'standby';
  /** Who leads, and where it is reached, as far as this node knows. */
  readonly leader: Pick<NodeRow, 'id' | 'url'> | null;
  /** For how long it has not seen the end of the log. */
  readonly behindMs: number;
}

export interface NodeStore extends Store {
  /** Counts by the clock of the database server, so that a leader goes on where the one before it stopped. */
  readonly clock: Clock;
  /** Resolves when this node leads, with everything that was written until then in memory. */
  readonly leads: Promise<void>;
  readonly standing: () => LeaseStanding;
  /** The nodes of the last day, as they were read last. */
  readonly nodes: () => readonly SeenNode[];
  /**
   * Resolves when this node may send something: it leads for certain and what it does is written down, or no node that
   * can be asked reaches the database. Resolves as well when `signal` is aborted.
   */
  readonly untilTrusted: (signal: AbortSignal) => Promise<void>;
}
