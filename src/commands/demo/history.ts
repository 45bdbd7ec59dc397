/** Writes the past of the demo as it would have been recorded: 90 days of samples, incidents, decisions and updates. */
import { nodeFiles } from '../../db/store/files/node.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';
import { openStore } from '../../db/store/open-store.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { StoredSample } from '../../db/samples/sample.ts';
import { acknowledgeIncident } from '../../db/tables/acknowledgements.ts';
import { addEvent } from '../../db/tables/events.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { annotateIncident, closeIncident, openIncident } from '../../db/tables/incidents.ts';
import { incidentUpdates } from '../../db/tables/incident-updates.ts';
import { monitors as monitorTable } from '../../db/tables/monitors.ts';
import { samples } from '../../db/tables/samples.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import { buildSnapshot } from '../../db/wal/checkpoint/build.ts';
import { because, type DecisionVerdict, type ReasonWord } from '../../engine/alerting/reasons.ts';
import type { Clock } from '../../engine/core/clock.ts';
import {
  changes,
  dayMs,
  dayOf,
  hourMs,
  job,
  minuteMs,
  outages,
  type PastOutage,
  type MonitorProfile,
  monitorProfiles,
  slowMs,
  slowTimes,
  spanOf,
  timeOf,
} from './past.ts';

export const historyDays = 90;
/** The present is the daemon's. */
const gapMs = 5000;
/** The distance between samples of each age. 25 hours are at another hour each day, so that every hour has some. */
const steps: readonly { readonly untilMs: number; readonly stepMs: number }[] = [
  { untilMs: dayMs, stepMs: minuteMs },
  // The heatmap has a cell an hour, four weeks back.
  { untilMs: 29 * dayMs, stepMs: hourMs },
  { untilMs: Infinity, stepMs: 25 * hourMs },
];
const steadySteps = [{ untilMs: 8 * dayMs, stepMs: minuteMs }, ...steps];

const everything: readonly { readonly id: string; readonly name: string }[] = [...monitorProfiles, job];

/** Everything there is to write, in the order in which it happened for each monitor. `nowAt` is epoch milliseconds. */
export function historyOf(nowAt: number): Operation[] {
  const fromAt = dayOf(nowAt) - (historyDays - 1) * dayMs;
  return [
    ...everything.map(({ id, name }) => monitorTable.see({ id, name, at: fromAt })),
    ...monitorProfiles.flatMap((rhythm) => samples.addHistory(rhythm.id, samplesOf(rhythm, fromAt, nowAt))),
    ...samples.addHistory(job.id, heartbeatsOf(fromAt, nowAt)),
    ...changes.map(({ title, monitors, at }, index) => {
      const uid = `demo-event-${index}`;
      return addEvent({ title, monitors, at: timeOf(at, nowAt), id: index + 1, uid });
    }),
    ...outages.flatMap((outage, index) => recordOf(outage, `demo-incident-${index + 1}`, nowAt)),
  ];
}

function samplesOf(rhythm: MonitorProfile, fromAt: number, nowAt: number): StoredSample[] {
  const down = outages.filter(({ monitor }) => monitor === rhythm.id).map((one) => spanOf(one, nowAt));
  const slow = slowTimes.filter(({ monitor }) => monitor === rhythm.id).map((one) => spanOf(one, nowAt));
  const found: StoredSample[] = [];
  const endAt = nowAt - gapMs;
  let number = 0;
  for (let at = fromAt, next = 0; at < endAt; at = next) {
    const { stepMs = hourMs } =
      (rhythm.isSteady === true ? steadySteps : steps).find(({ untilMs }) => nowAt - at <= untilMs) ?? {};
    next = Math.min(at + stepMs, endAt);
    // An outage begins and ends at its minute, not at that of a sample.
    for (const { startAt, endAt: overAt } of [...down, ...slow]) {
      for (const edge of [startAt, overAt]) if (edge > at && edge < next) next = edge;
    }
    number += 1;
    const isWithin = (span: { startAt: number; endAt: number }) => at >= span.startAt && at < span.endAt;
    // Of older days a failed check would stand for hours.
    const isFlap = next - at <= minuteMs && rhythm.flapsEvery !== undefined && number % rhythm.flapsEvery < 2;
    const isDown = down.some(isWithin) || isFlap;
    const isSlow = slow.some(isWithin);
    const usualMs = latencyAt(rhythm, at, number);
    found.push({
      at,
      status: isDown ? 'down' : isSlow ? 'degraded' : 'up',
      latencyMs: isDown ? null : isSlow ? slowMs + usualMs : usualMs,
      holdSecs: Math.ceil((next - at) / 1000),
      isHeartbeat: false,
    });
  }
  return found;
}

/** Quiet at four in the morning, busy at four in the afternoon, less so on weekends; never quite the same. */
function latencyAt({ baseMs, busyMs }: MonitorProfile, at: number, number: number): number {
  const share = (1 - Math.cos(((at - 4 * hourMs) / dayMs) * 2 * Math.PI)) / 2;
  const weekday = new Date(at).getUTCDay();
  const week = weekday === 0 || weekday === 6 ? 0.5 : 1;
  const noise = Math.abs(Math.sin(number * 12.9898 + baseMs) * 43_758.5453) % 1;
  const rare = noise > 0.985 ? 2.2 : 1;
  return Math.round((baseMs + busyMs * share * week) * (0.85 + noise * 0.3) * rare);
}

/** One a night at three, but for the night it did not run. */
function heartbeatsOf(fromAt: number, nowAt: number): StoredSample[] {
  const missed = outages.filter(({ monitor }) => monitor === job.id).map((one) => spanOf(one, nowAt));
  const beats: StoredSample[] = [];
  const put = (at: number, status: 'up' | 'down', untilAt: number) => {
    const holdSecs = Math.ceil((Math.min(untilAt, nowAt - gapMs) - at) / 1000);
    if (holdSecs > 0) beats.push({ at, status, latencyMs: null, holdSecs, isHeartbeat: status === 'up' });
  };
  for (let at = fromAt + 3 * hourMs; at < nowAt - gapMs; at += dayMs) {
    const miss = missed.find(({ startAt }) => startAt > at && startAt < at + hourMs);
    if (miss === undefined) put(at, 'up', at + dayMs);
    else {
      put(miss.startAt, 'down', miss.endAt);
      put(miss.endAt, 'up', at + dayMs);
    }
  }
  return beats;
}

/** The incident, what was decided about it and what people said. */
function recordOf(outage: PastOutage, uid: string, nowAt: number): Operation[] {
  const { monitor, category, reason, cause = null, impacted = [], updates = [], isMuted } = outage;
  const { acknowledged, note } = outage;
  const { startAt, endAt } = spanOf(outage, nowAt);
  const { name = monitor } = everything.find(({ id }) => id === monitor) ?? {};
  const confirmedAt = startAt + 2 * minuteMs;
  const open = openIncident({
    uid,
    monitor,
    name,
    startedAt: startAt,
    confirmedAt,
    category,
    reason,
    cause,
    impacted,
    snapshot: null,
    vantage: null,
    ownFault: null,
    carriedFrom: null,
  });
  const decide = (at: number, event: string, [verdict, why]: readonly [DecisionVerdict, ReasonWord]) =>
    decisions.log({ at, monitor, incident: uid, channel: 'phone', event, verdict, ...because(why) });
  const alerted =
    isMuted === true
      ? [decide(confirmedAt, 'down', ['held', 'muted']), decide(endAt, 'down', ['spared', 'over'])]
      : cause !== null
        ? [decide(confirmedAt, 'down', ['spared', 'folded'])]
        : [
            decide(confirmedAt, 'down', ['queued', 'window']),
            decide(confirmedAt + 5000, 'down', ['told', 'sent']),
            decide(endAt, 'recovered', ['queued', 'recovery']),
            decide(endAt + 1000, 'recovered', ['told', 'sent']),
          ];
  return [
    open,
    ...(acknowledged === undefined
      ? []
      : [
          acknowledgeIncident({
            uid,
            at: startAt + acknowledged.minute * minuteMs,
            by: acknowledged.by,
            reason: acknowledged.reason,
          }),
        ]),
    ...updates.map(([minute, state, message], index) =>
      incidentUpdates.add({
        uid: `${uid}-${index + 1}`,
        incident: uid,
        at: startAt + minute * minuteMs,
        state,
        message,
        author: null,
      }),
    ),
    closeIncident({ uid, endedAt: endAt }),
    ...alerted,
    ...(note === undefined ? [] : [annotateIncident({ uid, note, at: endAt + 3 * hourMs })]),
  ];
}

/** Makes the database `file` with this past in it. Rejects with the reason of `signal` when that is aborted meanwhile. */
export async function seedHistory(file: string, clock: Clock, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const store = await openStore({
    role: 'daemon',
    file,
    schema,
    files: nodeFiles,
    clock,
    processes: systemProcesses,
    build: (job) => buildSnapshot(job, nodeFiles, schema),
  });
  try {
    const operations = historyOf(clock.now());
    for (let index = 0; index < operations.length; index += recordLength) {
      signal?.throwIfAborted();
      await store.write(operations.slice(index, index + recordLength));
    }
  } finally {
    await store.close();
  }
}

/** How many operations make a record: long enough to be quick, short enough to be one write. */
const recordLength = 1000;
