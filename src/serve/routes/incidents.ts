/** Lists and shows incidents, and opens, updates and resolves those of operators. */
import { routeOf } from '../../engine/alerting/route.ts';
import { aText, shape } from '../../engine/core/decode.ts';
import { routed, saidOf } from '../../engine/alerting/filter.ts';
import { incidentOperations, incidentUpdateOperations } from '../../engine/monitoring/alert-operations.ts';
import { incidents as record } from '../../db/tables/incidents.ts';
import { recorded } from '../../db/tables/recorded-incidents.ts';
import { incidentImpacts, incidentStates, recentChangeMs } from '../../engine/core/record.ts';
import {
  checkIncident,
  checkUpdate,
  incidentDefaults,
  openIncident as open,
  type SaidOfIncident,
  updateIncident as update,
} from '../../engine/operations/incident.ts';
import { limits } from '../../engine/operations/limits.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import {
  flag,
  force,
  inPath,
  looseText,
  matching,
  optional,
  type Parameters,
  fieldIn,
  ownFieldsOf,
  textsIn,
  whole,
  withDefault,
} from './parameter.ts';
import { route, type RouteCall } from './route.ts';
import {
  type AnswerSchema,
  bodySubject,
  changed,
  exampleCursor,
  incident,
  incidentFields,
  listOf,
  object,
  orNull,
  ownFields,
  text,
} from './schema.ts';

export const incidents = route({
  method: 'GET',
  path: '/api/incidents',
  summary: 'Incidents, the newest first',
  parameters: {
    limit: withDefault(whole(1, 200), 50, { doc: 'How many incidents the answer has at most.' }),
    before: optional(
      matching('the next of an earlier answer', { isRight: record.isCursor, examples: [exampleCursor] }),
      {
        doc: 'The `next` of the answer before.',
      },
    ),
    monitor: optional(looseText('the id of a monitor'), { doc: 'Only those of this monitor.' }),
    open: optional(flag, { doc: 'Only open incidents, or only closed ones.' }),
  },
  access: 'reader',
  limit: 'api',
  answers: {
    200: {
      doc: 'One page of incidents; `next` is null on the last one.',
      schema: object({ incidents: listOf(incident), next: orNull(text) }),
    },
  },
  problems: [400],
  handle: ({ values, scope }) => {
    const { limit, before, monitor, open: isOpen } = values;
    return jsonAnswer(200, scope.incidents({ limit, before, monitor, isOpen }));
  },
});

const uid = inPath({ doc: 'The uid of the incident; with the access token its number as well.' });

export const incidentByName = route({
  method: 'GET',
  path: '/api/incidents/{uid}',
  summary: 'One incident, with its updates and its post-mortem',
  parameters: { uid },
  access: 'reader',
  limit: 'api',
  answers: {
    200: {
      doc: 'The incident. `postmortem` is Markdown, or null if there is none; `events` are the changes of the half hour before it and while it lasted.',
      schema: object({ ...incidentFields, events: listOf(changed), postmortem: orNull(text) }, [
        'id',
        'snapshot',
      ]),
    },
  },
  problems: [404],
  handle: ({ values, scope, nowAt }) => {
    const found = scope.incident(values.uid);
    if (found === null) throw new HttpProblem(404, 'There is no such incident.');
    const { row, incident: view } = found;
    const { text: postmortem = null } = scope.postmortem(row.uid) ?? {};
    const events = scope.events({
      fromAt: row.startedAt - recentChangeMs,
      toAt: row.endedAt ?? nowAt,
      monitors: view.monitors,
    });
    return jsonAnswer(200, { ...view, events, postmortem });
  },
});

const state: AnswerSchema = { type: 'string', enum: incidentStates };
const message: AnswerSchema = {
  type: 'string',
  description: `At most ${limits.message} characters are kept.`,
};

/** Only an update that resolves may be without. */
const said: AnswerSchema = { ...message, minLength: 1, examples: ['We know the cause.'] };

const fieldsOfIncident = ownFields(
  {
    ...bodySubject,
    message,
    state: { ...state, default: incidentDefaults.state },
    impact: { type: 'string', enum: incidentImpacts, default: incidentDefaults.impact },
    notify: {
      anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
      description:
        'The channels that are notified of the incident, its updates and its end: true for those of its monitors (of all monitors if it names none), or a list of names. Absent: no channel is, but subscribers get an e-mail. With false or an empty list subscribers get none either.',
    },
  },
  { required: ['title'] },
);

const fieldsOfUpdate = ownFields({ state, message: said }, { required: ['message'] });

export const openIncident = route({
  method: 'POST',
  path: '/api/incidents',
  summary: 'Open an incident by hand',
  parameters: { force },
  access: 'operator',
  limit: 'api',
  body: {
    doc: 'The incident. It does not change any uptime.',
    schema: fieldsOfIncident,
  },
  answers: { 201: { doc: 'The incident is durable and is shown.', schema: incident } },
  problems: [400, 401, 404, 413, 503],
  handle: async (call) => {
    const { scope, effects } = call;
    const fields = ownFieldsOf(call.body, fieldsOfIncident, call.redact);
    const notify = notifyIn(fields, scope);
    const channels = notify ?? false;
    const checked = checkIncident({
      title: fieldIn(fields, 'title', aText) ?? '',
      message: fieldIn(fields, 'message', aText) ?? '',
      state: fieldIn(fields, 'state', aText) ?? incidentDefaults.state,
      impact: fieldIn(fields, 'impact', aText) ?? incidentDefaults.impact,
      monitors: textsIn(fields, 'monitors'),
    });
    const { uid: opened } = await open(checked, {
      ...groundOf(call, call.values.force),
      known: scope.monitors,
      identity: effects.identity(recorded),
      notices: (said) =>
        channels === false ? [] : incidentOperations(said, channelsOf(channels, said, scope)),
      isQuiet: notify === false,
    });
    return jsonAnswer(201, shown(opened, call));
  },
});

export const updateIncident = route({
  method: 'POST',
  path: '/api/incidents/{uid}/updates',
  summary: 'Add an update to an incident, or resolve one that was opened by hand',
  parameters: { uid, force },
  access: 'operator',
  limit: 'api',
  body: {
    doc: 'The update. The state `resolved` ends an incident that was opened by hand; that of a monitor ends by itself.',
    schema: fieldsOfUpdate,
  },
  answers: { 201: { doc: 'The incident with the update.', schema: incident } },
  problems: [400, 401, 404, 409, 413, 503],
  handle: async (call) => {
    const found = call.scope.incident(call.values.uid);
    if (found === null) throw new HttpProblem(404, 'There is no such incident.');
    const fields = ownFieldsOf(call.body, fieldsOfUpdate, call.redact);
    const checked = checkUpdate({
      message: fieldIn(fields, 'message', aText) ?? '',
      state: fieldIn(fields, 'state', aText),
    });
    await update(found.row, checked, groundOf(call, call.values.force));
    return jsonAnswer(201, shown(found.row.uid, call));
  },
});

const wishes = shape(
  'true, false or a list of channels',
  (value): value is boolean | readonly string[] =>
    typeof value === 'boolean' || (Array.isArray(value) && value.every((name) => typeof name === 'string')),
);

/** Null: nothing is said of it. False: nobody is to be notified. Throws a 404 for a channel that there is none of. */
function notifyIn(
  fields: ReturnType<typeof ownFieldsOf>,
  { settings }: RouteCall<Parameters>['scope'],
): true | false | readonly string[] | null {
  const wish = fieldIn(fields, 'notify', wishes);
  if (wish === null || typeof wish === 'boolean') return wish;
  const known = [...settings.channels, ...settings.rotations].map(({ name }) => name);
  const unknown = wish.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new HttpProblem(404, `There is no channel '${unknown}'.`);
  return wish.length === 0 ? false : [...new Set(wish)];
}

/** In the order of the configuration, each once. What is named is meant; filters are for the others. */
function channelsOf(
  notify: true | readonly string[],
  said: SaidOfIncident,
  { settings, monitor }: RouteCall<Parameters>['scope'],
): readonly string[] {
  const { at } = said;
  if (notify !== true) return routeOf(notify, settings, at);
  const about = saidOf({ kind: 'incident_said', ...said });
  const monitors = said.monitors.length === 0 ? [null] : said.monitors.map(monitor);
  const taking = new Set(
    monitors.flatMap((each) => {
      return routed(each?.notify ?? null, settings, { ...about, monitor: each, at }).channels;
    }),
  );
  return settings.channels.flatMap(({ name }) => (taking.has(name) ? [name] : []));
}

type IncidentsCall = Pick<RouteCall<Parameters>, 'scope' | 'effects' | 'redact' | 'nowAt'>;

function groundOf({ effects, redact, nowAt, scope }: IncidentsCall, isForced: boolean) {
  const notices = (said: SaidOfIncident) => incidentUpdateOperations(said, scope.channelsOfOpened(said.uid));
  const publishing = { config: scope.publicTexts, isForced };
  return { write: effects.write, newUid: effects.newUid, redact, nowAt, author: 'api', notices, publishing };
}

/** As the operator sees it once it was written. */
function shown(name: string, { scope }: IncidentsCall) {
  return scope.incident(name)?.incident ?? null;
}
