/** A cascade in the real engine with all defaults: its dependents are checked when their upstream recovers. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Fault, History, Spell, WatchedPlan } from '../../outages/history.ts';
import { judge } from '../../outages/oracle.ts';
import { type Lived, liveThrough } from '../../outages/world.ts';
import { type Disk, openDisk } from './world.ts';

const names = ['mail', 'shop', 'wiki', 'chat', 'blog', 'api'] as const;

/** The defaults of the program. */
const plan = (id: string, changes: Partial<WatchedPlan> = {}): WatchedPlan => ({
  id,
  kind: 'http',
  intervalSecs: 60,
  graceSecs: 60,
  page: 0,
  failThreshold: 3,
  recoverThreshold: 1,
  upstreams: ['db'],
  notify: null,
  ...changes,
});

const fails = (monitor: string, toSecs: number, truth: Spell['truth'] = 'fails'): Spell => ({
  monitor,
  truth,
  fromSecs: 100,
  toSecs,
});

/** `db` and its dependents fail at 100 s and heal at 1,000 s, but for what `spells` says of some. */
async function live(
  disk: Disk,
  spells: readonly Spell[] = [],
  how: { readonly faults?: readonly Fault[]; readonly plans?: readonly WatchedPlan[] } = {},
): Promise<Lived> {
  const { faults = [], plans = names.map((id) => plan(id)) } = how;
  const monitors = [plan('db', { upstreams: [] }), ...plans];
  const own = new Set(spells.map(({ monitor }) => monitor));
  const history: History = {
    windowSecs: 30,
    monitors,
    channels: ['ops'],
    spells: [...monitors.filter(({ id }) => !own.has(id)).map(({ id }) => fails(id, 1000)), ...spells],
    loop: { downSecs: 20, upSecs: 10 },
    faults,
    quietSecs: 2000,
    endSecs: 3000,
  };
  const lived = await liveThrough(history, disk);
  assert.deepEqual(judge(history, lived), []);
  return lived;
}

/** The messages after the cascade healed, as `event: what it names`. */
function after({ received }: Lived): string[] {
  return received
    .filter(({ atSecs }) => atSecs > 1000)
    .map(({ event, named }) => `${event}: ${[...named].sort().join(' ')}`);
}

/** When `db` was called up. */
function upAtSecs({ received }: Pick<Lived, 'received'>): number {
  return received.find(({ event, subject }) => event === 'recovered' && subject === 'db')?.atSecs ?? NaN;
}

/** What was called down after the cascade healed, and how many seconds after `db` was called up. */
function downs({ received }: Lived): [string, number][] {
  const upAt = upAtSecs({ received });
  return received
    .filter(({ event, atSecs }) => event === 'down' && atSecs > upAt)
    .map(({ subject, atSecs }) => [subject ?? '', Math.round(atSecs - upAt)]);
}

describe('a cascade with all defaults whose root recovers', () => {
  let disk: Disk;
  before(async () => {
    disk = await openDisk();
  });

  it('calls nobody down that healed with it, and every dependent up within half a minute', async () => {
    const lived = await live(disk);
    const [first] = lived.received;
    assert.equal(first?.event, 'down');
    assert.equal(first.subject, 'db');
    assert.deepEqual(downs(lived), []);
    const named = new Set(lived.received.flatMap(({ event, named: ids }) => (event === 'down' ? ids : [])));
    const ups = lived.received.filter(({ event }) => event === 'recovered');
    assert.deepEqual(new Set(ups.flatMap((each) => each.named)), named);
    assert.ok(
      Math.max(...ups.map(({ atSecs }) => atSecs)) - Math.min(...ups.map(({ atSecs }) => atSecs)) < 30,
    );
  });

  it('calls one down that fails the check since, after one window', async () => {
    const lived = await live(disk, [fails('shop', 1500)]);
    assert.deepEqual(downs(lived), [['shop', 30]]);
    assert.equal(after(lived).at(-1), 'recovered: shop');
  });

  it('calls one down that hangs, twelve seconds after the window at most', async () => {
    const lived = await live(disk, [fails('shop', 1500, 'hangs')]);
    const [[id, secs] = ['', 0], ...others] = downs(lived);
    assert.deepEqual(others, []);
    assert.equal(id, 'shop');
    // The recovery waited for the check of the one that hangs, for five seconds.
    assert.ok(secs >= 25 && secs <= 43, String(secs));
  });

  it('does not take a check that was under way for one made since', async () => {
    // Its answer comes five seconds after it was asked, when `db` may be up again.
    for (let toSecs = 990; toSecs < 1050; toSecs += 6) {
      const lived = await live(disk, [fails('db', toSecs), fails('shop', toSecs, 'hangs')]);
      assert.deepEqual(downs(lived), [], `healed at ${toSecs} s`);
    }
  });

  it('leaves a push monitor the time for a heartbeat', async () => {
    const plans = [plan('mail', { kind: 'push', intervalSecs: 90 })];
    assert.deepEqual(downs(await live(disk, [], { plans })), []);
    const lived = await live(disk, [fails('mail', 1900)], { plans });
    const [[id, secs] = ['', 0]] = downs(lived);
    assert.equal(id, 'mail');
    assert.ok(secs >= 90 + 60 && secs <= 90 + 60 + 30, String(secs));
  });

  it('keeps that over a kill, a restart, a stall and a step of the clock right after it', async () => {
    const upAt = (await live(disk)).received.find(({ event }) => event === 'recovered')?.atSecs ?? NaN;
    for (const kind of ['kill', 'restart', 'stall'] as const) {
      const fault = { kind, fromSecs: upAt - 0.5, toSecs: upAt + 3 };
      assert.deepEqual(downs(await live(disk, [], { faults: [fault] })), [], kind);
    }
    for (const bySecs of [-3600, 3600]) {
      const fault = { kind: 'step', bySecs, fromSecs: upAt + 0.01, toSecs: upAt + 200 } as const;
      assert.deepEqual(downs(await live(disk, [], { faults: [fault] })), [], `a step by ${bySecs} s`);
    }
  });

  it('checks a dependent once where the clock is set back after its upstream recovered', async () => {
    const upAt = upAtSecs(await live(disk, [fails('shop', 1500)]));
    for (const bySecs of [60, 3600]) {
      const step = { kind: 'step', bySecs, fromSecs: 300, toSecs: upAt + 2 } as const;
      const kill = { kind: 'kill', fromSecs: upAt + 3, toSecs: upAt + 5 } as const;
      for (const faults of [[step], [step, kill]]) {
        const lived = await live(disk, [fails('shop', 1500)], { faults });
        assert.deepEqual(
          lived.received
            .filter(({ atSecs, subject }) => atSecs > 1000 && subject === 'shop')
            .map(({ event }) => event),
          ['down', 'recovered'],
        );
        const checks = lived.checks.filter(
          ({ monitor, fromSecs }) => monitor === 'shop' && fromSecs > upAt && fromSecs < upAt + 60,
        );
        assert.ok(checks.length <= 4, `${checks.length} checks in a minute`);
      }
    }
  });
});
