/** Plans maintenance, lists it, and ends it. */
import { aText } from '../../engine/core/decode.ts';
import { maintenances } from '../../db/tables/maintenances.ts';
import { rowNumber, zoneArgument } from '../../engine/operations/arguments.ts';
import { limits } from '../../engine/operations/limits.ts';
import {
  checkMaintenance,
  createMaintenance,
  listMaintenance,
  maintenanceJson,
} from '../../engine/operations/maintenance.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { fieldIn, force, inPath, ownFieldsOf, textsIn } from './parameter.ts';
import { route } from './route.ts';
import {
  type AnswerSchema,
  count,
  instant,
  listOf,
  object,
  oneOf,
  orNull,
  ownFields,
  text,
  writtenName,
} from './schema.ts';

const planned = object({
  id: orNull(count),
  uid: text,
  title: text,
  monitors: listOf(text),
  start: instant,
  end: instant,
  state: oneOf(['active', 'planned']),
  source: oneOf(['operator', 'config', 'schedule']),
  created_at: orNull(instant),
});

const words = (description: string, items = writtenName): AnswerSchema => {
  return { type: 'array', items, description };
};

/** What is given names something. */
const given = (name: string): AnswerSchema => {
  return { required: [name], properties: { [name]: { minItems: 1 } } };
};

const asked = ownFields(
  {
    title: {
      type: 'string',
      description: `What readers see; at most ${limits.title} characters are kept. Absent: Maintenance.`,
    },
    monitors: words(
      'Ids or names of monitors, the listen_id of peers, or groups; ["all"] for everything. Needed unless groups are given.',
      { type: 'string', pattern: '[^\\s,]' },
    ),
    groups: words('Groups, with all their monitors.'),
    start: {
      type: 'string',
      examples: ['22:00', '2h'],
      description:
        'RFC 3339, in how long (2h), or a time (22:00, 2026-11-21 22:00) of the time zone. Absent: now.',
    },
    duration: {
      type: 'string',
      examples: ['90m', '1h30m'],
      description: `How long: 90m, 1h30m; ${limits.maintenance} at most.`,
    },
    end: {
      type: 'string',
      examples: ['23:30'],
      description: 'Instead of a duration: RFC 3339, or as the start.',
    },
    timezone: {
      type: 'string',
      examples: ['Europe/Berlin'],
      description: 'Zone of times that name none. Absent: [page] timezone, which is UTC by default.',
    },
  },
  {
    oneOf: [{ required: ['duration'] }, { required: ['end'] }],
    allOf: [{ anyOf: [given('monitors'), given('groups')] }],
  },
);

export const planMaintenance = route({
  method: 'POST',
  path: '/api/maintenance',
  summary: 'Plan maintenance: alerts are held back, and its time does not count for uptime',
  parameters: { force },
  access: 'operator',
  limit: 'api',
  body: {
    doc: 'Its time and what it covers. Either a duration or an end is needed.',
    schema: asked,
  },
  answers: { 201: { doc: 'The incident is durable and is shown.', schema: planned } },
  problems: [400, 401, 404, 413, 503],
  handle: async ({ values, scope, effects, body, nowAt, redact }) => {
    const fields = ownFieldsOf(body, asked, redact);
    const timeOf = (name: string) => {
      const time = fieldIn(fields, name, aText);
      return time === null ? null : redact(time);
    };
    const zone = timeOf('timezone');
    const wanted = {
      title: fieldIn(fields, 'title', aText) ?? '',
      monitors: textsIn(fields, 'monitors'),
      groups: textsIn(fields, 'groups').map(redact),
      start: timeOf('start'),
      duration: timeOf('duration'),
      end: timeOf('end'),
      timezone: zone === null ? scope.settings.page.timezone : zoneArgument(zone),
    };
    const created = await createMaintenance(checkMaintenance(wanted, nowAt), {
      known: [...scope.monitors, ...scope.peers],
      redact,
      publishing: { config: scope.publicTexts, isForced: values.force },
      write: effects.write,
      identity: effects.identity(maintenances),
    });
    return jsonAnswer(201, maintenanceJson(created, nowAt));
  },
});

export const listedMaintenance = route({
  method: 'GET',
  path: '/api/maintenance',
  summary: 'Maintenance that is planned or under way',
  parameters: {},
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'The next one first, including the next windows of schedules in the configuration.',
      schema: object({ maintenances: listOf(planned) }),
    },
  },
  problems: [401],
  handle: ({ scope, nowAt }) => {
    const listed = listMaintenance(scope.maintenances(), nowAt);
    return jsonAnswer(200, { maintenances: listed.map((window) => maintenanceJson(window, nowAt)) });
  },
});

export const cancelledMaintenance = route({
  method: 'DELETE',
  path: '/api/maintenance/{id}',
  summary: 'Cancel planned maintenance, or end what is under way',
  parameters: { id: inPath({ doc: 'The number of the maintenance, or its uid.' }) },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'Planned maintenance is cancelled; maintenance under way has ended now.',
      schema: object({ cancelled: count }),
    },
  },
  problems: [401, 404, 409, 413, 503],
  handle: async ({ values, scope, effects, nowAt }) => {
    const number = rowNumber(values.id);
    const found = listMaintenance(scope.maintenances(), nowAt).find(
      ({ id, uid }) => uid === values.id || (number !== null && id === number),
    );
    if (found === undefined) throw new HttpProblem(404, 'There is no such maintenance, or it is over.');
    if (found.id === null)
      throw new HttpProblem(409, 'It is of the configuration: change [[maintenance]] there.');
    const { id, uid } = found;
    const [answer] = await effects.write([maintenances.cancel({ id, uid, at: nowAt })]);
    return jsonAnswer(200, { cancelled: maintenances.cancel.answer(answer) });
  },
});
