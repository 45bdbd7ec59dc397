/** Receives heartbeats. */
import { heartbeatStatuses } from '../../engine/monitoring/heartbeats/silence.ts';
import { jsonAnswer } from '../http-types.ts';
import { fixedAnswer } from '../responses/cached-response.ts';
import { choice, inPath, line, optional, whole, withDefault } from './parameter.ts';
import { route } from './route.ts';
import { object } from './schema.ts';

/** A latency beyond a month is a slip. */
const maxPingMs = 2_592_000_000;

const taken = fixedAnswer(jsonAnswer(200, { status: 'ok' }));

const said = {
  status: withDefault(choice(heartbeatStatuses), 'up', { doc: 'The status of the sender.' }),
  msg: optional(line(500), { doc: 'What it has to say.' }),
  ping: optional(whole(0, maxPingMs), { doc: 'Its latency in milliseconds.' }),
};

/** What senders put into a body by habit (`curl -d status=down`). */
const sent = {
  doc: 'Parameters that are not in the query. JSON with other fields, and any other text, is ignored.',
  schema: {
    type: 'object',
    properties: { status: said.status.schema, msg: said.msg.schema, ping: said.ping.schema },
  },
  isForm: true,
  hasParameters: true,
} as const;

/** For senders that only know GET, those of Uptime Kuma among them. */
export const pushByGet = heartbeatRoute('GET', 'The same for senders that use GET');
export const push = heartbeatRoute('POST', 'Record a heartbeat of a push monitor or of a peer');

function heartbeatRoute(method: 'GET' | 'POST', summary: string) {
  return route({
    method,
    path: '/api/push/{id}',
    summary,
    parameters: {
      id: inPath({
        doc: 'The config id of a push monitor, the listen_id of a peer, or the push token of a monitor, where it has 20 characters or more.',
      }),
      ...said,
    },
    ...(method === 'POST' && { body: sent }),
    access: 'heartbeat',
    limit: 'api',
    answers: {
      200: { doc: 'The heartbeat is durable.', schema: object({ status: { const: 'ok' } }) },
    },
    problems: method === 'GET' ? [400, 401, 404, 503] : [400, 401, 404, 413, 503],
    handle: ({ values, effects, scope }) => {
      const { id, status, msg, ping } = values;
      const message = msg === '' ? null : msg;
      const kept =
        scope.peer === null
          ? effects.heartbeat({ monitor: id, status, message, pingMs: ping })
          : effects.peerHeartbeat({ peer: scope.peer, status, message });
      return kept.then(() => taken);
    },
  });
}
