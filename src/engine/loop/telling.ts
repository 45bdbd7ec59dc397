/** Turns what happened into the operations that tell it: outbox rows and decisions. */
import type { Config } from '../config/config.ts';
import { episodeOf, type Happening, type Intent, peerDeliveryIds, queue } from '../core/tell/queue.ts';
import { routeOf } from '../core/tell/route.ts';
import type { Operation } from '../../db/operation.ts';
import type { SqlReader } from '../../db/sql.ts';
import { decisions } from '../../db/topics/decisions.ts';
import { type DeliveryRow, outbox } from '../../db/topics/outbox.ts';

/** What telling looks at: the rows that are there, the settings of the moment. */
export interface Telling {
  readonly sql: SqlReader;
  readonly config: Config;
}

/** The operations that belong in the transaction of `happening`. */
export function tell(happening: Happening, { sql, config }: Telling): Operation[] {
  const { alerts, channels } = config;
  const intents = queue(happening, {
    rows: rowsOf(happening, { sql, config }),
    channels: routeOf(notifyOf(happening, config), channels),
    windowMs: alerts.group_window_secs * 1000,
    isDegradedTold: alerts.alert_on_degraded,
  });
  return operationsOf(intents, happening.at);
}

/** The `notify` of what it is about; null: every channel. */
function notifyOf(happening: Happening, { monitors, peers }: Config): readonly string[] | null {
  if ('monitor' in happening) return monitors.find(({ id }) => id === happening.monitor)?.notify ?? null;
  if ('peer' in happening) return peers.find(({ id }) => id === happening.peer)?.notify ?? null;
  return null;
}

function rowsOf(happening: Happening, { sql, config }: Telling): readonly DeliveryRow[] {
  const { kind } = happening;
  const isEnd = kind === 'incident_closed' || kind === 'unknown_ended' || kind === 'degraded_ended';
  if (isEnd || kind === 'node_sighted' || (kind === 'node_blind' && happening.isContinued))
    return outbox.ofIncident(sql, episodeOf(happening));
  if (kind !== 'peer_down' && kind !== 'peer_recovered') return [];
  // A channel whose secret is empty for now may be back before the peer is.
  const channels = [...config.channels, ...config.disabled_channels].map(({ name }) => name);
  return peerDeliveryIds(happening, channels).flatMap((id) => outbox.find(sql, id) ?? []);
}

/** Intents as operations of the store. `at` (epoch ms) is when they were decided. */
export function operationsOf(intents: readonly Intent[], at: number): Operation[] {
  return intents.map((intent) => operationOf(intent, at));
}

function operationOf(intent: Intent, at: number): Operation {
  switch (intent.kind) {
    case 'put':
      return outbox.put({ ...intent, createdAt: at });
    case 'replace':
      return outbox.replace(intent);
    case 'drop':
      return outbox.drop({ deliveryId: intent.deliveryId, at });
    case 'decide':
      return decisions.log({ ...intent, at });
  }
}
