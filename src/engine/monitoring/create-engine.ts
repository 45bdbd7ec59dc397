/** Makes the long-running engine. */
import { monitors } from '../../db/tables/monitors.ts';
import { SteadyClock } from './clock/steady-clock.ts';
import type { EngineOptions, Engine } from './engine.ts';
import { loadNextRun } from './next-run.ts';
import { Supervisor } from './supervisor.ts';

/** Goes on from what the store remembers, then runs until it is stopped. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const steady = new SteadyClock(options);
  await steady.begin();
  const { clock, store } = steady;
  const nextRun = await loadNextRun();
  const supervisor = new Supervisor({ ...options, clock, store, steady, nextRun });
  await supervisor.start();
  store.onChange(({ operations, isForeign }) => {
    const ids = isForeign ? monitors.checksAskedFor(operations) : [];
    // It is called off when the engine stops.
    if (ids.length > 0) supervisor.outOfTurn.checkNow(ids).catch(() => undefined);
  });
  return {
    clock,
    store,
    trustedClock: steady.trusted,
    reload: (loaded) => supervisor.reload(loaded),
    heartbeat: (heartbeat) => supervisor.heartbeat(heartbeat),
    peerHeartbeat: (heartbeat) => supervisor.peerHeartbeat(heartbeat),
    checkNow: (ids) => supervisor.outOfTurn.checkNow(ids),
    checkAnew: (ids) => supervisor.outOfTurn.checkAnew(ids),
    heardAgainBy: (id, sinceAt) => supervisor.heardAgainBy(id, sinceAt),
    stateOf: (id) => supervisor.stateOf(id),
    health: () => supervisor.health(),
    stop: () => supervisor.stop(),
  };
}
