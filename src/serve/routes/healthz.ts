/** Tells whether this node works. */
import { jsonAnswer } from '../exchange.ts';
import { route } from './route.ts';
import { peerCountsShape, peerState } from './peer-schema.ts';
import { count, flag, instant, mapOf, number, object, oneOf, orNull, text } from './schema.ts';

const health = object({
  status: oneOf(['ok', 'degraded']),
  scheduler_ok: flag,
  db_ok: flag,
  last_tick_age: orNull(number),
  id: orNull(text),
  /** By id, for a peer and for the operator; others get the counts alone. */
  peers: mapOf(object({ state: peerState, age: orNull(count) })),
  peer_counts: peerCountsShape,
  network: object({ state: oneOf(['ok', 'suspect', 'lost']), since: orNull(instant) }),
});

export const healthz = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether this node works, and how it sees its peers',
  parameters: {},
  access: 'witness',
  isLimited: false,
  answers: {
    200: { doc: 'It works.', schema: health },
    503: { doc: 'The schedule stands still, or the database cannot keep anything.', schema: health },
  },
  problems: [],
  handle: ({ sight }) => {
    const view = sight.health();
    return jsonAnswer(view.status === 'ok' ? 200 : 503, view);
  },
});
