/** Composes the messages about monitors that cannot be checked, and about what was found afterwards. */
import { muteOf } from '../../engine/core/mute.ts';
import type { Unknown } from '../../engine/alerting/events/outage.ts';
import { type OutagePayload, readOutage } from '../../engine/alerting/events/outage-payload.ts';
import { type FoundState, readRecovery, type Recovered } from '../../engine/alerting/events/recovered.ts';
import { severityOf } from '../../engine/alerting/events/catalogue.ts';
import { routed } from '../../engine/alerting/filter.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { isBlockedBy } from './decide-unknown.ts';
import { gradeOfAll } from './compose-one.ts';
import { type DeliveryContext, type MessageHead, named } from './context.ts';

type Rows = readonly [DeliveryRow, ...DeliveryRow[]];

/** One message about all of `rows`, which share a cause and a channel. Null: unreadable. */
export function composeUnknown(rows: Rows, head: MessageHead, context: DeliveryContext): Unknown | null {
  const all = rows.flatMap((row) => {
    const payload = readOutage(row.payload);
    return payload === null || row.monitor === null ? [] : [{ row, payload, monitor: row.monitor }];
  });
  const [first] = all;
  const ownFault = first?.payload.ownFault ?? null;
  if (first === undefined || ownFault === null) return null;
  const records = all.flatMap(({ row }) =>
    row.incident === null ? [] : (context.incident(row.incident) ?? []),
  );
  const confirmed = new Set(all.map(({ monitor }) => monitor));
  const others = blockedToo(first.row.channel, ownFault, context).filter((id) => !confirmed.has(id));
  const { confirmation, confirmedAt } = first.payload;
  return {
    ...head,
    event: 'unknown',
    severity: gradeOfAll('unknown', [...confirmed, ...others], context),
    at: confirmedAt,
    monitor: named(first.monitor, context),
    impacted: [...all.slice(1).map(({ monitor }) => monitor), ...others].map((id) => named(id, context)),
    ownFault,
    startedAt: earliest(all.map(({ payload }) => payload)),
    confirmedAt,
    reason: records[0]?.reason ?? null,
    confirmation: confirmation === '' ? null : confirmation,
    incidentId: records[0]?.id ?? null,
    incidentIds: records.map(({ id }) => id),
  };
}

/** One message about the end of all of `rows`. Null: unreadable. */
export function composeChecksAgain(
  rows: Rows,
  head: MessageHead,
  context: DeliveryContext,
): Recovered | null {
  const all = rows.flatMap((row) => {
    const payload = readRecovery(row.payload);
    return payload === null || row.monitor === null ? [] : [{ row, payload, monitor: row.monitor }];
  });
  const [first] = all;
  if (first === undefined) return null;
  const ids = [...new Set(all.flatMap(({ monitor, payload }) => [monitor, ...payload.alsoNamed]))];
  const found = ids
    .filter((id) => context.settings.monitors.has(id) || id === first.monitor)
    .map((id): FoundState => ({ ...named(id, context), state: stateOf(id, context) }));
  const incident = first.row.incident === null ? null : context.incident(first.row.incident);
  const endedAt = all.reduce((latest, { payload }) => Math.max(latest, payload.endedAt), 0);
  return {
    ...head,
    event: 'recovered',
    severity: severityOf('recovered', null),
    at: endedAt,
    monitor: named(first.monitor, context),
    from: 'unknown',
    startedAt: earliest(all.map(({ payload }) => payload)),
    endedAt,
    reason: incident?.reason ?? null,
    impacted: found.filter(({ id }) => id !== first.monitor).map(({ id, name }) => ({ id, name })),
    isLate: first.payload.isLate,
    // Of one that is gone by now nobody can say that it is checked again.
    isRemoved: all.every(
      ({ payload, monitor }) => payload.isRemoved || !context.settings.monitors.has(monitor),
    ),
    incidentId: incident?.id ?? null,
    grouping: { groupId: first.payload.causeGroup, incidentIds: incidentIdsOf(all, context) },
    found,
    ownFault: first.payload.ownFault,
  };
}

function incidentIdsOf(all: readonly { readonly row: DeliveryRow }[], context: DeliveryContext): number[] {
  return all.flatMap(({ row }) => (row.incident === null ? [] : (context.incident(row.incident)?.id ?? [])));
}

/** The monitors of a channel whose checks fail for the same cause, silenced ones aside. */
function blockedToo(
  channel: string,
  ownFault: string,
  { nowAt, settings, situation, stateOf }: DeliveryContext,
): string[] {
  return settings.config.monitors.flatMap((monitor) => {
    const { id, notify } = monitor;
    if (!isBlockedBy(stateOf(id), ownFault) || muteOf(id, situation).kind !== 'open') return [];
    const said = { event: 'unknown', severity: severityOf('unknown', null), monitor, at: nowAt } as const;
    return routed(notify, settings.config, said).channels.includes(channel) ? [id] : [];
  });
}

function stateOf(id: string, context: DeliveryContext): FoundState['state'] {
  const state = context.stateOf(id);
  if (state === null || state.unchecked !== null) return 'unknown';
  if (state.incident !== null) return 'down';
  return state.failures === null || state.status === 'unknown' ? state.status : 'failing';
}

function earliest(payloads: readonly Pick<OutagePayload, 'startedAt'>[]): number {
  return payloads.reduce((first, { startedAt }) => Math.min(first, startedAt), Infinity);
}
