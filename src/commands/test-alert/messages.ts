/** Makes the two messages of a test. */
import { deliveryIdOf } from '../../engine/alerting/ids.ts';
import type { Down } from '../../engine/alerting/events/outage.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import type { Recovered } from '../../engine/alerting/events/recovered.ts';

export interface TestFacts {
  readonly monitor: Named;
  readonly channel: string;
  readonly nowAt: number;
  /** Unique: a channel that remembers what it took would not take it a second time. */
  readonly runId: string;
  readonly link: string | null;
}

/** How long the outage of a test seems to have lasted. */
const lengthMs = 60_000;
const reason = 'an operator tests the channels';

export function testMessages({
  monitor,
  channel,
  nowAt,
  runId,
  link,
}: TestFacts): readonly [Down, Recovered] {
  const startedAt = nowAt - lengthMs;
  const envelope = {
    monitor,
    isTest: true,
    link,
    startedAt,
    reason,
    impacted: [],
    grouping: { groupId: null, incidentIds: [] },
    incidentId: null,
  } as const;
  return [
    {
      ...envelope,
      event: 'down',
      deliveryId: deliveryIdOf(`test.${runId}.down`, channel),
      severity: 'error',
      at: nowAt,
      confirmedAt: nowAt,
      category: null,
      snapshot: null,
      confirmation: null,
      cause: null,
      vantage: null,
    },
    {
      ...envelope,
      event: 'recovered',
      deliveryId: deliveryIdOf(`test.${runId}.recovered`, channel),
      severity: 'info',
      at: nowAt,
      from: 'down',
      endedAt: nowAt,
      isLate: false,
      isRemoved: false,
    },
  ];
}
