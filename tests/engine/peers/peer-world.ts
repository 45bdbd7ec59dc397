/** A world with peers that answer as they are told, or never. */
import assert from 'node:assert/strict';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import type { HeartbeatStatus } from '../../../src/engine/monitoring/heartbeats/silence.ts';
import { type PeerState, readPeerState } from '../../../src/engine/peers/rules/state.ts';
import type {
  HeartbeatAnswer,
  PeerClients,
  VerdictAnswer,
  PeerHealthAnswer,
} from '../../../src/engine/peers/client/clients.ts';
import { memoryStore } from '../monitoring/memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openWorld, type World } from '../monitoring/world.ts';

export const second = 1000;
export const minute = 60 * second;

interface Sent {
  readonly to: string | null;
  readonly atMs: number;
}

/** What is asked of the peers, and what they answer. `hang`: no answer, ever. */
interface FakePeers {
  readonly sent: Sent[];
  readonly asked: { readonly what: 'witness' | 'verdict'; readonly of: string; readonly atMs: number }[];
  readonly witness: Map<string, () => PeerHealthAnswer | 'hang'>;
  readonly verdict: Map<string, (target: string) => VerdictAnswer | 'hang'>;
  /** By peer; `''` is the dead-man service. */
  readonly takes: Map<string, () => HeartbeatAnswer | 'hang'>;
}

export interface PeerWorld extends World {
  readonly fake: FakePeers;
}

const unreachable = { kind: 'unreachable', error: 'connection refused' } as const;

/** How a witness sees others: `up`, `down`, or `up 40` for how many seconds ago it heard it. */
export function sees(id: string, others: Readonly<Record<string, string>>, isWell = true): PeerHealthAnswer {
  const seen = Object.entries(others).map(([peer, words]) => {
    const [state = '', age] = words.split(' ');
    return [peer, { state, ageSecs: age === undefined ? null : Number(age) }] as const;
  });
  return { kind: 'answered', isWell, id, skewMs: 0, peers: new Map(seen) };
}

export function judges(status: 'up' | 'down' | 'unknown'): VerdictAnswer {
  return { kind: 'answered', isUp: status === 'up', status, latencyMs: 12, error: null, skewMs: -40 };
}

export async function openPeerWorld(toml: string): Promise<PeerWorld> {
  const clock = new VirtualClock();
  const fake: FakePeers = { sent: [], asked: [], witness: new Map(), verdict: new Map(), takes: new Map() };
  const answerOf = async <T>(answer: T | 'hang', signal: AbortSignal): Promise<T | typeof unreachable> => {
    if (answer !== 'hang') return answer;
    await clock.sleep(1e12, signal).catch(() => undefined);
    return unreachable;
  };
  const note = (what: 'witness' | 'verdict', of: string) =>
    fake.asked.push({ what, of, atMs: clock.monotonic() });
  const peerClients: PeerClients = {
    sendHeartbeat: ({ id }, signal) => {
      fake.sent.push({ to: id, atMs: clock.monotonic() });
      return answerOf<HeartbeatAnswer>(fake.takes.get(id)?.() ?? { kind: 'taken' }, signal);
    },
    callDeadMan: (_url, signal) => {
      fake.sent.push({ to: null, atMs: clock.monotonic() });
      return answerOf<HeartbeatAnswer>(fake.takes.get('')?.() ?? { kind: 'taken' }, signal);
    },
    askHealth: ({ id }, signal) => {
      note('witness', id);
      return answerOf<PeerHealthAnswer>(fake.witness.get(id)?.() ?? unreachable, signal);
    },
    askVerdict: ({ id }, { target }, signal) => {
      note('verdict', id);
      return answerOf<VerdictAnswer>(fake.verdict.get(id)?.(target) ?? unreachable, signal);
    },
  };
  const world = await openWorld(toml, { clock, store: await memoryStore(), engine: { peerClients } });
  return Object.assign(world, { fake });
}

/** Watched peers by id, which are told heartbeats every minute and expected every 90 s. */
export function peersOf(ids: readonly string[], more = ''): string {
  return ids
    .map(
      (id) =>
        `[[peers]]\nid = "${id}"\nname = "${id.toUpperCase()}"\nping_url = "https://${id}.example/api/push/home"\n` +
        `ping_token = "t0ken-to-${id}"\nlisten_token = "t0ken-of-${id}"\nexpect_every_secs = 90\n${more}\n`,
    )
    .join('');
}

export function beat(world: World, peer: string, status: HeartbeatStatus = 'up'): Promise<void> {
  return world.engine.peerHeartbeat({ peer, status, message: null });
}

/** Lets time pass in which these peers are heard every minute. */
export async function live(world: World, ms: number, ids: readonly string[]): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += minute) {
    for (const id of ids) await beat(world, id);
    await world.clock.run(Math.min(minute, ms - passedMs));
  }
}

export function stateOf(world: World, id: string): PeerState {
  return readPeerState(peers.list(world.store.sql).find((row) => row.id === id)?.state);
}

/** What waits, as `event peer channel`. */
export function waiting(world: World): string[] {
  return outbox
    .due(world.store.sql, Number.MAX_SAFE_INTEGER, 1000)
    .map(({ event, monitor, channel }) => `${event} ${monitor ?? '-'} ${channel}`)
    .sort();
}

/** The channels take everything that waits. */
export function deliver(world: World): void {
  for (const { deliveryId } of outbox.due(world.store.sql, Number.MAX_SAFE_INTEGER, 1000)) {
    world.store.facts.apply(outbox.sent({ deliveryId, at: world.clock.now() }));
  }
}

export function logged(world: World, event: string): string[] {
  return world.log.filter((entry) => entry.event === event).map(({ message }) => message);
}

export function noSecretIn(world: World): void {
  assert.doesNotMatch(JSON.stringify(world.log), /t0ken|example\/api/);
}
