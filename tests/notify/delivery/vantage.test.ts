/** Rule 12: peers soften or strengthen a message. They never hold one for longer than 12 s, and never make one go away. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Config, Peer } from '../../../src/engine/config/config.ts';
import type { PeerQuestion, VerdictAnswer } from '../../../src/engine/peers/client/clients.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import type { AskPeer } from '../../../src/engine/peers/confirmation/ask.ts';
import { body } from '../../../src/notify/wording/text.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { printedSeed, randomOf, type Random } from '../../support/random.ts';
import { type Disk, openDisk, sketch, type Notified, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowMs = 30_000;
const patienceMs = 12_000;

const peersOf = (...names: readonly string[]) => `
[health]
id = "here"
confirm_with_peers = true
${names.map((name) => `[[peers]]\nid = "${name.toLowerCase()}"\nname = "${name}"\nping_url = "https://${name.toLowerCase()}.example.com/api/push/here"\nping_token = "t"`).join('\n')}
`;

type Given = Extract<VerdictAnswer, { kind: 'answered' }>;

const up: Given = {
  kind: 'answered',
  isUp: true,
  status: 'up',
  latencyMs: 20.4,
  error: null,
  skewMs: 1500.7,
};
const down: Given = {
  ...up,
  isUp: false,
  status: 'down',
  latencyMs: null,
  error: 'it refuses connections',
};
const blind: Given = { ...down, status: 'unknown', error: 'no ping here' };

interface Asked {
  readonly peer: string;
  readonly about: PeerQuestion;
  readonly at: number;
}

describe('an outage that peers are asked about', () => {
  let disk: Disk;
  before(async () => {
    disk = await openDisk();
  });

  /** Everybody answers as `answers` says by name; `hang` never. */
  function start(
    config: Config,
    answers: Readonly<Record<string, VerdictAnswer | 'hang'>>,
    more: Partial<WorldOptions> = {},
  ) {
    const asked: Asked[] = [];
    const askPeer: AskPeer = (peer, about, signal) => {
      asked.push({ peer: peer.name, about, at: world.clock.now() });
      const answer = answers[peer.name] ?? 'hang';
      return answer === 'hang' ? endless(signal) : Promise.resolve(answer);
    };
    const world = new World({ disk, config, startAt: originAt, canHang: true, askPeer, ...more });
    return { world, asked };
  }
  const outage = async (world: World, ...monitors: readonly string[]) => {
    for (const monitor of monitors) await world.sample(monitor, 'down');
  };
  const messageOf = ({ notified }: World, index = 0): Message => {
    const one = notified[index];
    assert.ok(one !== undefined, 'nothing was told');
    return one.message;
  };
  const config = (names: readonly string[], monitors = ['web'], channels = ['ops', 'sms']) =>
    sketch({
      monitors: monitors.map((id) => ({ id, failThreshold: 1 })),
      channels,
      windowSecs: windowMs / 1000,
      extra: peersOf(...names),
    });

  it('is sent as confirmed when they see it down too, at once and asked about once for all channels', async () => {
    const { world, asked } = start(await config(['Paris', 'Tokyo']), { Paris: down, Tokyo: down });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs);
    assert.deepEqual(world.lines(originAt), ['down web 30 ops', 'down web 30 sms']);
    assert.deepEqual(
      asked.map(({ peer, about }) => [peer, about]),
      ['Paris', 'Tokyo'].map((peer) => [
        peer,
        { from: 'here', id: 'web', kind: 'http', target: 'http://127.0.0.1/' },
      ]),
    );
    const wording = wordingOf(messageOf(world));
    const [{ title }, lines] = [wording, body(wording)];
    assert.equal(title, 'web is down');
    assert.ok(lines.includes('Confirmed down from 3 of 3 nodes'), lines.join('\n'));
    await world.stop();
  });

  it('says so in the title when one sees it up, and keeps its severity', async () => {
    const { world } = start(await config(['Paris', 'Tokyo', 'Lima']), {
      Paris: up,
      Tokyo: blind,
      Lima: down,
    });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs + patienceMs);
    const message = messageOf(world);
    assert.equal(message.severity, 'error');
    const wording = wordingOf(message);
    const [{ title }, lines] = [wording, body(wording)];
    assert.equal(title, 'web is down (seen up by Paris)');
    assert.ok(lines.includes('Seen up by Paris: perhaps a network problem near this node'), lines.join('\n'));
    assert.ok(lines.includes('Down from 2 of 4 nodes'));
    assert.ok(lines.includes('No answer from Tokyo'));
    await world.stop();
  });

  it('stores what they saw with the incident, as verdicts with their clocks, and why in the decisions', async () => {
    const { world } = start(await config(['Paris', 'Tokyo', 'Lima']), {
      Paris: up,
      Tokyo: { kind: 'refused', status: 401 },
      Lima: { kind: 'unknown_target' },
    });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs);
    const [incident] = incidents.listOpen(world.sql);
    assert.deepEqual(incident?.vantage, [
      { peer: 'Paris', verdict: 'up', error: null },
      { peer: 'Tokyo', verdict: null, error: 'it refused the question (401)' },
    ]);
    assert.deepEqual(peers.listVerdicts(world.sql), [
      {
        peer: 'paris',
        monitor: 'web',
        at: originAt + windowMs,
        status: 'up',
        latencyMs: 20,
        error: null,
        skewMs: 1501,
      },
    ]);
    const said = decisions.ofIncident(world.sql, incident.uid).filter(({ reason }) => /^peers_/.test(reason));
    assert.deepEqual(
      said.map(({ reason, verdict, channel, detail }) => ({ reason, verdict, channel, detail })),
      [
        {
          reason: 'peers_disagree',
          verdict: 'held',
          channel: null,
          detail:
            'Other nodes were asked, in 0s: Seen up by Paris: perhaps a network problem near this node. No answer from Tokyo.',
        },
      ],
    );
    await world.stop();
  });

  it('waits 12 s for a peer that hangs, and not a moment longer', async () => {
    const { world } = start(await config(['Paris', 'Tokyo']), { Paris: 'hang', Tokyo: down });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs + patienceMs - 1);
    assert.deepEqual(world.notified, []);
    await world.runTo(originAt + windowMs + patienceMs);
    assert.equal(world.notified.length, 2);
    const lines = body(wordingOf(messageOf(world)));
    assert.ok(lines.includes('Confirmed down from 2 of 3 nodes'));
    assert.ok(lines.includes('No answer from Paris'));
    await world.stop();
  });

  it('asks one that is busy again, within the same 12 s', async () => {
    let times = 0;
    const askPeer: AskPeer = () => {
      times += 1;
      return Promise.resolve(times < 4 ? { kind: 'busy' } : down);
    };
    const { world } = start(await config(['Paris']), {}, { askPeer });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs + patienceMs);
    assert.deepEqual(world.lines(originAt), ['down web 33 ops', 'down web 33 sms']);
    times = -1000;
    await world.sample('web', 'up');
    await outage(world, 'web');
    const againAt = world.clock.now();
    await world.runTo(againAt + windowMs + patienceMs);
    assert.deepEqual(
      world.notified.slice(4).map(({ at }) => at - againAt),
      [windowMs + patienceMs, windowMs + patienceMs],
    );
    await world.stop();
  });

  it('survives a peer whose question breaks', async () => {
    const fault = new Error('a fault of ours');
    const broken: readonly AskPeer[] = [
      () => Promise.reject(fault),
      () => {
        throw fault;
      },
    ];
    for (const askPeer of broken) {
      const { world } = start(await config(['Paris']), {}, { askPeer });
      await outage(world, 'web');
      await world.runTo(originAt + windowMs);
      assert.equal(world.notified.length, 2);
      await world.stop();
    }
  });

  it('delays nothing else: not the channel it goes through, not what need not be confirmed', async () => {
    const both = await config(['Paris'], ['web', 'db']);
    const only: Config = {
      ...both,
      monitors: both.monitors.map((each) => ({ ...each, confirm_with_peers: each.id === 'web' })),
    };
    const { world } = start(only, { Paris: 'hang' });
    await outage(world, 'web');
    await world.runTo(originAt + 1000);
    await outage(world, 'db');
    await world.runTo(originAt + windowMs + patienceMs);
    assert.deepEqual(world.lines(originAt), [
      'down db 31 ops',
      'down db 31 sms',
      'down web 42 ops',
      'down web 42 sms',
    ]);
    await world.stop();
  });

  it('is not asked about when over, muted or folded, nor without peers', async () => {
    const names = await config(['Paris'], ['web', 'db']);
    const { world, asked } = start(names, { Paris: down });
    await outage(world, 'web');
    await world.runTo(originAt + 1000);
    await world.sample('web', 'up');
    const muted = { untilAt: originAt + 3_600_000, reason: null, createdAt: originAt };
    world.apply(silences.add({ monitors: ['db'], ...muted }));
    await outage(world, 'db');
    await world.runTo(originAt + 120_000);
    assert.deepEqual([asked, world.notified], [[], []]);
    await world.stop();

    const cascade = await sketch({
      monitors: [
        { id: 'net', failThreshold: 1 },
        { id: 'web', failThreshold: 1, dependsOn: ['net'] },
      ],
      channels: ['ops'],
      extra: peersOf('Paris'),
    });
    const folded = start(cascade, { Paris: down });
    await outage(folded.world, 'net', 'web');
    await folded.world.runTo(originAt + 60_000);
    assert.deepEqual(
      folded.asked.map(({ about }) => about.id),
      ['net'],
    );
    await folded.world.stop();

    const nobody = start(await config([]), {});
    await outage(nobody.world, 'web');
    await nobody.world.runTo(originAt + windowMs);
    assert.deepEqual([nobody.asked.length, nobody.world.notified.length], [0, 2]);
    await nobody.world.stop();
  });

  it('is one late message when it ends while they are asked, never none', async () => {
    const { world } = start(await config(['Paris'], ['web'], ['ops']), { Paris: 'hang' });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs + 5000);
    await world.sample('web', 'up');
    await world.runTo(originAt + windowMs + patienceMs);
    assert.deepEqual(world.lines(originAt), ['late recovered web 42 ops']);
    await world.stop();
  });

  it('is asked about again after a crash, unless it is known; it is sent within 12 s either way', async () => {
    const { world, asked } = start(await config(['Paris'], ['web'], ['ops']), { Paris: 'hang' });
    await outage(world, 'web');
    await world.runTo(originAt + windowMs + 5000);
    world.restart();
    await world.runTo(originAt + windowMs + 5000 + patienceMs);
    assert.deepEqual(world.lines(originAt), ['down web 47 ops']);
    assert.equal(asked.length, 2);
    world.restart();
    await world.runTo(originAt + 600_000);
    assert.equal(asked.length, 2);
    assert.equal(world.notified.length, 1);
    await world.stop();
  });

  it('is one of eight asked about in a storm, which is one message a channel within 12 s', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `m${index}`);
    const { world, asked } = start(await config(['Paris', 'Tokyo'], ids), { Paris: up, Tokyo: 'hang' });
    await outage(world, ...ids);
    await world.runTo(originAt + windowMs + patienceMs);
    assert.equal(world.notified.length, 2);
    const message = messageOf(world);
    assert.equal(message.event === 'down' && message.impacted.length, 199);
    assert.match(wordingOf(message).title, /is down \(seen up by Paris\), 199 more with it/);
    assert.equal(new Set(asked.map(({ about }) => about.id)).size, 8);
    assert.equal(asked.length, 16);
    const leftOut = decisions.totals(world.sql).find(({ reason }) => reason === 'peers_not_asked');
    assert.equal(leftOut?.count, 192);
    await world.runTo(originAt + 600_000);
    assert.equal(world.notified.length, 2);
    assert.equal(asked.length, 16);
    await world.stop();
  });

  it('says in a message about many what each of them answered, but of one that contradicts itself', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `m${index}`);
    const askPeer: AskPeer = ({ name }, { id }, signal) => {
      // Lima answers for one of them alone, Oslo for none.
      if (name === 'Oslo' || (name === 'Lima' && id !== 'm5')) return endless(signal);
      return Promise.resolve(name === 'Paris' && id === 'm3' ? up : down);
    };
    const { world } = start(await config(['Paris', 'Tokyo', 'Lima', 'Oslo'], ids, ['ops']), {}, { askPeer });
    await outage(world, ...ids);
    await world.runTo(originAt + 600_000);
    assert.equal(world.notified.length, 1);
    const message = messageOf(world);
    assert.ok(message.event === 'down');
    assert.deepEqual(
      message.vantage?.map(({ peer, verdict }) => [peer, verdict]),
      [
        ['Tokyo', 'down'],
        ['Lima', 'down'],
        ['Oslo', null],
      ],
    );
    await world.stop();
  });

  it('whatever they do, is sent no more than 12 s later than without them, and always', async () => {
    const random = randomOf(printedSeed());
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const configured = await config(['Paris', 'Tokyo', 'Lima'], ids);
    for (let history = 0; history < 25; history += 1) {
      const script = scriptOf(random, ids);
      const alone = await played(script, { disk, config: configured });
      const among = await played(script, { disk, config: configured, askPeer: () => strange(random) });
      assertNoLater(alone, among);
    }
  });

  it('would fail this comparison if a peer could hold a message back', async () => {
    const ids = ['a'];
    const configured = await config(['Paris'], ids);
    const script = [{ afterMs: 0, monitor: 'a', isDown: true }];
    const alone = await played(script, { disk, config: configured });
    const silent = alone.map((one) => ({ ...one, at: one.at + patienceMs + 1 }));
    assert.throws(() => {
      assertNoLater(alone, silent);
    });
    assert.throws(() => {
      assertNoLater(alone, []);
    });
  });
});

/** What a peer may do. A number is how many ms it takes; null: it never answers, whoever aborts it. */
type Whim = readonly [answer: VerdictAnswer, tookMs: number | null];

function strange(random: Random): Whim {
  const answer = random.pick<VerdictAnswer>([
    up,
    down,
    blind,
    { kind: 'busy' },
    { kind: 'refused', status: 500 },
    { kind: 'unknown_target' },
    { kind: 'unreachable', error: 'x'.repeat(10_000) },
    { ...up, latencyMs: Infinity, skewMs: Number.NaN, error: '\u001b[2J' },
    { ...down, latencyMs: -5, skewMs: 1e300, error: 'y'.repeat(9000) },
  ]);
  return [answer, random.below(4) === 0 ? null : random.below(20_000)];
}

interface Step {
  readonly afterMs: number;
  readonly monitor: string;
  readonly isDown: boolean;
}

function scriptOf(random: Random, ids: readonly string[]): readonly Step[] {
  return Array.from({ length: 30 }, () => ({
    afterMs: random.pick([0, 0, 100, 3000, 20_000]),
    monitor: random.pick(ids),
    isDown: random.below(3) > 0,
  }));
}

interface Playing extends Pick<WorldOptions, 'disk' | 'config'> {
  readonly askPeer?: () => Whim;
}

/** What was said about each outage on each channel first, and when. */
interface Word {
  readonly incident: string;
  readonly channel: string;
  readonly at: number;
}

async function played(script: readonly Step[], { askPeer, ...given }: Playing): Promise<readonly Word[]> {
  const options =
    askPeer === undefined
      ? {}
      : {
          askPeer: async (_: Peer, __: PeerQuestion, signal: AbortSignal) => {
            const [answer, tookMs] = askPeer();
            if (tookMs === null) return endless(signal, true);
            await world.clock.sleep(tookMs);
            return answer;
          },
        };
  const world: World = new World({ ...given, ...options, startAt: originAt, canHang: true });
  let atMs = originAt;
  for (const { afterMs, monitor, isDown } of script) {
    atMs += afterMs;
    await world.runTo(atMs);
    await world.sample(monitor, isDown ? 'down' : 'up');
  }
  await world.runTo(atMs + 200_000);
  const words = world.notified.flatMap((notified) => wordsOf(notified, world));
  await world.stop();
  return words;
}

/** The incidents that a message is about: those of its monitors that had begun and were not told of yet. */
function wordsOf({ at, channel, message }: Notified, world: World): Word[] {
  if (message.event !== 'down' && (message.event !== 'recovered' || !message.isLate)) return [];
  const about = new Set([message.monitor, ...message.impacted].map(({ id }) => id));
  return incidents
    .listWithin(world.sql, { fromAt: originAt, toAt: at + 1 })
    .filter(({ monitor, startedAt }) => about.has(monitor) && startedAt <= at)
    .map(({ monitor, startedAt }) => ({ incident: `${monitor} ${startedAt}`, channel, at }));
}

function assertNoLater(alone: readonly Word[], among: readonly Word[]): void {
  const first = (words: readonly Word[], word: Word) =>
    Math.min(
      ...words
        .filter(({ incident, channel }) => incident === word.incident && channel === word.channel)
        .map(({ at }) => at),
    );
  for (const word of alone) {
    const lateMs = first(among, word) - first(alone, word);
    assert.ok(lateMs <= patienceMs, `${word.incident} on ${word.channel} came ${lateMs} ms later`);
  }
}

/** Ends when it is aborted, or (stubborn) not even then. */
function endless(signal: AbortSignal, isStubborn = false): Promise<VerdictAnswer> {
  return new Promise((resolve) => {
    if (isStubborn) return;
    const end = () => {
      resolve({ kind: 'unreachable', error: 'called off' });
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
