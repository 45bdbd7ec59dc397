/** Turns what happened into the operations that tell it: outbox rows and decisions. */
import type { Config } from '../config/config.ts';
import { episodeOf, type Happening, type Intent, queue } from '../core/tell/queue.ts';
import { routeOf } from '../core/tell/route.ts';
import type { Operation } from '../../db/operation.ts';
import type { SqlReader } from '../../db/sql.ts';
import { decisions } from '../../db/topics/decisions.ts';
import { outbox } from '../../db/topics/outbox.ts';

/** What telling looks at: the rows that are there, the settings of the moment. */
export interface Telling {
  readonly sql: SqlReader;
  readonly config: Config;
}

/** The operations that belong in the transaction of `happening`. */
export function tell(happening: Happening, { sql, config }: Telling): Operation[] {
  const { alerts, channels, monitors } = config;
  const about = 'monitor' in happening ? happening.monitor : null;
  const notify = monitors.find(({ id }) => id === about)?.notify ?? null;
  const intents = queue(happening, {
    rows: rowsOf(happening, sql),
    channels: routeOf(notify, channels),
    windowMs: alerts.group_window_secs * 1000,
    isDegradedTold: alerts.alert_on_degraded,
  });
  return operationsOf(intents, happening.at);
}

function rowsOf(happening: Happening, sql: SqlReader) {
  const isEnd =
    happening.kind === 'incident_closed' ||
    happening.kind === 'degraded_ended' ||
    happening.kind === 'node_sighted';
  return isEnd ? outbox.ofIncident(sql, episodeOf(happening)) : [];
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
