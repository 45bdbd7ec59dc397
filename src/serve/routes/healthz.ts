/** Reports the health of this node. */
import { jsonAnswer } from '../http-types.ts';
import { route } from './route.ts';
import {
  count,
  flag,
  instant,
  listOf,
  lossShape,
  mapOf,
  number,
  object,
  oneOf,
  orNull,
  peerCountsShape,
  peerState,
  text,
} from './schema.ts';

const health = object(
  {
    status: oneOf(['ok', 'degraded']),
    /** What is wrong, in words; null: nothing. Monitors that this host cannot check are named by number and cause. */
    reason: orNull(text),
    scheduler_ok: flag,
    db_ok: flag,
    /** Whether it keeps heartbeats, or hands them on to the leader where it stands by. */
    heartbeats_ok: flag,
    last_tick_age: orNull(number),
    id: orNull(text),
    /** Among the nodes that share a database; null: this node has one to itself. */
    role: orNull(oneOf(['leader', 'standby'])),
    /** The id of the node that leads; null: nobody does, or the node has its database to itself. */
    leader: orNull(text),
    /** For how long a standby has not seen what the leader writes. */
    behind_secs: orNull(number),
    /** Whether the nodes that share a database have the same configuration, or have differed for less than three leases; null: there is one. */
    config_same: orNull(flag),
    /** By id, for everybody. */
    peers: mapOf(object({ state: peerState, age: orNull(count) })),
    peer_counts: peerCountsShape,
    network: object({ state: oneOf(['ok', 'suspect', 'lost']), since: orNull(instant) }),
    losses: listOf(lossShape),
  },
  ['losses'],
);

export const healthz = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether this node works, and how it sees its peers',
  parameters: {},
  access: 'reader',
  limit: null,
  answers: {
    200: {
      doc: 'The node works. The status is degraded while monitors cannot be checked, or nodes have different configurations; the reason says why. With the access token `losses` has the changes that a start could not restore, until `statusd doctor --seen`; they change neither status nor code.',
      schema: health,
    },
    503: {
      doc: 'The scheduler is stalled, the database cannot be written, or a standby does not reach the leader.',
      schema: health,
    },
  },
  problems: [],
  handle: ({ scope }) => {
    const view = scope.health();
    // No other node cures a dead resolver: only where another one may do better is this one unavailable.
    return jsonAnswer(view.scheduler_ok && view.db_ok && view.heartbeats_ok ? 200 : 503, view);
  },
});
