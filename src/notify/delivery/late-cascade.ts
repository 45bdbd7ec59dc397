/** Finds the late messages of one cascade: a channel that heard nothing while it lasted is sent one about all of it. */
import type { IncidentRow } from '../../db/tables/incidents.ts';
import { wereOpenTogether } from './contents.ts';
import type { DeliveryContext } from './context.ts';
import type { Ready } from './plan.ts';

/**
 * Those of `lates` that belong to the cascade of `first`, with the message about its root cause at the head. Only what
 * was part of the outage of the root, and lay in it at some time, is named by that message.
 */
export function cascadeOf(
  first: Ready,
  lates: readonly Ready[],
  context: Pick<DeliveryContext, 'incident'>,
): [Ready, ...Ready[]] {
  const incidents = new Map(lates.map((late) => [late, incidentOf(late, context)]));
  const covers = (root: Ready, late: Ready) =>
    isNamedBy(incidents.get(late) ?? null, incidents.get(root) ?? null);
  const roots = lates.filter((late) => !lates.some((other) => covers(other, late)));
  const root = roots.find((each) => covers(each, first)) ?? first;
  return [root, ...lates.filter((late) => late !== root && covers(root, late))];
}

function incidentOf({ row }: Ready, { incident }: Pick<DeliveryContext, 'incident'>): IncidentRow | null {
  return row.incident === null ? null : incident(row.incident);
}

function isNamedBy(dependent: IncidentRow | null, root: IncidentRow | null): boolean {
  if (dependent === null || root?.impacted.includes(dependent.monitor) !== true) return false;
  return wereOpenTogether(root, dependent);
}
