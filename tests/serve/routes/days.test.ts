import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { openWorld, startAt, type World } from '../world.ts';

const minute = 60_000;
const hour = 60 * minute;
const today = startAt - 12 * hour;

const monitor = (id: string, more = '') =>
  `[[monitors]]\nid = "${id}"\nname = "${id}"\ntarget = "https://${id}.example.com"\n${more}`;

const config = `
[page]
history_days = 5

${['flapping', 'short', 'quarter', 'whole', 'worked', 'slow', 'open'].map((id) => monitor(id)).join('\n')}

[[maintenance]]
title = "Upgrade"
start = "2026-06-06T10:00:00Z"
end = "2026-06-06T12:00:00Z"
monitors = ["worked"]
`;

async function fill({ store, engine }: World): Promise<void> {
  const sample = (id: string, at: number, status: 'up' | 'down' | 'degraded') =>
    samples.add({
      monitor: id,
      at,
      status,
      latencyMs: 20,
      holdSecs: 3600,
      isHeartbeat: false,
      category: null,
      message: null,
    });
  const outage = (id: string, startedAt: number, endedAt: number | null) => [
    incidents.open({
      uid: `of-${id}`,
      monitor: id,
      name: id,
      startedAt,
      confirmedAt: startedAt + minute,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    ...(endedAt === null ? [] : [incidents.close({ uid: `of-${id}`, endedAt })]),
  ];
  const ids = ['flapping', 'short', 'quarter', 'whole', 'worked', 'slow', 'open'];
  const healthy = ids.flatMap((id) =>
    Array.from({ length: 36 }, (_, index) => sample(id, today - 24 * hour + index * hour, 'up')),
  );
  await store.write([
    ...healthy,
    sample('flapping', today + 99 * minute, 'down'),
    sample('flapping', today + 100 * minute, 'down'),
    sample('flapping', today + 101 * minute, 'up'),
    ...outage('short', today - 10 * hour, today - 10 * hour + 5 * minute),
    ...outage('quarter', today - 10 * hour, today - 10 * hour + 15 * minute),
    ...outage('whole', today - 30 * hour, today),
    ...outage('worked', today - 14 * hour + 5 * minute, today - 13 * hour),
    ...outage('open', startAt - 12 * minute, null),
    ...Array.from({ length: 20 }, (_, index) =>
      sample('slow', today - 5 * hour + index * minute, 'degraded'),
    ),
  ]);
  for (const id of ids) engine.statuses.set(id, id === 'open' ? 'down' : 'up');
}

interface Summary {
  readonly monitors: readonly {
    readonly id: string;
    readonly history: readonly { readonly date: string; readonly state: string }[];
  }[];
}

describe('a day of a monitor', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
    world.clock.advance(3000);
  });
  after(() => world.close());

  const states = async (id: string): Promise<readonly string[]> => {
    const { monitors } = (await world.ask('/api/summary')).json() as Summary;
    return monitors.find((one) => one.id === id)?.history.map(({ state }) => state) ?? [];
  };
  const bars = async (id: string): Promise<readonly string[]> => {
    const { text } = await world.ask('/', { headers: { accept: 'text/html' } });
    const item = new RegExp(`id="m-${id}"[\\s\\S]*?</article>`).exec(text)?.[0] ?? '';
    return [...item.matchAll(/<i class="(\w+)" title="([^"]*)"/g)].map(
      ([, kind, title]) => `${kind} ${title}`,
    );
  };

  it('is green when failures were never confirmed as an incident', async () => {
    assert.deepEqual(await states('flapping'), ['unknown', 'unknown', 'unknown', 'up', 'up']);
    assert.equal((await bars('flapping')).at(-1), 'u Sun 7 Jun 2026: no incident');
  });

  it('shows how long the confirmed outage was', async () => {
    assert.equal((await bars('short')).at(-2), 'd1 Sat 6 Jun 2026: down 5 min, 1 incident');
    assert.equal((await bars('quarter')).at(-2), 'd2 Sat 6 Jun 2026: down 15 min, 1 incident');
    const whole = await bars('whole');
    assert.equal(whole.at(-2), 'd3 Sat 6 Jun 2026: down 24 hr, 1 incident');
    assert.equal(whole.at(-3), 'd3 Fri 5 Jun 2026: down 6 hr, 1 incident');
    assert.equal(whole.at(-1), 'u Sun 7 Jun 2026: no incident');
    assert.deepEqual(await states('whole'), ['unknown', 'unknown', 'down', 'down', 'up']);
  });

  it('counts an outage that lasts up to now', async () => {
    assert.equal((await bars('open')).at(-1), 'd2 Sun 7 Jun 2026: down 12 min, 1 incident');
  });

  it('is blue when its outage lay within maintenance', async () => {
    assert.equal((await bars('worked')).at(-2), 'm Sat 6 Jun 2026: maintenance');
    assert.equal((await states('worked')).at(-2), 'up');
  });

  it('is amber when degradation lasted, and grey without data', async () => {
    assert.equal((await bars('slow')).at(-2), 'g Sat 6 Jun 2026: degraded');
    assert.equal((await bars('slow'))[0], 'n Wed 3 Jun 2026: no data');
  });
});
