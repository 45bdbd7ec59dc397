/** Lists the incident record. */
import { incidents as record } from '../../db/tables/incidents.ts';
import { jsonAnswer } from '../http-types.ts';
import { incident, listOf, object, orNull, text } from './schema.ts';
import { flag, looseText, matching, optional, whole, withDefault } from './parameter.ts';
import { route } from './route.ts';

export const incidents = route({
  method: 'GET',
  path: '/api/incidents',
  summary: 'Incidents, the newest first',
  parameters: {
    limit: withDefault(whole(1, 200), 50, { doc: 'How many.' }),
    before: optional(matching('the next of an earlier answer', record.isCursor), {
      doc: 'Go on after an earlier answer: its next.',
    }),
    monitor: optional(looseText('the id of a monitor'), { doc: 'Only those of one monitor.' }),
    open: optional(flag, { doc: 'Only those that are open, or only those that are over.' }),
  },
  access: 'reader',
  limit: 'api',
  answers: {
    200: {
      doc: 'One page; next is null on the last.',
      schema: object({ incidents: listOf(incident), next: orNull(text) }),
    },
  },
  problems: [400],
  handle: ({ values, scope }) => {
    const { limit, before, monitor, open } = values;
    return jsonAnswer(200, scope.incidents({ limit, before, monitor, isOpen: open }));
  },
});
