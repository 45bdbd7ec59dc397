/** Receives heartbeats. */
import { boundedText } from '../../engine/core/text.ts';
import { type HeartbeatStatus, heartbeatStatuses } from '../../engine/monitoring/heartbeats/silence.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { fixedAnswer } from '../responses/cached-response.ts';
import { choice, inPath, line, optional, type ParameterType, withDefault } from './parameter.ts';
import { route } from './route.ts';
import { object } from './schema.ts';

/** A latency beyond a month is a slip. */
const maxPingMs = 2_592_000_000;

const maxWord = 64;

const taken = fixedAnswer(jsonAnswer(200, { status: 'ok' }));

const known = choice(heartbeatStatuses);

/** A status that is not known is handed on as it was written, without the secrets in it. */
const word: ParameterType<string> = {
  ...known,
  read: (written, redact) => {
    const bare = written.trim();
    return known.read(bare, redact) ?? boundedText(redact(bare), maxWord, ' ');
  },
};

/** The leading number, as `parseFloat` reads it; NaN where there is none, or none that can be a latency. */
const leadingMs: ParameterType<number> = {
  schema: {
    type: ['number', 'string'],
    examples: ['12'],
    description: 'The leading number counts. One that cannot be read is left out.',
  },
  allowed: 'a number',
  read: (written) => {
    // A sum, because the rounding of what is hardly negative is -0.
    const ms = Math.round(Number.parseFloat(written)) + 0;
    return ms >= 0 && ms <= maxPingMs ? ms : Number.NaN;
  },
};

const said = {
  status: withDefault(word, 'up', {
    doc: 'The status of the sender, in any letter case. With the push token in the path any other word is down, and the reason.',
  }),
  msg: optional(line(500), { doc: 'What it has to say.' }),
  ping: optional(leadingMs, { doc: 'Its latency in milliseconds.' }),
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
export const pushByGet = heartbeatRoute('GET', 'The same for senders that use GET or HEAD');
export const push = heartbeatRoute('POST', 'Record a heartbeat of a push monitor or of a peer');

function heartbeatRoute(method: 'GET' | 'POST', summary: string) {
  return route({
    method,
    path: '/api/push/{id}',
    summary,
    parameters: {
      id: inPath({
        doc: 'The config id of a push monitor, the listen_id of a peer, or the push token of a monitor, where it has 20 characters or more; with the token any method is taken. A slash may follow.',
      }),
      ...said,
    },
    ...(method === 'POST' && { body: sent }),
    access: 'heartbeat',
    mayEndInSlashes: true,
    limit: 'api',
    answers: {
      200: { doc: 'The heartbeat is durable.', schema: object({ status: { const: 'ok' } }) },
    },
    problems: method === 'GET' ? [400, 401, 404, 503] : [400, 401, 404, 413, 503],
    handle: ({ values, hasPathToken, effects, scope }) => {
      const { id, msg, ping } = values;
      const { status, reason } = statusIn(values.status, hasPathToken);
      const message = msg === '' || msg === null ? reason : msg;
      const kept =
        scope.peer === null
          ? effects.heartbeat({ monitor: id, status, message, pingMs: Number.isNaN(ping) ? null : ping })
          : effects.peerHeartbeat({ peer: scope.peer, status, message });
      return kept.then(() => taken);
    },
  });
}

/**
 * The status that a word stands for; `reason` is null where the status says it all. Senders for Uptime Kuma, which have
 * their token in the path, mean down by every word but "up". Throws a 400 for an unknown word of any other sender.
 */
function statusIn(
  written: string,
  isForKuma: boolean,
): { readonly status: HeartbeatStatus; readonly reason: string | null } {
  const status = heartbeatStatuses.find((one) => one === written);
  if (status !== undefined) return { status, reason: null };
  if (!isForKuma) throw new HttpProblem(400, `status must be ${known.allowed}.`);
  return { status: 'down', reason: written === '' ? null : `the heartbeat said ${written}` };
}
