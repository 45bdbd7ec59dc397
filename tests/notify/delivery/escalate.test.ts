/** Escalations and rotations over random outages, crashes, acknowledgements, reloads and failing channels. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { load } from '../../support/config.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { openDisk, refused, taken, World } from './world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const windowMs = 30_000;
const people = ['ann', 'ben', 'cat'] as const;
const channels = ['ops', 'lead', 'boss', ...people];

/** Who takes turns, in this order. */
type Members = readonly [string, ...string[]];

interface Plan {
  readonly notify: readonly string[];
  readonly steps: readonly { readonly afterMs: number; readonly notify: readonly string[] }[];
  readonly everyMs: number;
  readonly fromAt: number;
  readonly members: Members;
}

interface Story {
  readonly plan: Plan;
  readonly failAt: number;
  readonly backAt: number;
  /** Nobody acknowledges from `from` to `to`. */
  readonly ack: { readonly from: number; readonly to: number } | null;
}

async function configOf({ notify, steps, everyMs, fromAt, members }: Plan) {
  const list = (names: readonly string[]) => `[${names.map((name) => `"${name}"`).join(', ')}]`;
  const tables = [
    `[alerts]\nfail_threshold = 1\ngroup_window_secs = ${windowMs / 1000}\nchannel_fail_threshold = 100`,
    ...channels.map(
      (name) => `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`,
    ),
    `[[rotations]]\nname = "primary"\nmembers = ${list(members)}\nevery = "${everyMs / minuteMs}m"\nfrom = "${new Date(fromAt).toISOString()}"`,
    `[[escalations]]\nname = "page"\nsteps = [${steps
      .map((step) => `{ after_secs = ${step.afterMs / 1000}, notify = ${list(step.notify)} }`)
      .join(', ')}]`,
    `[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\nescalation = "page"\nnotify = ${list(notify)}`,
  ];
  return (await load(tables.join('\n\n'))).config;
}

const onCall = ({ everyMs, fromAt, members }: Plan, at: number) => {
  const turn = Math.floor((at - fromAt) / everyMs);
  const count = members.length;
  return members[((turn % count) + count) % count] ?? '';
};

const namesAt = (plan: Plan, notify: readonly string[], at: number) =>
  notify.map((name) => (name === 'primary' ? onCall(plan, at) : name));

/** Who is sent the alert, and when, minute by minute as a dispatcher with a list would do it. */
function expected({ plan, failAt, backAt, ack }: Story): Map<string, number> {
  const sent = new Map<string, number>();
  const dueAt = failAt + windowMs;
  if (backAt <= dueAt) return sent;
  const { everyMs, fromAt, steps } = plan;
  const nextTurn = (at: number) => fromAt + (Math.floor((at - fromAt) / everyMs) + 1) * everyMs;
  // When each step was taken; what follows counts from it.
  const takenAt: number[] = [];
  let base: number | null = null;
  for (let at = dueAt; at < backAt; ) {
    const isAcknowledged = ack !== null && at >= ack.from && at < ack.to;
    if (!isAcknowledged) {
      for (const name of namesAt(plan, plan.notify, at)) if (!sent.has(name)) sent.set(name, at);
      base ??= plan.notify.length === 0 ? dueAt : at;
      for (const [index, step] of steps.entries()) {
        const before = index === 0 ? base : (takenAt[index - 1] ?? Infinity);
        const waitMs = step.afterMs - (steps[index - 1]?.afterMs ?? 0);
        const stepAt = Math.ceil((before + waitMs) / 1000) * 1000;
        if (stepAt > at) break;
        const names = namesAt(plan, step.notify, at);
        const isNew = names.some((name) => !sent.has(name));
        for (const name of names) if (!sent.has(name)) sent.set(name, at);
        takenAt[index] ??= isNew ? at : stepAt;
      }
    }
    const ahead = steps.map((step, index) => {
      const before = index === 0 ? (base ?? Infinity) : (takenAt[index - 1] ?? Infinity);
      return Math.ceil((before + step.afterMs - (steps[index - 1]?.afterMs ?? 0)) / 1000) * 1000;
    });
    at = Math.min(
      ...[nextTurn(at), ack?.from ?? Infinity, ack?.to ?? Infinity, ...ahead].filter((each) => each > at),
    );
  }
  return sent;
}

function planOf(random: Random, failAt: number): Plan {
  const some = (names: readonly string[]) => {
    const chosen = names.filter(() => random.below(2) === 0);
    return chosen.length > 0 ? chosen : [names[random.below(names.length)] ?? ''];
  };
  let afterMs = 0;
  const steps = Array.from({ length: 1 + random.below(3) }, () => {
    afterMs += 1000 * (1 + random.below(7200));
    return { afterMs, notify: some(['ops', 'lead', 'boss', 'primary']) };
  });
  return {
    notify: random.below(8) === 0 ? [] : some(['ops', 'primary', 'lead']),
    steps,
    everyMs: minuteMs * (10 + random.below(600)),
    members: membersOf(random),
    fromAt: failAt - random.below(1000) * hourMs + random.below(hourMs),
  };
}

/** One of them or more, in any order: a change of the rotation takes people out, adds and moves them. */
function membersOf(random: Random): Members {
  const left: string[] = [...people];
  const taken = Array.from({ length: 1 + random.below(people.length) }, () =>
    left.splice(random.below(left.length), 1),
  ).flat();
  return [taken[0] ?? people[0], ...taken.slice(1)];
}

function storyOf(random: Random): Story {
  const failAt = Date.UTC(2026, 0, 5) + random.below(24 * hourMs);
  const lastsMs =
    random.below(8) === 0 ? 1 + random.below(windowMs - 1) : windowMs + 1 + random.below(8 * hourMs);
  const backAt = failAt + lastsMs;
  const from = failAt + windowMs + 1 + random.below(4 * hourMs);
  const to = random.below(3) === 0 ? from + 1 + random.below(2 * hourMs) : Infinity;
  const ack = random.below(2) === 0 && from < backAt ? { from, to } : null;
  return { plan: planOf(random, failAt), failAt, backAt, ack };
}

interface Turmoil {
  readonly isCrashPoint?: () => boolean;
  readonly refuses?: (channel: string, at: number) => boolean;
  readonly reload?: { readonly at: number; readonly plan: Plan } | null;
}

type Disk = Awaited<ReturnType<typeof openDisk>>;

async function play({ plan, failAt, backAt, ack }: Story, disk: Disk, turmoil: Turmoil) {
  const truth = (_: string, at: number) => (at < backAt ? 'down' : 'up');
  const { isCrashPoint, refuses = () => false, reload = null } = turmoil;
  const world: World = new World({
    disk,
    config: await configOf(plan),
    startAt: failAt - 1000,
    truth,
    ...(isCrashPoint !== undefined && { isCrashPoint }),
    answer: (_, channel) => (refuses(channel, world.clock.now()) ? refused() : taken),
  });
  await world.runTo(failAt);
  while (incidents.listOpen(world.sql).length === 0) await world.sample('api', 'down');
  const uid = incidents.listOpen(world.sql)[0]?.uid ?? '';
  const change = (at: number, act: () => unknown) => ({
    at,
    act: async () => {
      await act();
      await world.settle();
    },
  });
  const acknowledging = ack === null ? [] : [ack];
  const next = reload === null ? null : await configOf(reload.plan);
  const steps = [
    ...acknowledging.flatMap(({ from, to }) => [
      change(from, () => {
        world.apply(incidents.acknowledge({ uid, at: from, by: null, reason: null }));
      }),
      ...(to < backAt
        ? [
            change(to, () => {
              world.apply(incidents.unacknowledge({ uid }));
            }),
          ]
        : []),
    ]),
    ...(reload === null || next === null || reload.at >= backAt
      ? []
      : [
          change(reload.at, () => {
            world.reload(next);
          }),
        ]),
    change(backAt, async () => {
      while (incidents.listOpen(world.sql).length > 0) await world.sample('api', 'up');
    }),
  ].toSorted((a, b) => a.at - b.at);
  for (const { at, act } of steps) {
    await world.runTo(at);
    await act();
  }
  for (let tries = 0; tries < 200; tries += 1) {
    const nextAt = outbox.nextDueAt(world.sql);
    if (nextAt === null) break;
    await world.runTo(nextAt + 1000);
  }
  await world.stop();
  return world.notified;
}

/** After a crash a message is sent again under its delivery id, which is how its receiver recognises it. */
function firstOfEach(notified: Awaited<ReturnType<typeof play>>) {
  const seen = new Set<string>();
  return notified.filter(({ channel, message }) => {
    const id = `${channel} ${message.deliveryId}`;
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

const linesOf = (notified: ReturnType<typeof firstOfEach>, failAt: number) =>
  notified.map(({ at, channel, message }) => `${message.event} ${channel} ${at - failAt}`).sort();

describe('escalations and rotations', () => {
  const failAt = Date.UTC(2026, 0, 5);
  const hourly: Plan = {
    notify: ['ops', 'primary'],
    steps: [{ afterMs: 9 * hourMs, notify: ['lead'] }],
    everyMs: hourMs,
    members: people,
    // The turn of cat ends 20 s after the failure, before the window of the alert does; the next one begins 3 h later.
    fromAt: failAt + 20_000 - 3 * hourMs,
  };
  for (const [title, ack, times] of [
    ['is not sent in its next turn when it is acknowledged by then', 1.5, []],
    ['is sent in its next turn when it is not', null, [2 * hourMs + 20_000]],
  ] as const)
    it(`an alert whose turn ended before it could be sent ${title}`, async () => {
      const story: Story = {
        plan: hourly,
        failAt,
        backAt: failAt + 8 * hourMs,
        ack: ack === null ? null : { from: failAt + ack * hourMs, to: Infinity },
      };
      const downs = (await play(story, await openDisk(), {})).filter(
        ({ message }) => message.event === 'down',
      );
      assert.deepEqual(
        downs.filter(({ channel }) => channel === 'cat').map(({ at }) => at - failAt),
        times,
      );
      assert.ok(downs.some(({ channel }) => channel === 'ann'));
    });

  it('a step is written down with how long nobody acknowledged, its number, and who was notified already', async () => {
    const disk = await openDisk();
    const steps = [
      { afterMs: hourMs, notify: ['lead'] },
      { afterMs: 2 * hourMs, notify: ['boss', 'lead'] },
      { afterMs: 3 * hourMs, notify: ['ops'] },
    ];
    const plan = { ...hourly, notify: ['ops'], steps };
    await play({ plan, failAt, backAt: failAt + 4 * hourMs, ack: null }, disk, {});
    const said = decisions
      .ofMonitor(disk.facts.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 1000 })
      .filter(({ reason }) => reason === 'escalated' || reason.startsWith('step_'))
      .map(({ channel, verdict, detail }) => `${channel} ${verdict}: ${detail}`);
    assert.deepEqual([...new Set(said)].sort(), [
      'boss queued: Nobody acknowledged it for 2h: step 2 of page.',
      'lead queued: Nobody acknowledged it for 1h: step 1 of page.',
      'null spared: Step 3 of page: every channel of this step was notified before.',
    ]);
  });

  it('what nobody of its route and of its steps can be sent goes to every other channel, and the record says so', async () => {
    const disk = await openDisk();
    const channel = (name: string, url: string) =>
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "${url}"`;
    const { config } = await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30',
        channel('ops', ''),
        channel('lead', ''),
        channel('boss', 'https://boss.example.com/'),
        '[[escalations]]\nname = "page"\nsteps = [{ after_secs = 3600, notify = ["lead"] }]',
        '[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"\nescalation = "page"\nnotify = ["ops"]',
      ].join('\n\n'),
    );
    const world: World = new World({ disk, config, startAt: failAt, truth: () => 'down' });
    await world.sample('api', 'down');
    await world.runTo(failAt + 2 * hourMs);
    assert.deepEqual(world.lines(failAt), ['down api 30 boss']);
    const said = decisions
      .ofMonitor(disk.facts.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 100 })
      .filter(({ channel: name, verdict }) => name === 'boss' && verdict === 'queued')
      .map(({ reason, detail }) => `${reason}: ${detail ?? ''}`);
    assert.deepEqual(said, [
      'last_resort: Nobody could be notified of the outage, so it is sent to every channel that takes it.',
    ]);
    await world.stop();
  });

  it('the turn of a rotation is written down as handed over, once for each who is notified then', async () => {
    const disk = await openDisk();
    const plan = { ...hourly, fromAt: failAt - 30 * minuteMs };
    await play({ plan, failAt, backAt: failAt + 3 * hourMs, ack: null }, disk, {});
    const said = decisions
      .ofMonitor(disk.facts.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 1000 })
      .filter(({ event, verdict }) => event === 'down' && verdict === 'queued')
      .map(({ channel, reason }) => `${channel} ${reason}`);
    assert.deepEqual(said.toSorted(), ['ann window', 'ben handed_over', 'cat handed_over', 'ops window']);
    const [incident] = incidents.list(disk.facts.sql, { limit: 1 }).incidents;
    const marks = outbox
      .ofIncident(disk.facts.sql, incident?.uid ?? '')
      .flatMap(({ event, channel, payload }) => {
        const { step, escalation, isRelief } = fieldsOf(payload);
        return event === 'down' ? [[channel, step, escalation, isRelief]] : [];
      });
    assert.deepEqual(
      new Set(marks.map((mark) => JSON.stringify(mark))),
      new Set([
        '["ann",null,null,null]',
        '["ops",null,null,null]',
        '["ben",0,null,true]',
        '["cat",0,null,true]',
      ]),
    );
  });

  it('who comes on call as a step falls due that goes to the same channel is alerted once', async () => {
    const disk = await openDisk();
    const plan: Plan = {
      ...hourly,
      notify: ['ops'],
      steps: [
        { afterMs: hourMs / 2, notify: ['primary'] },
        { afterMs: hourMs, notify: ['ben'] },
      ],
      members: ['ann', 'ben'],
      // The turn of ann ends an hour after the alert could be sent.
      fromAt: failAt + windowMs,
    };
    await play({ plan, failAt, backAt: failAt + 1.5 * hourMs, ack: null }, disk, {});
    const said = decisions
      .ofMonitor(disk.facts.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 1000 })
      .filter(({ channel, event }) => event === 'down' && channel === 'ben')
      .map(({ verdict, reason }) => `${verdict} ${reason}`);
    assert.deepEqual(said.toSorted(), ['queued handed_over', 'told sent']);
  });

  it('a step counts from the alert of whom the turn went to before the first could be sent', async () => {
    const steps = [{ afterMs: hourMs, notify: ['lead'] }];
    const plan = { ...hourly, notify: ['primary'], steps };
    const notified = await play(
      { plan, failAt, backAt: failAt + 2 * hourMs, ack: null },
      await openDisk(),
      {},
    );
    const lead = notified.filter(({ channel, message }) => channel === 'lead' && message.event === 'down');
    assert.deepEqual(
      lead.map(({ at }) => at - failAt),
      [windowMs + hourMs],
    );
  });

  it('a step goes on counting from that alert when the turn comes back and the first can be sent', async () => {
    // The turn of ann ends 20 s after the failure, so ben is notified, and ann an hour later.
    const plan = {
      ...hourly,
      notify: ['primary'],
      steps: [{ afterMs: 90 * minuteMs, notify: ['lead'] }],
      members: ['ann', 'ben'] as const,
    };
    const story: Story = { plan, failAt, backAt: failAt + 5 * hourMs, ack: null };
    const notified = firstOfEach(await play(story, await openDisk(), {}));
    const downs = notified.filter(({ message }) => message.event === 'down');
    assert.deepEqual(
      downs.map(({ at, channel }) => [channel, at - failAt]),
      [
        ['ben', windowMs],
        ['ann', 20_000 + hourMs],
        ['lead', windowMs + 90 * minuteMs],
      ],
    );
  });

  const histories = casesOf(80, 5000);
  it(`equal a dispatcher with a list in ${histories} outages with crashes and acknowledgements`, async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    let sent = 0;
    for (let history = 0; history < histories; history += 1) {
      const story = storyOf(random);
      const isCrashing = random.below(2) === 0;
      let left = 4;
      const isCrashPoint = () => isCrashing && left > 0 && random.below(12) === 0 && (left -= 1) >= 0;
      const notified = firstOfEach(await play(story, disk, { isCrashPoint }));
      const alerts = expected(story);
      const wanted = [...alerts].flatMap(([channel, at]) => [
        `down ${channel} ${at - story.failAt}`,
        `recovered ${channel} ${story.backAt - story.failAt}`,
      ]);
      assert.deepEqual(
        linesOf(notified, story.failAt),
        wanted.sort(),
        `history ${history}: ${JSON.stringify(story)}`,
      );
      sent += alerts.size;
    }
    console.log(`  ${histories} outages: ${sent} alerts`);
    assert.ok(sent > histories);
  });

  it(`lose, double and send nothing too much in ${histories} outages with failing channels and reloads`, async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    let [reached, changed] = [0, 0];
    for (let history = 0; history < histories; history += 1) {
      const story = storyOf(random);
      const { failAt, backAt, ack } = story;
      const broken = new Map(
        channels.flatMap((name): [string, [number, number]][] => {
          const from = failAt + random.below(4 * hourMs) - hourMs;
          const isBroken = history % 2 === 0 && random.below(3) === 0;
          return isBroken ? [[name, [from, from + random.below(3 * hourMs)]]] : [];
        }),
      );
      const refuses = (channel: string, at: number) => {
        const [from, to] = broken.get(channel) ?? [0, 0];
        return at >= from && at < to;
      };
      const reloadAt = failAt + random.below(6 * hourMs);
      const reload = random.below(2) === 0 ? { at: reloadAt, plan: planOf(random, failAt) } : null;
      if (reload !== null && reload.at < backAt) changed += 1;
      let left = 3;
      const isCrashPoint = () => left > 0 && random.below(25) === 0 && (left -= 1) >= 0;
      const notified = firstOfEach(await play(story, disk, { isCrashPoint, refuses, reload }));
      const about = `history ${history}: ${JSON.stringify({ story, broken: [...broken], reload })} ${linesOf(notified, failAt).join('; ')}`;
      const of = (event: string, channel: string) =>
        notified.filter((each) => each.message.event === event && each.channel === channel);
      for (const channel of channels) {
        const [downs, ups] = [of('down', channel), of('recovered', channel)];
        assert.ok(downs.length <= 1 && ups.length <= 1, `doubled: ${channel}, ${about}`);
        assert.ok(downs.length <= ups.length, `without a recovery: ${channel}, ${about}`);
        for (const { at } of downs) assert.ok(at < backAt, `after the end: ${channel}, ${about}`);
      }
      // While it is open and nobody acknowledged it, whoever the first plan calls has it, where channels work.
      const untilAt = Math.min(backAt, ack?.from ?? Infinity, reload?.at ?? Infinity);
      if (broken.size === 0)
        for (const [channel, at] of expected({ ...story, backAt: untilAt, ack: null })) {
          assert.equal(of('down', channel)[0]?.at, at, `lost: ${channel}, ${about}`);
          reached += 1;
        }
      // A channel that works from an instant on has it by then, or somebody who took over has.
      const isEverNotified = channels.some((channel) => of('down', channel).length > 0);
      const isWorking = (channel: string) => !broken.has(channel);
      const isCalled = [...expected({ ...story, backAt: untilAt, ack: null }).keys()].some(isWorking);
      if (isCalled && broken.size > 0) assert.ok(isEverNotified, `unnoticed: ${about}`);
      if (ack === null || ack.to < backAt || reload !== null) continue;
      const before = new Set([...expected({ ...story, backAt: Math.min(backAt, ack.from) }).keys()]);
      for (const { channel, message } of notified)
        assert.ok(before.has(channel), `after an acknowledgement: ${message.event} ${channel}, ${about}`);
    }
    console.log(`  ${histories} outages: ${changed} with a change of the rotation while they lasted`);
    assert.ok(reached > 10 && changed > 10);
  });
});
