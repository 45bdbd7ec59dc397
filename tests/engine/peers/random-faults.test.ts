/** Random deaths of peers, cuts of this node and restarts: every death is told once, nobody else ever. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printedSeed, type Random, randomOf } from '../../support/random.ts';
import { beat, deliver, openPeerWorld, peersOf, type PeerWorld, second, sees } from './peer-world.ts';

const ids = ['paris', 'oslo', 'rome'];

interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

interface Fault extends Span {
  /** Who dies; null: this node is cut off. */
  readonly who: string | null;
  /** While somebody is dead this node is cut off as well; null: it is not. */
  readonly cut: Span | null;
  /** In its middle this process is restarted. */
  readonly isRestarted: boolean;
}

interface Notified {
  readonly event: string;
  readonly peer: string | null;
  readonly atSecs: number;
}

function faultsOf(random: Random): Fault[] {
  const faults: Fault[] = [];
  let atSecs = 300;
  for (let count = 0; count < 4; count += 1) {
    const fromSecs = atSecs + random.below(120);
    const who = random.pick([...ids, null]);
    const cut = who !== null && random.below(2) === 0 ? cutWithin(fromSecs, random) : null;
    const toSecs = (cut?.toSecs ?? fromSecs) + 480 + random.below(120);
    const isRestarted = cut === null && random.below(4) === 0;
    faults.push({ who, fromSecs, toSecs, cut, isRestarted });
    atSecs = toSecs + 300;
  }
  return faults;
}

/** Before the death is noticed, while it is decided about, or after it was told. */
function cutWithin(deadSinceSecs: number, random: Random): Span {
  const fromSecs = deadSinceSecs + random.below(240);
  return { fromSecs, toSecs: fromSecs + 20 + random.below(400) };
}

function isWithin(secs: number, { fromSecs, toSecs }: Span): boolean {
  return secs >= fromSecs && secs < toSecs;
}

/** Heartbeats come once a minute from who lives, at a moment of its own, unless this node is cut off. */
class Weather {
  readonly heardAtSecs = new Map<string, number>();
  private readonly faults: readonly Fault[];
  private readonly phases: ReadonlyMap<string, number>;

  constructor(faults: readonly Fault[], random: Random) {
    this.faults = faults;
    this.phases = new Map(ids.map((id) => [id, random.below(60)]));
  }

  isDead(id: string, secs: number): boolean {
    return this.faults.some((fault) => fault.who === id && isWithin(secs, fault));
  }

  isCut(secs: number): boolean {
    return this.faults.some((fault) => {
      const cut = fault.who === null ? fault : fault.cut;
      return cut !== null && isWithin(secs, cut);
    });
  }

  /** Who sends a heartbeat to everybody in this second. */
  beatsAt(secs: number): string[] {
    return ids.filter((id) => this.isDue(id, secs) && !this.isDead(id, secs));
  }

  /** What is not taken is sent again every twenty seconds. */
  private isDue(id: string, secs: number): boolean {
    const sinceSecs = (secs - (this.phases.get(id) ?? 0)) % 60;
    if (sinceSecs === 0) return true;
    return sinceSecs % 20 === 0 && sinceSecs > 0 && this.isCut(secs - sinceSecs) && this.isCut(secs - 20);
  }

  witness(id: string, secs: number) {
    if (this.isCut(secs) || this.isDead(id, secs)) return { kind: 'unreachable', error: 'timeout' } as const;
    const others = ids.filter((other) => other !== id);
    const seen = others.map((other) => {
      const age = secs - (this.heardAtSecs.get(other) ?? 0);
      return [other, `${age < 120 ? 'up' : 'down'} ${age}`] as const;
    });
    return sees(id, Object.fromEntries(seen));
  }
}

async function liveThrough(
  world: PeerWorld,
  weather: Weather,
  faults: readonly Fault[],
): Promise<Notified[]> {
  const startMs = world.clock.monotonic();
  const startAt = world.clock.now();
  const secsNow = () => Math.floor((world.clock.monotonic() - startMs) / second);
  for (const id of ids) world.fake.witness.set(id, () => weather.witness(id, secsNow()));
  const endSecs = (faults.at(-1)?.toSecs ?? 0) + 300;
  const restarts = new Set(
    faults
      .filter(({ isRestarted }) => isRestarted)
      .map(({ fromSecs, toSecs }) => Math.floor((fromSecs + toSecs) / 2)),
  );
  for (let secs = 0; secs < endSecs; secs = secsNow()) {
    if (restarts.delete(secs)) await world.restart();
    for (const id of weather.beatsAt(secs)) {
      weather.heardAtSecs.set(id, secs);
      if (!weather.isCut(secs)) await beat(world, id);
    }
    deliver(world);
    await world.clock.run(second);
  }
  deliver(world);
  return world.store.sql.all('SELECT event, monitor, created_at FROM outbox ORDER BY id', [], (row) => ({
    event: row.text('event'),
    peer: row.textOrNull('monitor'),
    atSecs: (row.number('created_at') - startAt) / second,
  }));
}

describe('peers in a world of random faults', () => {
  for (const isQuorum of [false, true]) {
    it(`are reported down once when they are, and never else (quorum ${isQuorum})`, async () => {
      const seed = printedSeed();
      const random = randomOf(seed);
      const totals = { deaths: 0, cuts: 0, both: 0 };
      for (let run = 0; run < 3; run += 1) {
        const faults = faultsOf(random);
        const world = await openPeerWorld(
          `[alerts]\ngroup_window_secs = 30\n[health]\nid = "home"\nquorum = ${isQuorum}\n${peersOf(ids)}`,
        );
        const notified = await liveThrough(world, new Weather(faults, random), faults);
        await world.clock.until(world.engine.stop());
        const story = `seed ${seed}, run ${run}: ${JSON.stringify({ faults, notified })}`;
        judge(faults, notified, story);
        totals.deaths += faults.filter(({ who }) => who !== null).length;
        totals.cuts += faults.filter(({ who }) => who === null).length;
        totals.both += faults.filter(({ cut }) => cut !== null).length;
      }
      assert.ok(totals.deaths > 0, 'somebody died');
      console.log(`  ${totals.deaths} deaths, ${totals.cuts} cuts, ${totals.both} times both`);
    });
  }
});

function judge(faults: readonly Fault[], notified: readonly Notified[], story: string): void {
  const within = (event: string, { fromSecs, toSecs }: Fault) =>
    notified.filter((each) => each.event === event && each.atSecs >= fromSecs && each.atSecs < toSecs + 120);
  for (const fault of faults) {
    const downs = within('peer_down', fault);
    if (fault.who === null) {
      assert.deepEqual(downs, [], story);
      assert.equal(within('node_blind', fault).length, 2, `its beginning and its end; ${story}`);
      continue;
    }
    assert.deepEqual(
      downs.map(({ peer }) => peer),
      [fault.who],
      story,
    );
    assert.deepEqual(
      within('peer_recovered', fault).map(({ peer }) => peer),
      [fault.who],
      story,
    );
    if (fault.cut !== null) {
      const { cut } = fault;
      const blindly = downs.filter(({ atSecs }) => atSecs > cut.fromSecs && atSecs < cut.toSecs);
      assert.deepEqual(blindly, [], `nothing is known while this node is cut off; ${story}`);
    }
    // A heartbeat may just have come; a restart begins anew; a quorum may look twice.
    const limitSecs = 120 + 12 + 90 + (fault.isRestarted ? (fault.toSecs - fault.fromSecs) / 2 : 0);
    const knowableSecs = fault.cut?.toSecs ?? fault.fromSecs;
    assert.ok((downs[0]?.atSecs ?? Infinity) - knowableSecs <= limitSecs, story);
  }
  const expected = faults.filter(({ who }) => who !== null).length;
  assert.equal(notified.filter(({ event }) => event === 'peer_down').length, expected, story);
}
