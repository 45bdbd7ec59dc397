/** Takes in what a producer has to say, and sends it on at once. */
import { decisions } from '../../db/topics/decisions.ts';
import { producerAlerts } from '../../db/topics/producer-alerts.ts';
import type { Operation } from '../../db/operation.ts';
import type { Delivery } from '../../db/ops/outbox.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { queue, type Intent } from '../../engine/core/tell/queue.ts';
import { routeOf } from '../../engine/core/tell/route.ts';
import { jsonAnswer } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { alertBody, readAlert, type AlertAsked } from './alert-body.ts';
import { monitorId } from './monitor-id.ts';
import { route, type Call } from './route.ts';
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
      doc: 'It is on its way, or one with the same dedup_key was a moment ago.',
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
    const { values, sight, effects, nowAt } = call;
    const monitor = sight.monitor(values.id);
    if (monitor === null) throw new Problem(404, 'There is no such monitor.');
    const asked = readAlert(call.body, call.redact);
    const intents = intentsOf(asked, monitor, call);
    const [answer] = await effects.write([
      producerAlerts.raise({
        ...asked,
        monitor: monitor.id,
        at: nowAt,
        windowSecs: sight.settings.alerts.push_alert_window_secs,
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
  { severity, title, message, tags }: AlertAsked,
  monitor: Monitor,
  { effects, nowAt, sight }: Call<typeof parameters>,
): readonly Intent[] {
  return queue(
    {
      kind: 'producer_alert',
      at: nowAt,
      uid: effects.newUid(),
      monitor: monitor.id,
      severity,
      title,
      message,
      tags,
    },
    {
      rows: [],
      channels: routeOf(monitor.notify, sight.settings.channels),
      windowMs: 0,
      isDegradedTold: false,
    },
  );
}

function deliveryOf(intent: Intent, createdAt: number): Delivery[] {
  if (intent.kind !== 'put') return [];
  const { deliveryId, channel, event, monitor, incident, payload, nextAt } = intent;
  return [{ deliveryId, channel, event, monitor, incident, payload, createdAt, nextAt }];
}

function decisionOf(intent: Intent, at: number): Operation[] {
  return intent.kind === 'decide' ? [decisions.log({ ...intent, at })] : [];
}
