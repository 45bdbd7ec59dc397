/** What becomes of a delivery is written down: each decision with its reason, and what its row remembers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { queueNotice } from '../../../src/engine/alerting/queue-notice.ts';
import { operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { openDisk, refused, sketch, taken, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;
const minute = 60_000;
const disk = await openDisk();

type Sketch = Partial<Parameters<typeof sketch>[0]>;

async function worldOf(given: Sketch = {}, options: Partial<WorldOptions> = {}): Promise<World> {
  const monitors = [
    { id: 'db', failThreshold: 1 },
    { id: 'api', failThreshold: 1, dependsOn: ['db'] },
  ];
  const config = await sketch({ channels: ['ops'], monitors, ...given });
  return new World({ disk, config, startAt: originAt, ...options });
}

/** What was decided, as `seconds event verdict reason: detail`. */
function saidOf(world: World, monitor: string, channel = 'ops'): string[] {
  return decisions
    .ofMonitor(world.sql, monitor, { at: Number.MAX_SAFE_INTEGER, limit: 200 })
    .filter((decision) => decision.channel === channel)
    .map(
      ({ at, event, verdict, reason, detail }) =>
        `${(at - originAt) / second} ${event} ${verdict} ${reason}: ${detail ?? ''}`,
    );
}

/** The row of the only delivery of an event about a monitor. */
function rowOf(world: World, monitor: string, event: string) {
  const [incident] = incidents.list(world.sql, { limit: 1, monitors: [monitor] }).incidents;
  const rows = outbox.ofIncident(world.sql, incident?.uid ?? '');
  return rows.find((row) => row.event === event) ?? assert.fail();
}

const queued = '0 down queued window: It waits 30s, in case it is a flap or part of a larger outage.';
const recovery = 'recovered queued recovery: The channel received the alert, so it gets the recovery.';

describe('what is written of an alert', () => {
  it('says that it was a flap', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * second);
    await world.sample('db', 'up');
    await world.runTo(originAt + minute);
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      '10 down spared flap: It recovered within the group window.',
    ]);
    await world.stop();
  });

  it('says by what it is muted and until when, once, and counts the time as covered', async () => {
    const world = await worldOf();
    const untilAt = originAt + 5 * minute;
    world.apply(silences.add({ monitors: ['db'], untilAt, reason: 'work', createdAt: originAt }));
    await world.sample('db', 'down');
    await world.runTo(originAt + 2 * minute);
    world.restart();
    await world.runTo(originAt + 10 * minute);
    await world.sample('db', 'up');
    await world.runTo(originAt + 12 * minute);
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      '30 down held muted: It is held back until 2026-01-01 00:05:00 UTC by silence 1.',
      '300 down told sent: It was sent to ops.',
      `600 ${recovery}`,
      '600 recovered told sent: It was sent to ops.',
    ]);
    const { coveredMs, coveredSinceAt, spokenForUntilAt, loggedHolds } = fieldsOf(
      rowOf(world, 'db', 'down').payload,
    );
    assert.deepEqual(
      [coveredMs, coveredSinceAt, spokenForUntilAt, loggedHolds],
      [0, originAt + 30 * second, null, [`muted 1 ${untilAt}`]],
    );
    await world.stop();
  });

  it('says when it is tried again, and that it was sent late in the end', async () => {
    let isUp = false;
    const world = await worldOf({}, { answer: () => (isUp ? taken : refused()) });
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * minute);
    await world.sample('db', 'up');
    isUp = true;
    await world.runTo(originAt + 20 * minute);
    const again = (at: number, pause: string) =>
      `${at} down undelivered channel_failed: It was refused. It is tried again in ${pause}.`;
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      ...[again(30, '30s'), again(60, '1m'), again(120, '2m'), again(240, '4m'), again(480, '8m')],
      '960 down queued late: It was down 10m and could not be sent while it lasted.',
      '960 recovered told late: It could not be sent while it lasted, so it was sent once it was over.',
    ]);
    await world.stop();
  });

  it('says which message covers it, and that it gets a window of its own', async () => {
    const world = await worldOf();
    for (const id of ['db', 'api']) await world.sample(id, 'down');
    await world.runTo(originAt + 10 * minute);
    const [db, api] = [rowOf(world, 'db', 'down'), rowOf(world, 'api', 'down')];
    const own = { startedAt: originAt, confirmedAt: originAt, cause: null, isGrouped: false };
    const common = {
      ...own,
      confirmation: 'one failed check',
      ...{ latencyMs: null, limitMs: null, reason: null, downPercent: null, outages: null, spanMs: null },
      ...{ changeTitle: null, changeAt: null },
      ...{ knownAs: 'api', degradation: [] },
      ...{ ownFault: null, causeGroup: null, alsoNamed: [], coveredMs: 0 },
      windowEndsAt: originAt + 30 * second,
      ...{ renewedAfter: null, spokenForUntilAt: null },
    };
    assert.deepEqual(db.payload, {
      ...common,
      knownAs: 'db',
      ...{ hold: null, coveredSinceAt: null, loggedHolds: [] },
      ...{ groupId: db.deliveryId, named: [api.incident], namedBy: null },
      copies: { as: db.deliveryId, lead: db.deliveryId, count: 0 },
    });
    const folded = {
      hold: { reason: 'folded', by: 'db' },
      coveredSinceAt: originAt + 30 * second,
      loggedHolds: ['folded db'],
      namedBy: { groupId: db.deliveryId, root: db.incident },
      calledAt: originAt + 30 * second,
    };
    assert.deepEqual(api.payload, { ...common, ...folded });
    await world.sample('db', 'up');
    const recovered = rowOf(world, 'db', 'recovered');
    assert.deepEqual(recovered.payload, {
      ...{
        from: 'down',
        startedAt: originAt,
        endedAt: originAt + 10 * minute,
        isLate: false,
        isRemoved: false,
      },
      ...{ ownFault: null, causeGroup: null, alsoNamed: [], outages: null, hold: null },
      ...{ alertId: db.deliveryId, knownAs: 'db' },
      ...{ groupId: db.deliveryId, isFirst: true, named: [], ends: [] },
      copies: { as: recovered.deliveryId, lead: recovered.deliveryId, count: 0 },
    });
    await world.runTo(originAt + 12 * minute);
    assert.deepEqual(rowOf(world, 'api', 'down').payload, {
      ...common,
      calledAt: originAt + 30 * second,
      windowEndsAt: originAt + 630 * second,
      ...{ hold: { reason: 'window', by: null }, coveredMs: 570 * second, coveredSinceAt: null },
      ...{ renewedAfter: 'db', spokenForUntilAt: originAt + 630 * second },
      copies: { as: api.deliveryId, lead: api.deliveryId, count: 0 },
      ...{ loggedHolds: ['folded db', 'window db'], groupId: null, named: [], namedBy: null },
    });
    assert.deepEqual(saidOf(world, 'api'), [
      queued,
      '30 down held upstream_due: db, which it depends on, is down too: it waits for the message about that.',
      '30 down held folded: The message about db, which it depends on, names it.',
      '600 down held window: db recovered; it is still down, and is sent after a window of its own, 30s.',
      '630 down told sent: It was sent to ops.',
    ]);
    await world.stop();
  });

  it('names every message that covers it', async () => {
    const monitors = [
      { id: 'db', failThreshold: 1 },
      { id: 'cache', failThreshold: 1 },
      { id: 'api', failThreshold: 1, dependsOn: ['db', 'cache'] },
    ];
    const world = await worldOf({ monitors });
    for (const { id } of monitors) await world.sample(id, 'down');
    await world.runTo(originAt + minute);
    assert.deepEqual(fieldsOf(rowOf(world, 'api', 'down').payload)['hold'], {
      reason: 'folded',
      by: 'db cache',
    });
    assert.equal(
      saidOf(world, 'api').at(-1),
      '30 down held folded: The message about db, cache, which it depends on, names it.',
    );
    await world.stop();
  });

  it('says which dependents each alert of one message about many named, and names each once', async () => {
    const roots = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];
    const monitors = [
      ...roots.map((id) => ({ id, failThreshold: 1 })),
      { id: 'both', failThreshold: 1, dependsOn: ['m0', 'm3'] },
      { id: 'own', failThreshold: 1, dependsOn: ['m3'] },
    ];
    const world = await worldOf({ monitors });
    for (const { id } of monitors) await world.sample(id, 'down');
    await world.runTo(originAt + minute);
    const uids = new Map(monitors.map(({ id }) => [id, rowOf(world, id, 'down').incident]));
    const [storm, ...others] = world.notified.map(({ message }) => message);
    assert.ok(storm?.event === 'down' && others.length === 0);
    assert.deepEqual(storm.impacted.map(({ id }) => id).sort(), [
      'both',
      'm1',
      'm2',
      'm3',
      'm4',
      'm5',
      'own',
    ]);
    assert.deepEqual([...(storm.grouping.incidentUids ?? [])].sort(), [...uids.values()].sort());
    assert.equal(storm.grouping.incidentIds.length, monitors.length);
    assert.deepEqual(
      roots.map((id) => (rowOf(world, id, 'down').payload as Record<string, unknown>)['named']),
      [[uids.get('both')], [], [], [uids.get('both'), uids.get('own')], [], []],
    );
    await world.stop();
  });
});

describe('what is written of a channel that takes nothing', () => {
  it('says to the others for how long and why, and that they were not told where they take no warnings', async () => {
    const channel = (name: string, more = '') =>
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"\n${more}`;
    const extra = [channel('desk'), channel('calls', 'min_severity = "error"')].join('\n');
    const world = await worldOf({ extra }, { answer: (_, name) => (name === 'ops' ? refused() : taken) });
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * minute);
    const warnings = world.notified.filter(({ message }) => message.event === 'channel_failing');
    assert.deepEqual(
      warnings.map(({ at, channel: name, message }) => [at - originAt, name, { ...message, deliveryId: '' }]),
      [
        [
          120 * second,
          'desk',
          {
            deliveryId: '',
            event: 'channel_failing',
            severity: 'warning',
            isTest: false,
            link: null,
            at: originAt + 120 * second,
            channel: 'ops',
            consecutiveFailures: 3,
            failingSinceAt: originAt + 30 * second,
            isPartial: false,
            error: 'It was refused.',
          },
        ],
      ],
    );
    const said = world.sql.all(
      "SELECT channel, verdict, detail FROM decisions WHERE event = 'channel_failing'",
      [],
      (row) => `${row.text('channel')} ${row.text('verdict')}: ${row.text('detail')}`,
    );
    assert.deepEqual(said, [
      'desk queued: Channel ops failed 3 times in a row.',
      'desk told: It was sent to desk.',
    ]);
    await world.stop();
  });

  it('says that there is no other channel to report it to', async () => {
    const world = await worldOf({}, { answer: () => refused() });
    await world.sample('db', 'down');
    await world.runTo(originAt + 30 * minute);
    const said = decisions
      .latest(world.sql, { at: Number.MAX_SAFE_INTEGER, limit: 100 })
      .filter(({ event }) => event === 'channel_failing');
    assert.deepEqual(
      said.map(({ at, channel, verdict, reason, detail }) => [
        (at - originAt) / second,
        channel,
        verdict,
        reason,
        detail,
      ]),
      [
        [
          120,
          'ops',
          'spared',
          'no_other_channel',
          'A channel is failing, and there is no other channel to report it.',
        ],
      ],
    );
    await world.stop();
  });

  it('says that a warning was given up after a day', async () => {
    const world = await worldOf({}, { answer: () => ({ ...refused(), error: 'Refused... ' }) as Delivered });
    const expiresAt = originAt + 9 * 86_400_000;
    const cert = {
      kind: 'cert_expiring',
      monitor: 'db',
      at: originAt,
      expiresAt,
      subject: null,
      issuer: null,
    } as const;
    world.apply(...operationsOf(queueNotice(cert, ['ops']), originAt));
    await world.runTo(originAt + 86_400_000 + 15 * minute);
    const said = saidOf(world, 'db');
    assert.deepEqual(said.slice(0, 2), [
      '0 cert_expiring queued at_once: It is sent at once.',
      '0 cert_expiring undelivered channel_failed: Refused. It is tried again in 30s.',
    ]);
    assert.match(
      said.at(-1) ?? '',
      /^8\d{4} cert_expiring undelivered given_up: Refused\. It was given up\.$/,
    );
    assert.equal(said.filter((line) => line.includes('given_up')).length, 1);
    assert.equal(outbox.nextDueAt(world.sql), null);
    await world.stop();
  });

  it('says that it may have been received, and when a copy follows', async () => {
    const unanswered: Delivered = {
      ...refused(),
      attempts: 1,
      error: 'no answer',
      mayBeReceived: true,
    } as Delivered;
    const world = await worldOf({}, { answer: () => unanswered });
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * minute);
    const perhaps = (at: number, then: string) =>
      `${at} down undelivered no_answer: no answer; all of the message went out, so it may have been received. ${then}`;
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      perhaps(30, 'A copy follows in 30s.'),
      perhaps(60, 'A copy follows in 1m.'),
      perhaps(120, 'A copy follows in 2m.'),
      perhaps(240, 'No further copy is sent.'),
    ]);
    const { payload, deliveryId, state, lastError } = rowOf(world, 'db', 'down');
    const { copies, hold } = payload as Record<string, unknown>;
    assert.deepEqual(copies, { as: deliveryId, lead: deliveryId, count: 4, leftMs: 0 });
    assert.deepEqual(hold, { reason: 'channel_failed', by: null });
    assert.deepEqual(
      [state, lastError],
      ['given_up', 'no answer; all of the message went out, so it may have been received'],
    );
    await world.stop();
  });
});

describe('what is written of a degradation', () => {
  it('names its monitor and no incident', async () => {
    const world = await worldOf({ extra: 'alert_on_degraded = true' });
    for (const secs of [0, 10, 20]) {
      await world.runTo(originAt + secs * second);
      await world.sample('db', 'slow');
    }
    await world.runTo(originAt + 2 * minute);
    await world.sample('db', 'up');
    await world.runTo(originAt + 3 * minute);
    const said = decisions.ofMonitor(world.sql, 'db', { at: Number.MAX_SAFE_INTEGER, limit: 100 });
    assert.deepEqual(
      said.map(({ event, verdict, incident }) => `${event} ${verdict} ${incident}`),
      ['degraded queued null', 'degraded told null', 'recovered queued null', 'recovered told null'],
    );
    await world.stop();
  });
});

describe('what is written of a dependent whose upstream has a message that does not arrive', () => {
  it('is that it waits for that message, and afresh that the message covers it', async () => {
    const world: World = await worldOf(
      {},
      { answer: () => (world.clock.now() < originAt + 50 * second ? refused() : taken), truth: () => 'down' },
    );
    for (const id of ['db', 'api']) await world.sample(id, 'down');
    await world.runTo(originAt + 40 * second);
    const holds = () => fieldsOf(rowOf(world, 'api', 'down').payload)['loggedHolds'];
    assert.deepEqual(holds(), ['upstream_due db']);
    await world.runTo(originAt + 2 * minute);
    assert.deepEqual(holds(), ['folded db']);
    await world.stop();
  });
});

describe('what is written', () => {
  it('is nothing where nothing changed', async () => {
    const written: string[] = [];
    const monitors = [
      { id: 'db', failThreshold: 1 },
      { id: 'api', failThreshold: 1, dependsOn: ['db'] },
    ];
    const config = await sketch({ channels: ['ops'], monitors });
    const world = new World({
      disk,
      config,
      startAt: originAt,
      tamper: (operations) => {
        written.push(operations.map(([name]) => name).join(', '));
        return operations;
      },
    });
    for (const id of ['db', 'api']) await world.sample(id, 'down');
    await world.runTo(originAt + minute);
    const count = written.length;
    // What is held for another monitor is decided again with every change there, and with each silence.
    world.apply(
      silences.add({
        monitors: ['other'],
        untilAt: originAt + 9 * minute,
        reason: null,
        createdAt: originAt,
      }),
    );
    await world.runTo(originAt + 5 * minute);
    world.reload(config);
    await world.runTo(originAt + 6 * minute);
    assert.deepEqual(
      written.slice(count).filter((names) => names.includes('outbox.')),
      [],
    );
    await world.sample('api', 'up');
    await world.sample('db', 'up');
    await world.runTo(originAt + 20 * minute);
    assert.deepEqual(
      written.filter((names) => names === ''),
      [],
    );
    await world.stop();
  });
});
