/** Writes down what this node thinks of its network, so that an episode outlives a restart and is told. */
import type { Clock } from '../core/clock.ts';
import { type Network, readNetwork } from '../core/doubt/episode.ts';
import type { Log, LogEntry } from '../core/log.ts';
import type { Happening } from '../core/tell/queue.ts';
import type { Json } from '../../db/operation.ts';
import type { Store } from '../../db/store.ts';
import { meta } from '../../db/topics/meta.ts';
import type { Notices } from './notices.ts';

export interface NetworkRecordOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: Notices;
}

const name = 'network';

export class NetworkRecord {
  private readonly options: NetworkRecordOptions;

  constructor(options: NetworkRecordOptions) {
    this.options = options;
  }

  read(): Network {
    return readNetwork(meta.get(this.options.store.sql, name));
  }

  /** Keeps a change of mind with what is told of it. */
  write(now: Network, before: Network): void {
    const { clock, log, notices } = this.options;
    const at = clock.now();
    log(lineOf(now, before, at));
    const value: Json = now.state === 'ok' ? null : { ...now };
    notices.say(happeningsOf(now, before, at), [meta.set({ name, value })]);
  }
}

function happeningsOf(now: Network, before: Network, at: number): Happening[] {
  if (now.state === 'lost') {
    return [{ kind: 'node_blind', at, startedAt: now.sinceAt, reason: now.reason }];
  }
  if (before.state !== 'lost') return [];
  return [{ kind: 'node_sighted', at, startedAt: before.sinceAt, endedAt: at, reason: before.reason }];
}

function lineOf(now: Network, before: Network, at: number): LogEntry {
  switch (now.state) {
    case 'suspect': {
      const message = `${now.reason}: this node may have lost its network, so nothing is held against them yet`;
      return { level: 'warning', event: 'node.suspect', message, fields: { reason: now.reason } };
    }
    case 'lost': {
      const message = `this node has lost its network: ${now.reason}`;
      return { level: 'error', event: 'node.blind', message, fields: { reason: now.reason } };
    }
    case 'ok': {
      const secs = before.state === 'ok' ? 0 : Math.max(0, Math.round((at - before.sinceAt) / 1000));
      const message = `this node reaches the network again after ${secs} s`;
      return { level: 'info', event: 'node.sighted', message, fields: { lost_secs: secs } };
    }
  }
}
