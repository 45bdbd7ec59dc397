/** Stores the state of this node's network, so that an episode outlives a restart, and queues its notification. */
import { durationText, shownSpanSecs } from '../../core/duration.ts';
import type { Clock } from '../../core/clock.ts';
import { type NetworkEpisode, isContinuation, type Network, readNetwork } from './episode.ts';
import type { Log, LogEntry } from '../../core/log.ts';
import type { AlertEvent } from '../../alerting/events/catalogue.ts';
import type { Json } from '../../../db/store/operation.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import type { Store } from '../../../db/store/store.ts';
import { meta } from '../../../db/tables/meta.ts';
import type { NoticeSender } from '../notice-sender.ts';

export interface NetworkRecordOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: NoticeSender;
  /** The ids of the monitors that are hidden while these suspect the network. */
  readonly hidden: (by: NetworkEpisode['by']) => readonly string[];
}

const name = 'network';

export class NetworkRecord {
  private readonly options: NetworkRecordOptions;

  constructor(options: NetworkRecordOptions) {
    this.options = options;
  }

  read(): Network {
    return recordedNetwork(this.options.store.sql);
  }

  /** Keeps a changed verdict with its notification. */
  write(now: Network, before: Network): void {
    const { clock, log, notices, hidden } = this.options;
    const at = clock.now();
    log(lineOf(now, before, at));
    const value: Json = now.state === 'ok' && now.ended === null ? null : ({ ...now } as unknown as Json);
    notices.send(happeningsOf(now, before, { at, hidden }), [meta.set({ name, value })]);
  }
}

/** What this node thought of its network last, as it was written down. */
export function recordedNetwork(sql: SqlReader): Network {
  return readNetwork(meta.get(sql, name));
}

function happeningsOf(
  now: Network,
  before: Network,
  { at, hidden }: { readonly at: number } & Pick<NetworkRecordOptions, 'hidden'>,
): AlertEvent[] {
  if (now.state === 'lost') {
    const about = { at, startedAt: now.sinceAt, reason: now.reason, monitors: hidden(now.by) };
    return [{ kind: 'node_blind', ...about, isContinued: isContinuation(now, before) }];
  }
  if (before.state !== 'lost') return [];
  const about = { at, startedAt: before.sinceAt, reason: before.reason, monitors: hidden(before.by) };
  return [{ kind: 'node_sighted', ...about, endedAt: at }];
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
      const secs = before.state === 'ok' ? 0 : shownSpanSecs(before.sinceAt, at);
      const message = `this node reaches the network again after ${durationText(secs * 1000)}`;
      return { level: 'info', event: 'node.sighted', message, fields: { lost_secs: secs } };
    }
  }
}
