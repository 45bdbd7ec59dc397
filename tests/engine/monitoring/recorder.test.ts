import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { buildSnapshot } from '../../../src/db/wal/checkpoint/build.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { systemProcesses } from '../../../src/db/store/lock/processes.ts';
import { openStore } from '../../../src/db/store/open-store.ts';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { schema } from '../../../src/db/tables/schema/schema.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { freshStability } from '../../../src/engine/monitoring/confirm/unstable.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { Recorder } from '../../../src/engine/monitoring/recorder.ts';
import { type WatchedMonitor, watchedMonitorOf } from '../../../src/engine/monitoring/watched-monitor.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { httpMonitors, loadWith } from './world.ts';

const folder = makeFolder();
after(folder.remove);

describe('failures that are to be forgotten', () => {
  const open = () =>
    openStore({
      role: 'daemon',
      file: folder.at('state.db'),
      schema,
      files: nodeFiles,
      clock: realClock,
      processes: systemProcesses,
      build: (job) => buildSnapshot(job, nodeFiles, schema),
    });
  const world = async () => {
    const store = await open();
    const { config } = await loadWith(httpMonitors(['web'], ''));
    const [monitor = assert.fail()] = config.monitors;
    const state = { ...freshState, status: 'degraded', failures: { count: 1, sinceAt: 0 } } as const;
    const memory = {
      firstSeenAt: 0,
      state,
      uid: null,
      heardAt: null,
      expectedAt: null,
      burning: [],
      stability: freshStability,
    };
    const watched: WatchedMonitor = watchedMonitorOf(monitor, memory);
    const recorder = new Recorder({
      store,
      clock: realClock,
      log: () => undefined,
      config: () => config,
      newUid: () => 'u1',
      find: () => null,
      yielder: new Yielder(realClock.monotonic, 1),
      onKept: () => undefined,
    });
    return { store, watched, recorder };
  };

  it('are forgotten for the next start, too', async () => {
    const { store, watched, recorder } = await world();
    recorder.forgetFailures([watched]);
    assert.equal(watched.state.failures, null);
    assert.match(JSON.stringify(alertStates.find(store.sql, 'web')), /"failures":null/);
    await store.close();
  });

  it('are forgotten where the store takes nothing any more, because another one leads', async () => {
    const { store, watched, recorder } = await world();
    await store.close();
    recorder.forgetFailures([watched]);
    assert.equal(watched.state.failures, null);
  });
});
