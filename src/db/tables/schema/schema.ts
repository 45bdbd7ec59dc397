/** The schema of the store: its version, its tables, every operation it knows. */
import * as acknowledgementOperations from '../acknowledgements.ts';
import * as alertStates from '../alert-states.ts';
import * as announcements from '../announcements.ts';
import * as broadcasts from '../broadcasts.ts';
import * as certificates from '../certificates.ts';
import * as channels from '../channels.ts';
import * as clock from '../clock.ts';
import * as closedMonthOperations from '../closed-months.ts';
import * as decisions from '../decisions.ts';
import * as domains from '../domains.ts';
import * as events from '../events.ts';
import * as incidents from '../incidents.ts';
import * as incidentUpdates from '../incident-updates.ts';
import { losses } from '../losses.ts';
import * as maintainedDayOperations from '../maintained-days.ts';
import * as maintenances from '../maintenances.ts';
import * as meta from '../meta.ts';
import * as monitors from '../monitors.ts';
import * as numbered from '../numbered.ts';
import * as outbox from '../outbox.ts';
import * as pastDays from '../past-days.ts';
import * as peers from '../peers.ts';
import * as producerAlerts from '../producer-alerts.ts';
import * as move from '../retention/move.ts';
import * as prune from '../retention/prune.ts';
import * as weeks from '../retention/weeks.ts';
import * as recordedIncidents from '../recorded-incidents.ts';
import * as renames from '../renames.ts';
import * as samples from '../samples.ts';
import * as silences from '../silences.ts';
import * as subscribers from '../subscribers.ts';
import type { OperationRow, StoreSchema } from '../../store/operation.ts';
import { blankPages } from './blank.ts';
import { quietIncidents, readers } from './readers.ts';
import { plannedMaintenance, version5 } from './version5.ts';
import { latestVersion, migrateWith, type Migration } from './migrations.ts';
import {
  acknowledgements,
  closedMonths,
  heardAtOfMonitors,
  hourlyDays,
  identities,
  ownFaultOfIncidents,
  rollupWeeks,
  uidsOfOperator,
  unreadableCertificates,
  version1,
} from './tables.ts';
import { version11 } from './version11.ts';
import { version12 } from './version12.ts';

const migrations: readonly Migration[] = [
  { to: 1, script: version1 },
  { to: 2, script: uidsOfOperator + identities + ownFaultOfIncidents },
  { to: 3, script: unreadableCertificates },
  { to: 4, script: heardAtOfMonitors },
  { to: 5, script: version5 },
  { to: 6, script: `${plannedMaintenance}\n${readers}` },
  { to: 7, script: `${quietIncidents}\n${acknowledgements}` },
  { to: 8, script: hourlyDays },
  { to: 9, script: rollupWeeks },
  { to: 10, script: closedMonths },
  { to: 11, script: version11 },
  { to: 12, script: version12 },
];

const tables = [
  acknowledgementOperations,
  alertStates,
  announcements,
  broadcasts,
  certificates,
  channels,
  clock,
  closedMonthOperations,
  decisions,
  domains,
  events,
  incidents,
  incidentUpdates,
  maintainedDayOperations,
  maintenances,
  meta,
  monitors,
  numbered,
  outbox,
  pastDays,
  peers,
  producerAlerts,
  move,
  prune,
  recordedIncidents,
  renames,
  samples,
  silences,
  subscribers,
  weeks,
];

/** Every declared write of a table; what else its file exports is passed over. */
function rowsOf(table: Readonly<Record<string, unknown>>): OperationRow[] {
  return Object.values(table).flatMap((value) =>
    typeof value === 'function' && 'row' in value ? [value.row as OperationRow] : [],
  );
}

export const schema: StoreSchema = {
  version: latestVersion(migrations),
  migrate: migrateWith(migrations),
  operations: tables.flatMap(rowsOf),
  keepLosses: (sql, messages, at) =>
    losses.add(
      sql,
      messages.map((message) => ({ at, message })),
    ),
  blankPages,
};
