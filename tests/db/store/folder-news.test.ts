import assert from 'node:assert/strict';
import { existsSync, mkdirSync, watch as watchFolder, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { FolderNews } from '../../../src/db/store/folder-news.ts';
import type { Files } from '../../../src/db/store/files/files.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeFolder, openTiny } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

type Listen = NonNullable<Files['listen']>;

/** The disk the tests are on, whatever it is, reporting what is done there. */
const reporting: Listen = (directory, onEvent) => {
  const watcher = watchFolder(directory, { persistent: false }, onEvent);
  return Promise.resolve(() => {
    watcher.close();
  });
};

/** One that says it reports and does not. */
const deaf: Listen = () => Promise.resolve(() => undefined);
const mute: Listen = () => Promise.resolve(null);
const broken: Listen = () => Promise.reject(new Error('EIO'));

/** A daemon, alone in its folder, whose looks there are counted. */
async function daemonOn(name: string, listen: Listen, clock = realClock) {
  let looks = 0;
  const list = (directory: string) => {
    looks += 1;
    return nodeFiles.list(directory);
  };
  mkdirSync(folder.at(name));
  const file = folder.at(`${name}/statusd.db`);
  const store = await openTiny(file, { role: 'daemon', clock, files: { ...nodeFiles, list, listen } });
  // The first look, at which it begins to listen.
  await sleep(1200);
  looks = 0;
  return { file, store, looks: () => looks };
}

/** Whether `holds` within so many ms. */
async function isWithin(ms: number, holds: () => boolean): Promise<boolean> {
  for (const endMs = performance.now() + ms; !holds() && performance.now() < endMs; ) await sleep(20);
  return holds();
}

/** Two looks at most, and time for a busy machine; the look that is made in any case comes no sooner than after 3 s. */
const soonMs = 2500;

describe('an idle daemon', { concurrency: true }, () => {
  it('wakes for its database once in five seconds where all that happens is reported', async () => {
    let wakes = 0;
    const counting: Clock = {
      ...realClock,
      sleep: (ms, signal) => {
        wakes += 1;
        return realClock.sleep(ms, signal);
      },
    };
    const { store } = await daemonOn('asleep', reporting, counting);
    wakes = 0;
    await sleep(5100);
    // Each look listens anew.
    assert.ok(wakes <= 2, `${wakes} wakes`);
    await store.close();
  });

  it('looks at the folder of its database once in five seconds where all that happens is reported', async () => {
    const { store, looks } = await daemonOn('quiet', reporting);
    const startedMs = performance.now();
    await sleep(5100);
    const most = 1 + Math.ceil((performance.now() - startedMs) / 5000);
    assert.ok(looks() >= 1 && looks() <= most, `${looks()} looks`);
    await store.close();
  });

  it('ends although it is closed in the moment in which it begins to listen', async () => {
    let beginning = (): void => undefined;
    const begins = new Promise<void>((resolve) => {
      beginning = resolve;
    });
    const slowly: Listen = async (directory, onEvent) => {
      beginning();
      await sleep(100);
      return reporting(directory, onEvent);
    };
    mkdirSync(folder.at('closed'));
    const file = folder.at('closed/statusd.db');
    const store = await openTiny(file, { role: 'daemon', files: { ...nodeFiles, listen: slowly } });
    await begins;
    let isClosed = false;
    void store.close().then(() => {
      isClosed = true;
    });
    assert.ok(await isWithin(soonMs, () => isClosed));
  });

  for (const [how, listen] of [
    ['does not report', mute],
    ['does not say whether it reports', broken],
  ] as const) {
    it(`looks twice a second where the file system ${how}`, async () => {
      const { store, looks } = await daemonOn(how, listen);
      assert.ok(await isWithin(5000, () => looks() >= 4), `${looks()} looks`);
      await store.close();
    });
  }

  for (const [how, listen, limitMs] of [
    ['where all is reported', reporting, soonMs],
    ['where nothing is', mute, soonMs],
    ['where it is promised and not kept', deaf, 7000],
  ] as const) {
    const within = `within ${limitMs / 1000} s`;

    it(`sees what another process wrote ${within} ${how}`, async () => {
      const { file, store } = await daemonOn(`written ${how}`, listen);
      const seen: unknown[] = [];
      store.onChange(({ isForeign }) => seen.push(isForeign));
      const client = await openTiny(file, { role: 'writer' });
      await client.write([['note', 'from elsewhere']]);
      assert.ok(await isWithin(limitMs, () => seen.includes(true)));
      await client.close();
      await store.close();
    });

    it(`answers who asks whether it lives, and ends when another daemon has the database, ${within} ${how}`, async () => {
      const { file, store } = await daemonOn(`asked ${how}`, listen);
      const question = `${file}-lock.1.ask`;
      writeFileSync(question, '');
      assert.ok(await isWithin(limitMs, () => !existsSync(question)));
      let isLost = false;
      void store.lost.then(() => {
        isLost = true;
      });
      writeFileSync(`${file}-lock.2`, '{}');
      assert.ok(await isWithin(limitMs, () => isLost));
      await store.close();
    });
  }
});

/** News of a folder whose events are called by hand. */
function newsByHand() {
  let call = (): void => undefined;
  const stops = { count: 0 };
  const listen: Listen = (_, onEvent) => {
    call = onEvent;
    return Promise.resolve(() => {
      stops.count += 1;
    });
  };
  return {
    news: new FolderNews({ listen }, folder.path),
    onEvent: () => {
      call();
    },
    stops,
  };
}

describe('news of a folder', () => {
  it('comes at once while nobody listens, and of anything that happened since it was forgotten', async () => {
    const { news, onEvent } = newsByHand();
    assert.equal(await news.comesWithin(realClock, 60_000), true);
    await news.listen();
    assert.equal(await news.comesWithin(realClock, 1), false);
    onEvent();
    assert.equal(await news.comesWithin(realClock, 60_000), true);
    assert.equal(await news.comesWithin(realClock, 60_000), true);
    news.forget();
    assert.equal(await news.comesWithin(realClock, 1), false);
  });

  it('ends the wait for it, and so does an end of listening', async () => {
    const { news, onEvent } = newsByHand();
    await news.listen();
    const awaited = news.comesWithin(realClock, 60_000);
    onEvent();
    assert.equal(await awaited, true);
    news.forget();
    const stopped = news.comesWithin(realClock, 60_000);
    news.stop();
    assert.equal(await stopped, true);
  });

  it('is taken for granted where others are so busy that each event would wake the process', async () => {
    const { news, onEvent, stops } = newsByHand();
    await news.listen();
    for (let event = 0; event < 100; event += 1) onEvent();
    assert.equal(stops.count, 1);
    news.forget();
    assert.equal(await news.comesWithin(realClock, 60_000), true);
    await news.listen();
    assert.equal(await news.comesWithin(realClock, 1), false);
    news.stop();
    assert.equal(stops.count, 2);
  });
});
