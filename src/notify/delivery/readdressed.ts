/** Copies pending deliveries of a channel whose destination changed to the new destination. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { type DeliveryRow, outbox } from '../../db/tables/outbox.ts';
import { recorded } from '../../db/tables/recorded-incidents.ts';
import { copiesOf } from '../../engine/alerting/copies.ts';
import { isOutageEvent } from '../../engine/alerting/events/outage.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import { changed } from '../../engine/alerting/events/stored.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { deliveryIdOf } from '../../engine/alerting/ids.ts';
import type { PendingDelivery } from './outbox-cache.ts';

/**
 * What waits for a channel whose destination was changed goes to the new one as well: the old one may never be back. So
 * does what the old one was sent about an incident that an operator opened and that lasts.
 * Not so what only the old one can make sense of: the end of what it was sent, reminders, and what it may have received.
 */
export function copiesFor(
  names: ReadonlySet<string>,
  waiting: Iterable<PendingDelivery>,
  { sql, nowAt }: { readonly sql: SqlReader; readonly nowAt: number },
): Operation[] {
  if (names.size === 0) return [];
  const news = [...waiting].filter(({ row }) => names.has(row.channel) && isNewsToAnyone(row));
  return [
    ...news.map(({ row, hold }) =>
      hold?.reason === 'channel_failed' ? dueCopyOf(row, sql, nowAt) : copyOf(row, sql),
    ),
    ...saidLast(names, sql).map((row) => dueCopyOf({ ...row, createdAt: nowAt }, sql, nowAt)),
  ];
}

/** What those channels were sent last about each incident that an operator opened and that lasts: more may follow. */
function saidLast(names: ReadonlySet<string>, sql: SqlReader): readonly DeliveryRow[] {
  const open = recorded.list(sql, { isOpen: true, limit: mostOpen }).incidents;
  return open
    .filter(({ monitor }) => monitor === null)
    .flatMap(({ uid }) => {
      const rows = outbox.ofIncident(sql, uid).filter(({ event }) => event === 'incident');
      return [...names].flatMap((name) => rows.findLast(({ channel }) => channel === name) ?? []);
    })
    .filter(({ state }) => state !== 'waiting');
}

const mostOpen = 100_000;

function copyOf(row: DeliveryRow, sql: SqlReader): Operation {
  const payload = changed(row.payload, { copies: null });
  return outbox.put({ ...row, deliveryId: idOfCopy(row, sql), payload });
}

/** Whatever became of the other one. */
function dueCopyOf(row: DeliveryRow, sql: SqlReader, nowAt: number): Operation {
  return copyOf({ ...row, payload: changed(row.payload, { hold: null }), nextAt: nowAt }, sql);
}

function isNewsToAnyone({ event, payload }: DeliveryRow): boolean {
  if (event === 'reminder') return false;
  if (event === 'recovered') return readRecovery(payload)?.isLate === true;
  return !isOutageEvent(event) || (copiesOf(payload) === null && namedByOf(payload) === null);
}

/** Under the same key, with a digest that no other delivery of it has. */
function idOfCopy({ deliveryId, channel }: DeliveryRow, sql: SqlReader): string {
  const key = deliveryId.replace(/\.[^.]+$/, '');
  for (let count = 2; ; count += 1) {
    const id = deliveryIdOf(key, `${channel} (${count})`);
    if (outbox.find(sql, id) === null) return id;
  }
}
