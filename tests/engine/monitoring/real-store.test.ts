import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import type { Store } from '../../../src/db/store/store.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { tallyWithin } from '../../../src/db/read/within.ts';
import type { Engine } from '../../../src/engine/monitoring/engine.ts';
import { createEngine } from '../../../src/engine/monitoring/create-engine.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { failed, httpMonitors, loadWith, up } from './world.ts';
import { openRealStore } from '../../support/real-store.ts';

const minute = 60_000;
const ids = Array.from({ length: 20 }, (_, n) => `m${n}`);
const folder = makeFolder();
after(folder.remove);

function openDay(): Promise<Store> {
  return openRealStore(folder.at('day.db'), { role: 'daemon' });
}

describe('a day on a real disk', () => {
  it('has on record what happened, restarts included', async () => {
    const clock = new VirtualClock();
    const startAt = clock.now();
    const loaded = await loadWith(httpMonitors(ids, 'interval_secs = 300\nfail_threshold = 2\n'));
    const down = new Set<string>();
    const truth = new Map(ids.map((id) => [id, { checks: 0, outages: 0 }]));
    let uids = 0;
    const start = (store: Store): Promise<Engine> =>
      createEngine({
        loaded,
        store,
        clock,
        log: () => undefined,
        check: (monitor) => {
          const known = truth.get(monitor.id);
          if (known !== undefined) known.checks += 1;
          const { result } = down.has(monitor.id) ? failed() : up(40);
          return Promise.resolve({ startedAt: clock.now(), attempts: 1, result });
        },
        lookUpDomain: null,
        peerClients: null,
        onProgress: () => undefined,
        newUid: () => `uid-${(uids += 1)}`,
      });
    let store = await openDay();
    let engine = await start(store);
    for (let quarter = 0; quarter < 96; quarter += 1) {
      // A few fail for a quarter of an hour, then are well again.
      const failing = quarter % 2 === 0 ? ids.filter((_, n) => (n + quarter) % 7 === 0) : [];
      down.clear();
      for (const id of failing) {
        down.add(id);
        const known = truth.get(id);
        if (known !== undefined) known.outages += 1;
      }
      for (let passed = 0; passed < 3; passed += 1) {
        await clock.run(5 * minute);
        await store.write([meta.set({ name: 'passed', value: quarter })], { mustBeDurable: true });
      }
      const open = incidents.listOpen(store.sql).map(({ monitor }) => monitor);
      assert.deepEqual(open.sort(), [...down].sort());
      if (quarter % 32 === 20) {
        await engine.stop();
        await store.close();
        store = await openDay();
        engine = await start(store);
      }
    }
    await engine.stop();
    for (const { id, samples } of monitors.list(store.sql)) {
      const known = truth.get(id);
      assert.equal(samples, known?.checks, `samples of ${id}`);
      const found = incidents.list(store.sql, { limit: 200, monitors: [id] }).incidents;
      assert.equal(found.length, known?.outages, `outages of ${id}`);
      const { secs } = tallyWithin(store.sql, id, { fromAt: startAt, toAt: clock.now(), now: clock.now() });
      const covered = secs.up + secs.down + secs.degraded + secs.unknown;
      assert.ok(covered > 86_400 - 1200, `${id} is covered for ${covered} s of the day`);
    }
    await store.close();
  });
});

describe('a check that another process asks for', () => {
  it('is made at once, though it is not its turn', async () => {
    const clock = new VirtualClock();
    const loaded = await loadWith(httpMonitors(['api'], 'interval_secs = 86400\n'));
    const file = folder.at('asked.db');
    const files = nodeFiles;
    const store = await openRealStore(file, { role: 'daemon', files });
    const checked: string[] = [];
    let onChecked: () => void = () => undefined;
    const checking = new Promise<void>((resolve) => {
      onChecked = resolve;
    });
    const engine = await createEngine({
      loaded,
      store,
      clock,
      log: () => undefined,
      check: (monitor) => {
        checked.push(monitor.id);
        onChecked();
        const { result } = up(40);
        return Promise.resolve({ startedAt: clock.now(), attempts: 1, result });
      },
      lookUpDomain: null,
      peerClients: null,
      onProgress: () => undefined,
      newUid: () => 'uid',
      pacing: { isScheduled: false, beatMs: 3_600_000 },
    });
    const writer = await openRealStore(file, { role: 'writer', files });
    await writer.write([monitors.askForCheck({ id: 'api', at: clock.now() })]);
    await writer.close();
    await checking;
    assert.deepEqual(checked, ['api']);
    await engine.stop();
    await store.close();
  });
});
