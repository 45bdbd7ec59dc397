/** Acknowledges an incident: over the API, or by the link of a message, which leads to a page with a button. */
import { aText } from '../../engine/core/decode.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { acknowledge, type LinkedIncident, unacknowledge } from '../../engine/operations/acknowledge.ts';
import { limits } from '../../engine/operations/limits.ts';
import { type HttpReply, jsonAnswer } from '../http-types.ts';
import { htmlType, pageHeadersOf } from '../page-headers.ts';
import { ackText, renderAckPage } from '../pages/ack-page.ts';
import { HttpProblem } from '../problem.ts';
import { prefersPage } from '../responses/preference.ts';
import { textType } from './page.ts';
import { fieldIn, inPath, ownFieldsOf } from './parameter.ts';
import { route, type RouteCall } from './route.ts';
import { count, incidentWith, object, orNull, ownFields, text } from './schema.ts';
import { refuseForeignPage } from './subscribe.ts';

const uid = inPath({ doc: 'The uid of an incident, or its number.' });

const withRoot = incidentWith({
  root: orNull(object({ id: count, uid: text, monitor: text })),
});

const fieldsOfAck = ownFields({
  by: { type: 'string', description: `At most ${limits.title} characters are kept.` },
  reason: { type: 'string', description: `At most ${limits.reason} characters are kept.` },
});

export const acknowledgeIncident = route({
  method: 'POST',
  path: '/api/incidents/{uid}/ack',
  summary: 'Acknowledge an open incident of a monitor: reminders stop, its recovery is still sent',
  parameters: { uid },
  access: 'operator',
  limit: 'api',
  body: {
    doc: 'Who takes care of the incident, and why; everything may be left out. The first acknowledgement counts.',
    schema: fieldsOfAck,
  },
  answers: {
    200: { doc: 'The incident, acknowledged; with it its root, where it is folded.', schema: withRoot },
  },
  problems: [400, 401, 404, 409, 413, 503],
  handle: async (call) => {
    const { row } = named(call);
    const { effects, redact, nowAt } = call;
    const body = call.body.length === 0 ? Buffer.from('{}') : call.body;
    const fields = ownFieldsOf(body, fieldsOfAck, redact);
    const request = {
      by: fieldIn(fields, 'by', aText) ?? 'api',
      reason: fieldIn(fields, 'reason', aText) ?? '',
    };
    const { rootOf } = call.scope;
    await acknowledge([row], request, { write: effects.write, redact, nowAt, rootOf });
    return standing(call);
  },
});

export const unacknowledgeIncident = route({
  method: 'DELETE',
  path: '/api/incidents/{uid}/ack',
  summary: 'Withdraw the acknowledgement of an open incident: reminders go on',
  parameters: { uid },
  access: 'operator',
  limit: 'api',
  answers: {
    200: { doc: 'The incident, no longer acknowledged, and neither is its root.', schema: withRoot },
  },
  problems: [401, 404, 409, 503],
  handle: async (call) => {
    const { effects, redact, nowAt, scope } = call;
    await unacknowledge([named(call).row], '', { write: effects.write, redact, nowAt, rootOf: scope.rootOf });
    return standing(call);
  },
});

type IncidentCall = RouteCall<{ readonly uid: typeof uid }>;

function named({ scope, values }: IncidentCall) {
  const found = scope.incident(values.uid);
  if (found === null) throw new HttpProblem(404, 'There is no such incident.');
  return found;
}

/** The incident as it is now, and the root that was acknowledged, or not any more, with it. */
function standing(call: IncidentCall): HttpReply {
  const { row, incident: view } = named(call);
  const root = call.scope.rootOf(row);
  const json = root === null ? null : { id: root.id, uid: root.uid, monitor: root.monitor };
  return jsonAnswer(200, { ...view, root: json });
}

const token = inPath({ doc: 'The signed part of the link in a message, for one incident and one channel.' });

/** A page for the holder of the link, or a sentence of it for programs. */
const answers = {
  200: { doc: 'The incident in question, as a page or as one sentence.', types: [htmlType, textType] },
};

export const ackPage = route({
  method: 'GET',
  path: '/ack/{token}',
  summary:
    'Acknowledge an incident by the link of a message: a page with a button, which changes nothing by itself',
  parameters: { token },
  access: 'anyone',
  limit: 'pages',
  answers,
  problems: [404],
  handle: (call) => ackAnswer(call, linkedTo(call)),
});

export const ackByLink = route({
  method: 'POST',
  path: '/ack/{token}',
  summary: 'Acknowledge an incident by the link of a message; doing it again changes nothing',
  parameters: { token },
  access: 'anyone',
  limit: 'api',
  body: { doc: 'Its contents are ignored.', schema: { type: 'object' }, isForm: true },
  answers,
  problems: [403, 404, 413, 503],
  handle: async (call) => {
    refuseForeignPage(call);
    const { incident: found, channel } = linkedTo(call);
    const { effects, redact, nowAt } = call;
    const { rootOf } = call.scope;
    const request = { by: channel, reason: '' };
    if (found.endedAt === null)
      await acknowledge([found], request, { write: effects.write, redact, nowAt, rootOf });
    return ackAnswer(call, linkedTo(call));
  },
});

type LinkCall = RouteCall<{ readonly token: typeof token }>;

/** A link that was guessed, altered, is of another server or too old is refused in the same words. */
function linkedTo({ scope, values, noteWrongLink }: LinkCall): LinkedIncident {
  const found = scope.incidentOfLink(values.token);
  if (found !== null) return found;
  noteWrongLink();
  throw new HttpProblem(404, 'This link does not work, or not any more: it lasts 24 hours.');
}

function ackAnswer(
  { headers, site, nowAt, values, scope }: LinkCall,
  { incident: found }: LinkedIncident,
): HttpReply {
  const common = { 'cache-control': 'private, no-store', vary: 'Accept' };
  const facts = {
    site,
    now: rfc3339(nowAt),
    token: values.token,
    incident: found,
    root: scope.rootOf(found),
  };
  if (!prefersPage(headers))
    return { status: 200, headers: { ...common, 'content-type': textType }, body: ackText(facts) };
  return {
    status: 200,
    headers: { ...pageHeadersOf(site, "'self'"), ...common },
    body: renderAckPage(facts),
  };
}
