/** Decides which viewer a request comes from, and whether its route is open to that viewer. */
import type { Config, Monitor, Peer } from '../../engine/config/config.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { HttpProblem } from '../problem.ts';
import type { Presented } from './token.ts';
import { holderOf, isAnyToken, wayOf } from './token.ts';
import type { Viewer } from './viewer.ts';

/** What a route asks of its caller. */
export type Access =
  /** Anyone, and none is shown more: a token counts for nothing. */
  | 'anyone'
  /** Anyone; the access token shows more. */
  | 'reader'
  /** Anyone; the access token shows more, and so does the token of the group in the path. */
  | 'group'
  /** The access token. */
  | 'operator'
  /** The `listen_token` of any peer. */
  | 'peer'
  /** The `token` of `[node]`. */
  | 'node'
  /** The push token of the push monitor in the path, in its place too, or the `listen_token` of the peer whose `listen_id` it is. */
  | 'heartbeat'
  /** The push token of the monitor in the path, or the access token. */
  | 'alert';

export type Admission =
  /** `hasProof`: a token of the monitor's own was right, so the request need not share a bucket with unauthenticated ones. */
  | { readonly kind: 'admitted'; readonly viewer: Viewer; readonly hasProof: boolean }
  | { readonly kind: 'refused'; readonly problem: HttpProblem };

export interface AccessRequest {
  readonly presented: Presented;
  /** The `{id}` of the path; null when it has none. */
  readonly id: string | null;
  /** The `{group}` of the path; null when it has none. */
  readonly group: string | null;
}

const anybody = admitted({ kind: 'anonymous' });

export function admit(access: Access, { presented, id, group }: AccessRequest, config: Config): Admission {
  if (access === 'anyone') return anybody;
  if (access === 'peer') return admitPeer(presented, config);
  if (access === 'node') return admitNode(presented, config);
  const operator = operatorOf(presented, config);
  switch (access) {
    case 'group': {
      const member = operator ?? memberOf(group, presented, config);
      return member === null ? anybody : admitted(member);
    }
    case 'reader':
      return operator === null ? anybody : admitted(operator);
    case 'operator':
      return operator === null ? refused(needsAccessToken()) : admitted(operator);
    case 'heartbeat': {
      const peer = config.peers.find(({ listen_id }) => listen_id === id);
      if (peer !== undefined) return admitHeartbeatOf(peer, presented);
      return admitProducer(access, { presented, monitor: monitorOf(config, id), operator });
    }
    case 'alert':
      return admitProducer(access, { presented, monitor: monitorOf(config, id), operator });
  }
}

/** Whether a token of the request was right. */
export function isProven(admission: Admission): boolean {
  if (admission.kind === 'refused') return false;
  const { viewer, hasProof } = admission;
  return hasProof || viewer.kind === 'operator' || viewer.kind === 'group';
}

/** Null: the access token was not presented. */
export function operatorOf(presented: Presented, { server }: Config): Viewer | null {
  const way = wayOf(server.auth_token, presented);
  return way === null ? null : { kind: 'operator', isByAddress: way === 'address' };
}

function memberOf(group: string | null, presented: Presented, config: Config): Viewer | null {
  if (group === null) return null;
  const way = wayOf(groupToken(config, group), presented);
  return way === null ? null : { kind: 'group', group, isByAddress: way === 'address' };
}

/** Another node shows its token in the header alone: an address ends up in logs. */
function admitPeer({ push }: Presented, { peers }: Config): Admission {
  const holder = holderOf(
    push,
    peers.map(({ id, listen_token }) => ({ id, secret: listen_token })),
  );
  return holder === null ? refused(needsPeerToken()) : admitted({ kind: 'peer', peer: holder.id }, true);
}

function admitNode({ bearer }: Presented, { node }: Config): Admission {
  return isAnyToken(node.token, [bearer]) ? admitted({ kind: 'node' }, true) : refused(needsNodeToken());
}

function admitHeartbeatOf({ id, listen_token }: Peer, { push, query }: Presented): Admission {
  const viewer: Viewer = { kind: 'peer', peer: id };
  // As for a push monitor without a token: anyone can send these, and a warning of the configuration says so.
  if (listen_token === null) return admitted(viewer);
  return isAnyToken(listen_token, [push, query]) ? admitted(viewer, true) : refused(wrongToken('heartbeat'));
}

interface Producer {
  readonly presented: Presented;
  readonly monitor: Monitor | null;
  /** Null: the access token was not presented. */
  readonly operator: Viewer | null;
}

function admitProducer(access: 'heartbeat' | 'alert', { presented, monitor, operator }: Producer): Admission {
  if (monitor === null || (access === 'heartbeat' && monitor.kind !== 'push'))
    return refused(missing(access));
  if (access === 'alert' && operator !== null) return admitted(operator, true);
  const token = monitor.push_token;
  const viewer: Viewer = { kind: 'producer', monitor: monitor.id };
  if (isAnyToken(token, [presented.push, presented.query, presented.path])) return admitted(viewer, true);
  // A push monitor without a token takes heartbeats from anyone, and a warning of the configuration says so.
  if (access === 'heartbeat' && token === null) return admitted(viewer);
  return refused(monitor.public ? wrongToken(access) : missing(access));
}

/** The answer for a monitor that is not there: byte for byte also that for one that is private. */
function missing(access: 'heartbeat' | 'alert'): HttpProblem {
  return new HttpProblem(
    404,
    access === 'heartbeat' ? 'There is no such push monitor.' : 'There is no such monitor.',
  );
}

function wrongToken(access: 'heartbeat' | 'alert'): HttpProblem {
  return access === 'heartbeat'
    ? new HttpProblem(401, 'The push token of this monitor is needed: X-Push-Token, or ?token=.', {
        'www-authenticate': 'X-Push-Token',
      })
    : new HttpProblem(
        401,
        'The push token of this monitor (X-Push-Token) or the access token (Bearer) is needed.',
        {
          'www-authenticate': 'Bearer',
        },
      );
}

function needsPeerToken(): HttpProblem {
  return new HttpProblem(401, 'The listen_token of a peer is needed: X-Push-Token.', {
    'www-authenticate': 'X-Push-Token',
  });
}

function needsNodeToken(): HttpProblem {
  return new HttpProblem(401, 'The token of the nodes is needed: Authorization: Bearer.', {
    'www-authenticate': 'Bearer',
  });
}

function needsAccessToken(): HttpProblem {
  return new HttpProblem(401, 'The access token is needed: Authorization: Bearer, or ?token=.', {
    'www-authenticate': 'Bearer',
  });
}

function groupToken({ server }: Config, group: string): Secret | null {
  return Object.hasOwn(server.group_tokens, group) ? (server.group_tokens[group] ?? null) : null;
}

const known = new WeakMap<Config, ReadonlyMap<string, Monitor>>();

export function monitorOf(config: Config, id: string | null): Monitor | null {
  let byId = known.get(config);
  if (byId === undefined) {
    byId = new Map(config.monitors.map((monitor) => [monitor.id, monitor]));
    known.set(config, byId);
  }
  return byId.get(id ?? '') ?? null;
}

function admitted(viewer: Viewer, hasProof = false): Admission {
  return { kind: 'admitted', viewer, hasProof };
}

function refused(httpProblem: HttpProblem): Admission {
  return { kind: 'refused', problem: httpProblem };
}
