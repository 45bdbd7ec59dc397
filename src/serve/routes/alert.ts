/** Accepts alerts of producers, and sends them on at once. */
import { decisions } from '../../db/tables/decisions.ts';
import { producerAlerts } from '../../db/tables/producer-alerts.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { Delivery } from '../../db/tables/outbox.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { queue } from '../../engine/alerting/queue.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { filteredDecisions, routed } from '../../engine/alerting/filter.ts';
import { withOnCall } from '../../engine/alerting/route.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { alertBody, readAlert, type AlertAsked } from './alert-body.ts';
import { monitorId } from './parameter.ts';
import { route, type RouteCall } from './route.ts';
import { count, object } from './schema.ts';

const parameters = { id: monitorId };

export const alert = route({
  method: 'POST',
  path: '/api/monitors/{id}/alert',
  summary: 'Send an alert through the channels of a monitor',
  parameters,
  access: 'alert',
  limit: 'api',
  body: { doc: 'The alert.', schema: alertBody },
  answers: {
    202: {
      doc: 'The alert is queued, or one with the same dedup_key was within the window.',
      schema: {
        oneOf: [
          object({ status: { const: 'dispatched' }, id: count }),
          object({ status: { const: 'coalesced' }, suppressed: count, retry_after_secs: count }),
        ],
      },
    },
  },
  problems: [400, 401, 404, 413, 503],
  handle: async (call) => {
    const { values, scope, effects, nowAt } = call;
    const monitor = scope.monitor(values.id);
    if (monitor === null) throw new HttpProblem(404, 'There is no such monitor.');
    const asked = readAlert(call.body, call.redact);
    const intents = intentsOf(asked, monitor, call);
    const [answer] = await effects.write([
      producerAlerts.raise({
        ...asked,
        monitor: monitor.id,
        at: nowAt,
        windowSecs: scope.settings.alerts.push_alert_window_secs,
        deliveries: intents.flatMap((intent) => deliveryOf(intent, nowAt)),
      }),
    ]);
    const raised = producerAlerts.raised(answer);
    if (raised.status === 'dispatched') effects.note(intents.flatMap((intent) => decisionOf(intent, nowAt)));
    return jsonAnswer(202, raised);
  },
});

/** One delivery a channel, due at once, and what is to be said of it. */
function intentsOf(
  { severity, title, message, tags, dedupKey }: AlertAsked,
  monitor: Monitor,
  { effects, nowAt, scope }: RouteCall<typeof parameters>,
): readonly Intent[] {
  const said = { event: 'alert', severity, monitor, at: nowAt } as const;
  const { channels, filtered } = routed(monitor.notify, scope.settings, said);
  const intents = queue(
    {
      kind: 'producer_alert',
      at: nowAt,
      uid: effects.newUid(),
      monitor: monitor.id,
      severity,
      title,
      message,
      tags,
      dedupKey,
    },
    { rows: [], channels, windowMs: 0, isDegradedNotified: false },
  );
  return [
    ...withOnCall(intents, monitor.notify, { ...scope.settings, at: nowAt }),
    ...filteredDecisions(filtered, { monitor: monitor.id, incident: null, event: 'alert' }),
  ];
}

function deliveryOf(intent: Intent, createdAt: number): Delivery[] {
  if (intent.kind !== 'put') return [];
  const { deliveryId, channel, event, monitor, incident, payload, nextAt } = intent;
  return [{ deliveryId, channel, event, monitor, incident, payload, createdAt, nextAt }];
}

function decisionOf(intent: Intent, at: number): Operation[] {
  return intent.kind === 'decide' ? [decisions.log({ ...intent, at })] : [];
}
