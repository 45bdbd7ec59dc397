/** The link of a message about an incident, put straight into the store, so that it works. */
import type { Operation } from '../../src/db/store/operation.ts';
import { meta } from '../../src/db/tables/meta.ts';
import { outbox } from '../../src/db/tables/outbox.ts';
import { ackTokenOf } from '../../src/engine/operations/acknowledge.ts';

const key = 'the key of the links in these tests';

/** The signed part of the link that a message about an incident had, which went to a channel at `at` (epoch ms). */
export function ackTokenFor(incident: string, at: number, channel = 'ops'): string {
  return ackTokenOf(key, `${incident}.down.${channel}`, at);
}

/** What the store has to hold for it, beside the incident. */
export function ackLinkWrites(incident: string, monitor: string, at: number): readonly Operation[] {
  const channel = 'ops';
  const deliveryId = `${incident}.down.${channel}`;
  const payload = { startedAt: at, confirmedAt: at };
  return [
    meta.setLinkKey(key),
    outbox.put({ deliveryId, channel, event: 'down', monitor, incident, payload, createdAt: at, nextAt: at }),
    outbox.sent({ deliveryId, at }),
  ];
}
