/** Records a marker of a change. */
import { aText } from '../../engine/core/decode.ts';
import { events } from '../../db/tables/events.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { checkEvent, createEvent } from '../../engine/operations/event.ts';
import { jsonAnswer } from '../http-types.ts';
import { fieldIn, force, ownFieldsOf, textsIn } from './parameter.ts';
import { route } from './route.ts';
import { bodySubject, changed, ownFields } from './schema.ts';

const fieldsOfEvent = ownFields(
  {
    ...bodySubject,
    at: {
      type: 'string',
      examples: ['10m', '2h'],
      description: 'When it happened: RFC 3339, or how long ago (10m). Absent: now.',
    },
  },
  { required: ['title'] },
);

export const event = route({
  method: 'POST',
  path: '/api/event',
  summary: 'Mark that something was changed: a deployment, a migration',
  parameters: { force },
  access: 'operator',
  limit: 'api',
  body: {
    doc: 'The event. An alert that begins within half an hour after it names it.',
    schema: fieldsOfEvent,
  },
  answers: {
    201: {
      doc: 'The event is durable.',
      schema: changed,
    },
  },
  problems: [400, 401, 404, 413, 503],
  handle: async ({ values, scope, effects, body, nowAt, redact }) => {
    const fields = ownFieldsOf(body, fieldsOfEvent, redact);
    const at = fieldIn(fields, 'at', aText);
    const asked = {
      title: fieldIn(fields, 'title', aText) ?? '',
      monitors: textsIn(fields, 'monitors'),
      at: at === null ? null : redact(at),
    };
    const created = await createEvent(checkEvent(asked, nowAt), {
      known: scope.monitors,
      redact,
      publishing: { config: scope.publicTexts, isForced: values.force },
      write: effects.write,
      identity: effects.identity(events),
    });
    const { id, uid, title, monitors } = created;
    return jsonAnswer(201, { id, uid, title, monitors, at: rfc3339(created.at) });
  },
});
