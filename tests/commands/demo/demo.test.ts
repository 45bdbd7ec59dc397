import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import {
  allWell,
  configText,
  playStory,
  roundSecs,
  startWorld,
  story,
  type Switches,
} from '../../../src/commands/demo/world.ts';
import { startPhone } from '../../../src/commands/demo/perform.ts';
import { load } from '../../support/config.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ports = { website: 1, search: 2, flaky: 3, api: 4, shop: 5, database: 6, mail: 8 };
const places = {
  ports,
  bind: '127.0.0.1:8787',
  phonePort: 7,
  jobToken: 'a-token-of-the-demo',
  nowAt: Date.now(),
};

describe('the configuration of the demo', () => {
  it('is valid, without a warning', async () => {
    const { config, warnings } = await load(configText(places));
    assert.deepEqual(warnings, []);
    assert.equal(config.channels.length, 1);
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['website', 'search', 'flaky', 'database', 'api', 'shop', 'mail', 'backup'],
    );
  });

  it('asks nothing outside of loopback', () => {
    const hosts = [...configText(places).matchAll(/\b\d+\.\d+\.\d+\.\d+|https?:\/\/[^:/"]+/g)].map(
      ([host]) => host,
    );
    assert.deepEqual([...new Set(hosts)], ['127.0.0.1', 'http://127.0.0.1']);
  });
});

describe('the plan of the demo', () => {
  it('lets every outage last long enough, and repairs it before the plan starts over', () => {
    const switches = story.reduce<Switches>((now, { change }) => ({ ...now, ...change }), allWell());
    assert.deepEqual(switches, allWell());
    const times = story.map(({ atSecs }) => atSecs);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(Math.max(...times) < roundSecs);
  });

  it('is shown again and again until it is ended', async () => {
    const clock = new VirtualClock();
    const stopping = new AbortController();
    const said: number[] = [];
    const notified = playStory({
      clock,
      change: () => undefined,
      say: () => {
        said.push(clock.monotonic() / 1000);
        if (said.length === 2 * story.length) stopping.abort(new Error('over'));
      },
      signal: stopping.signal,
    });
    await clock.during(notified, 1000);
    const times = story.map(({ atSecs }) => atSecs);
    assert.deepEqual(said, [...times, ...times.map((at) => at + roundSecs)]);
  });
});

describe('the targets of the demo', () => {
  it('does what the switches say', async () => {
    const world = await startWorld(allWell());
    const status = async (port: number) => (await fetch(`http://127.0.0.1:${port}/`)).status;
    const isDatabaseUp = async () => {
      const socket = connect(world.ports.database, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      return isOpen;
    };
    const all = async () => [
      await status(world.ports.website),
      await status(world.ports.api),
      await status(world.ports.shop),
      await isDatabaseUp(),
    ];
    assert.deepEqual(await all(), [200, 200, 200, true]);
    world.change({ isDatabaseUp: false });
    assert.deepEqual(await all(), [200, 503, 502, false]);
    world.change({ isDatabaseUp: true });
    assert.deepEqual(await all(), [200, 200, 200, true]);
    world.close();
  });

  it('has a service that fails twice in ten, and never three times in a row', async () => {
    const world = await startWorld(allWell());
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      statuses.push((await fetch(`http://127.0.0.1:${world.ports.flaky}/`)).status);
    }
    world.close();
    assert.equal(statuses.filter((status) => status === 500).length, 4);
    assert.doesNotMatch(statuses.join(), /500,500,500/);
  });

  it('has a phone that shows the title and the text of a message', async () => {
    const messages: string[] = [];
    const phone = await startPhone((text) => messages.push(text));
    const body = JSON.stringify({ title: 'Shop is down', message: 'status 502\n\nsince 12:00' });
    await fetch(`http://127.0.0.1:${phone.port}/`, { method: 'POST', body });
    phone.close();
    assert.deepEqual(messages, ['Shop is down | status 502 | since 12:00']);
  });
});
