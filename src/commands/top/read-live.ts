/** Reads from another server what the summary lacks; that server may be of another version, or have nothing. */
import {
  anObject,
  aNumber,
  aText,
  fieldsOf,
  oneOf,
  readAs,
  readList,
  type UnknownFields,
} from '../../engine/core/decode.ts';
import { statuses } from '../../engine/core/status.ts';
import { liveEventKinds } from '../../engine/views/feed.ts';
import type { LiveMonitor, LiveView } from '../../engine/views/live.ts';
import { timeOf } from './read-summary.ts';

const aStatus = oneOf(statuses);
const anEventKind = oneOf(liveEventKinds);

/** Null: a server of before, which does not say. */
export function readLive(json: unknown): LiveView | null {
  const { alerts_by_hour: alerts, feed, incidents, silences, monitors } = fieldsOf(json);
  if (!Array.isArray(monitors)) return null;
  return {
    alerts_by_hour: readList(alerts, aNumber),
    feed: readList(feed, anObject).map(({ at, kind, monitor, text: said }) => ({
      at: timeOf(at),
      kind: readAs(kind, anEventKind) ?? 'changed',
      monitor: readAs(monitor, aText),
      text: text(said),
    })),
    incidents: readList(incidents, anObject).map(({ uid, sent, failed, folded, withheld }) => ({
      uid: text(uid),
      sent: readList(sent, anObject).map(({ channel, at }) => ({ channel: text(channel), at: timeOf(at) })),
      failed: readList(failed, aText),
      folded: folded === true,
      withheld: readAs(withheld, aText),
    })),
    silences: readList(silences, anObject).flatMap(({ id, monitors: names, until, reason }) =>
      typeof id === 'number'
        ? [{ id, monitors: readList(names, aText), until: timeOf(until), reason: readAs(reason, aText) }]
        : [],
    ),
    monitors: readList(monitors, anObject).map(readMonitor),
  };
}

function readMonitor({ id, target, dependents, checks, hours, days }: UnknownFields): LiveMonitor {
  return {
    id: text(id),
    target: readAs(target, aText),
    dependents: readList(dependents, aText),
    checks: readList(checks, aStatus),
    hours: readList(hours, anObject).map(({ latency_ms, status }) => ({
      latency_ms: readAs(latency_ms, aNumber),
      status: readAs(status, aStatus) ?? 'unknown',
    })),
    days: readList(days, aStatus),
  };
}

function text(json: unknown): string {
  return readAs(json, aText) ?? '';
}
