/** Chooses the monitors to check out of turn when the outage of another one begins or ends. */
import { unseenBelow } from '../../engine/alerting/blast.ts';
import { dependents } from '../../engine/core/graph.ts';
import type { DeliveryContext } from './context.ts';
import type { UpstreamChecks } from './upstream-checks.ts';

/**
 * Has the dependents of outages that began checked, so that the message about the root names what fails with it, and those
 * that were down with a monitor that recovered, so that nobody is called down for a check of before.
 */
export function checkAround(
  begun: ReadonlySet<string>,
  { settings, nowAt, outages, outageOf, look }: DeliveryContext,
  checks: UpstreamChecks,
): void {
  const { graph, windowMs } = settings;
  const below = new Set(checks.takeRecovered().flatMap((id) => dependents(graph, id)));
  const ids = new Set([...below].filter((id) => outageOf(id) !== null));
  if (windowMs > 0)
    for (const monitor of begun) {
      const outage = outages().get(monitor);
      if (outage !== undefined)
        for (const id of unseenBelow(outage, { graph, outages: outages(), look })) ids.add(id);
    }
  // Each is waited for by itself: one that hangs holds back no other.
  for (const id of ids) void checks.ask([id], nowAt + windowMs);
}
