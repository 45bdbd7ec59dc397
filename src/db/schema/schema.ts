/** The schema of the store: its version, its tables, every operation it knows. */
import * as alerts from '../ops/alerts.ts';
import * as channels from '../ops/channels.ts';
import * as clock from '../ops/clock.ts';
import * as decisions from '../ops/decisions.ts';
import * as history from '../ops/history.ts';
import * as incidents from '../ops/incidents.ts';
import * as meta from '../ops/meta.ts';
import * as monitors from '../ops/monitors.ts';
import * as numbers from '../ops/numbers.ts';
import * as observed from '../ops/observed.ts';
import * as operator from '../ops/operator.ts';
import * as outbox from '../ops/outbox.ts';
import * as producerAlerts from '../ops/producer-alerts.ts';
import * as prune from '../ops/prune.ts';
import * as renames from '../ops/renames.ts';
import * as samples from '../ops/samples.ts';
import type { OperationRow, Schema } from '../operation.ts';
import { latestVersion, migrateWith, type Migration } from './migrations.ts';
import { identities, ownFaultOfIncidents, uidsOfOperator, version1 } from './tables.ts';

const migrations: readonly Migration[] = [
  { to: 1, script: version1 },
  { to: 2, script: uidsOfOperator + identities + ownFaultOfIncidents },
];

const topics = [
  alerts,
  channels,
  clock,
  decisions,
  history,
  incidents,
  meta,
  monitors,
  numbers,
  observed,
  operator,
  outbox,
  producerAlerts,
  prune,
  renames,
  samples,
];

/** Every declared write of a topic; what else its file exports is passed over. */
function rowsOf(topic: Readonly<Record<string, unknown>>): OperationRow[] {
  return Object.values(topic).flatMap((value) =>
    typeof value === 'function' && 'row' in value ? [value.row as OperationRow] : [],
  );
}

export const schema: Schema = {
  version: latestVersion(migrations),
  migrate: migrateWith(migrations),
  operations: topics.flatMap(rowsOf),
};
