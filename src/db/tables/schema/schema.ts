/** The schema of the store: its version, its tables, every operation it knows. */
import * as alerts from '../mutations/alerts.ts';
import * as channels from '../mutations/channels.ts';
import * as clock from '../mutations/clock.ts';
import * as decisions from '../mutations/decisions.ts';
import * as history from '../mutations/history.ts';
import * as incidents from '../mutations/incidents.ts';
import * as meta from '../mutations/meta.ts';
import * as monitors from '../mutations/monitors.ts';
import * as numbers from '../mutations/numbers.ts';
import * as observed from '../mutations/observed.ts';
import * as operator from '../mutations/operator.ts';
import * as outbox from '../mutations/outbox.ts';
import * as producerAlerts from '../mutations/producer-alerts.ts';
import * as prune from '../mutations/prune.ts';
import * as renames from '../mutations/renames.ts';
import * as samples from '../mutations/samples.ts';
import type { OperationRow, StoreSchema } from '../../store/operation.ts';
import { latestVersion, migrateWith, type Migration } from './migrations.ts';
import {
  heardAtOfMonitors,
  identities,
  ownFaultOfIncidents,
  uidsOfOperator,
  unreadableCertificates,
  version1,
} from './tables.ts';

const migrations: readonly Migration[] = [
  { to: 1, script: version1 },
  { to: 2, script: uidsOfOperator + identities + ownFaultOfIncidents },
  { to: 3, script: unreadableCertificates },
  { to: 4, script: heardAtOfMonitors },
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

export const schema: StoreSchema = {
  version: latestVersion(migrations),
  migrate: migrateWith(migrations),
  operations: topics.flatMap(rowsOf),
};
