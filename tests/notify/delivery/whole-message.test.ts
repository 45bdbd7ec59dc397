/** Each message says all that is known of what it is about, under the names that the configuration has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { addEvent } from '../../../src/db/tables/events.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import type { Down } from '../../../src/engine/alerting/events/outage.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { queueNotice } from '../../../src/engine/alerting/queue-notice.ts';
import { operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
import { load } from '../../support/config.ts';
import { openDisk, refused, taken, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;
const minute = 60_000;
const base = 'https://status.example.com';
const disk = await openDisk();

async function configOf({ more = '', channel = '' } = {}) {
  const monitor = (id: string, more = '') =>
    `[[monitors]]\nid = "${id}"\nname = "The ${id}"\ntarget = "http://127.0.0.1/"\ndegraded_over_ms = 1000\n${more}`;
  const text = [
    `[alerts]\nfail_threshold = 2\ngroup_window_secs = 30\nalert_on_degraded = true\n${more}`,
    `[server]\nbase_url = "${base}"`,
    `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\n${channel}`,
    monitor('db'),
    monitor('api', 'depends_on = ["db"]'),
    monitor('mail'),
  ].join('\n');
  return (await load(text)).config;
}

async function worldOf(
  settings: Parameters<typeof configOf>[0] = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  return new World({ disk, config: await configOf(settings), startAt: originAt, ...options });
}

/** Two checks of each, ten seconds apart, from now on. */
async function check(world: World, ids: readonly string[], seen: 'down' | 'slow' | 'resolver') {
  const startAt = world.clock.now();
  for (const secs of [0, 10]) {
    await world.runTo(startAt + secs * second);
    for (const id of ids) await world.sample(id, seen);
  }
}

/** The messages. An id of a delivery is the place of the message that first had it; the signature of a link is left out. */
function messagesOf(world: World): unknown[] {
  const ids = world.notified.map(({ message }) => message.deliveryId);
  return world.notified.map(({ message }) => {
    const { deliveryId, ack, ...rest } = message;
    const grouping = 'grouping' in rest ? rest.grouping : null;
    const group =
      grouping === null ? {} : { grouping: { ...grouping, groupId: placeOf(grouping.groupId, ids) } };
    // It acknowledges for the delivery that leads the message, with whose id that of the message begins.
    const lead = /ack\/([^~]+)~/.exec(ack ?? '')?.[1] ?? '';
    const isLead = deliveryId.startsWith(lead);
    const link = ack === undefined ? {} : { ack: ack.replace(isLead ? lead : '', 'ID').replace(/~.*/, '~') };
    const alert = 'alertId' in rest ? { alertId: placeOf(rest.alertId ?? null, ids) } : {};
    return { ...rest, ...group, ...link, ...alert };
  });
}

function placeOf(id: string | null, ids: readonly string[]): number | null {
  return id === null ? null : ids.indexOf(id);
}

/** The numbers and the uids of the incidents of these monitors, the first of each. */
function incidentsOf(world: World, ids: readonly string[]) {
  const found = ids.flatMap(
    (id) => incidents.list(world.sql, { limit: 9, monitors: [id] }).incidents.at(-1) ?? [],
  );
  return { incidentIds: found.map(({ id }) => id), incidentUids: found.map(({ uid }) => uid) };
}

const db = { id: 'db', name: 'The db' };
const api = { id: 'api', name: 'The api' };
const mail = { id: 'mail', name: 'The mail' };
const ack = `${base}/ack/ID~`;

describe('a message about an outage', () => {
  it('says what failed, since when and why, what failed with it, and what was changed before', async () => {
    const world = await worldOf({ channel: 'repeat_every_secs = 600' });
    world.apply(addEvent({ id: 1, uid: 'e', title: 'deploy', monitors: [], at: originAt - minute }));
    await check(world, ['db', 'api'], 'down');
    await world.runTo(originAt + 15 * minute);
    for (const id of ['api', 'db']) await world.sample(id, 'up');
    await world.runTo(originAt + 20 * minute);
    const both = incidentsOf(world, ['db', 'api']);
    const [incidentId] = both.incidentIds;
    const link = `${base}/incidents/${both.incidentUids[0]}`;
    const about = {
      monitor: db,
      impacted: [api],
      startedAt: originAt,
      reason: 'It timed out.',
      incidentId,
      link,
    };
    assert.deepEqual(messagesOf(world), [
      {
        ...about,
        event: 'down',
        isTest: false,
        ack,
        severity: 'error',
        at: originAt + 10 * second,
        confirmedAt: originAt + 10 * second,
        category: 'timeout',
        snapshot: null,
        confirmation: '2 failed checks in a row',
        cause: null,
        grouping: { groupId: 0, ...both },
        vantage: null,
        change: { title: 'deploy', at: originAt - minute },
        step: null,
        knownAs: 'db',
      },
      {
        ...about,
        event: 'reminder',
        because: 'unacknowledged',
        isTest: false,
        ack,
        severity: 'error',
        at: originAt + 640 * second,
        number: 1,
        incidentIds: both.incidentIds,
      },
      {
        ...about,
        event: 'recovered',
        isTest: false,
        severity: 'info',
        at: originAt + 15 * minute,
        from: 'down',
        endedAt: originAt + 15 * minute,
        grouping: { groupId: 0, ...both, hasOthersDown: false },
        isLate: false,
        isRemoved: false,
        alertId: 0,
        knownAs: 'db',
      },
    ]);
    await world.stop();
  });

  it('names one monitor, its cause, and what other nodes see, where there is nothing else to name', async () => {
    const world = await worldOf({ channel: 'monitors = ["api"]' });
    await check(world, ['db', 'api'], 'down');
    await world.runTo(originAt + 15 * minute);
    const own = incidentsOf(world, ['api']);
    assert.deepEqual(
      messagesOf(world).map((message) => {
        const { monitor, impacted, cause, grouping, change, vantage } = message as Down;
        return { monitor, impacted, cause, grouping, change, vantage };
      }),
      [
        {
          monitor: api,
          impacted: [],
          cause: db,
          grouping: { groupId: null, ...own },
          change: null,
          vantage: null,
        },
      ],
    );
    await world.stop();
  });

  it('says in one late message how long it was, where it could not be sent while it lasted', async () => {
    let isBroken = true;
    const world = await worldOf({}, { answer: () => (isBroken ? refused() : taken) });
    await check(world, ['mail'], 'down');
    await world.runTo(originAt + 3 * minute);
    await world.sample('mail', 'up');
    isBroken = false;
    await world.runTo(originAt + 30 * minute);
    const own = incidentsOf(world, ['mail']);
    const [incidentId] = own.incidentIds;
    const [row] = outbox.ofIncident(world.sql, own.incidentUids[0] ?? '');
    assert.deepEqual([row?.event, fieldsOf(row?.payload ?? null)['from']], ['recovered', 'down']);
    assert.deepEqual(messagesOf(world), [
      {
        event: 'recovered',
        isTest: false,
        link: `${base}/incidents/${own.incidentUids[0]}`,
        severity: 'info',
        at: originAt + 3 * minute,
        monitor: mail,
        from: 'down',
        startedAt: originAt,
        endedAt: originAt + 3 * minute,
        reason: 'It timed out.',
        impacted: [],
        grouping: { groupId: null, ...own },
        isLate: true,
        isRemoved: false,
        alertId: null,
        knownAs: null,
        incidentId,
      },
    ]);
    await world.stop();
  });

  it('says nothing of how it was confirmed where an older version kept nothing of that', async () => {
    const world = await worldOf(
      {},
      {
        tamper: (operations) =>
          operations.map(
            (operation) =>
              JSON.parse(
                JSON.stringify(operation).replace(/"confirmation":"[^"]*"/, '"confirmation":""'),
              ) as Operation,
          ),
      },
    );
    await check(world, ['db'], 'down');
    await check(world, ['api'], 'resolver');
    await check(world, ['mail'], 'slow');
    await world.runTo(originAt + 5 * minute);
    assert.deepEqual(
      world.notified.map(({ message }) => [
        message.event,
        'confirmation' in message ? message.confirmation : '',
      ]),
      [
        ['down', null],
        ['unknown', null],
        ['degraded', null],
      ],
    );
    await world.stop();
  });

  it('says of a degradation how slow the monitor was, and what its limit is', async () => {
    const world = await worldOf();
    await check(world, ['mail'], 'slow');
    await world.runTo(originAt + 2 * minute);
    await world.sample('mail', 'up');
    await world.runTo(originAt + 4 * minute);
    const about = {
      isTest: false,
      link: `${base}/monitor/mail`,
      monitor: mail,
      startedAt: originAt,
      reason: null,
    };
    assert.deepEqual(messagesOf(world), [
      {
        ...about,
        event: 'degraded',
        severity: 'warning',
        at: originAt + 10 * second,
        latencyMs: 10_000,
        limitMs: 1000,
        confirmation: '2 degraded checks',
        change: null,
      },
      {
        ...about,
        event: 'recovered',
        severity: 'info',
        at: originAt + 2 * minute,
        endedAt: originAt + 2 * minute,
        from: 'degraded',
        impacted: [],
        grouping: { groupId: null, incidentIds: [], incidentUids: [] },
        isLate: false,
        isRemoved: false,
        alertId: 0,
        knownAs: 'mail',
        incidentId: null,
      },
    ]);
    await world.stop();
  });

  it('says of monitors that cannot be checked why, and what was found when they could be', async () => {
    const world = await worldOf();
    for (const id of ['db', 'api', 'mail']) await world.sample(id, 'up');
    await world.runTo(originAt + 10 * second);
    await check(world, ['db', 'api'], 'resolver');
    await world.runTo(originAt + 2 * minute);
    await world.sample('api', 'down');
    await world.sample('db', 'up');
    await world.runTo(originAt + 6 * minute);
    const both = incidentsOf(world, ['db', 'api']);
    const [, second_] = both.incidentUids;
    assert.deepEqual(messagesOf(world), [
      {
        event: 'unknown',
        isTest: false,
        link: `${base}/incidents/${both.incidentUids[0]}`,
        ack,
        severity: 'error',
        at: originAt + 20 * second,
        monitor: db,
        impacted: [api],
        ownFault: 'resolver',
        startedAt: originAt + 10 * second,
        confirmedAt: originAt + 20 * second,
        reason: 'It timed out.',
        confirmation: '2 checks in a row that could not be made',
        incidentId: both.incidentIds[0],
        incidentIds: both.incidentIds,
      },
      {
        event: 'recovered',
        isTest: false,
        link: `${base}/incidents/${second_}`,
        severity: 'info',
        at: originAt + 2 * minute,
        monitor: api,
        from: 'unknown',
        startedAt: originAt + 10 * second,
        endedAt: originAt + 2 * minute,
        reason: 'It timed out.',
        impacted: [db],
        isLate: false,
        isRemoved: false,
        incidentId: both.incidentIds[1],
        grouping: { groupId: 0, incidentIds: both.incidentIds.toReversed(), hasOthersDown: false },
        found: [
          { ...api, state: 'failing' },
          { ...db, state: 'up' },
        ],
        ownFault: 'resolver',
      },
    ]);
    await world.stop();
  });
});

describe('a message about anything else', () => {
  it('says what its record has, when it was, and what it is about by name', async () => {
    const world = await worldOf({ more: '[health]\nid = "paris"' });
    const at = originAt - 5 * second;
    const expiresAt = originAt + 3 * 86_400_000 + minute;
    const holder = { subject: 'CN=a', issuer: 'CN=b' };
    const cert = { kind: 'cert_expiring', monitor: 'api', expiresAt, at, ...holder } as const;
    const blind = { kind: 'node_blind', startedAt: at, at, reason: 'cut', monitors: ['mail'] } as const;
    for (const notice of [cert, { ...blind, isContinued: false }])
      world.apply(...operationsOf(queueNotice(notice, ['ops']), originAt));
    await world.settle();
    const head = { at, isTest: false, severity: 'warning' };
    assert.deepEqual(messagesOf(world), [
      {
        ...head,
        severity: 'error',
        ...{ event: 'node_blind', link: base, node: 'paris', startedAt: at, endedAt: null, reason: 'cut' },
        ...{ monitors: [mail], monitorCount: 1 },
      },
      {
        ...head,
        event: 'cert_expiring',
        link: `${base}/monitor/api`,
        monitor: api,
        expiresAt,
        daysLeft: 3,
        ...holder,
      },
    ]);
    await world.stop();
  });

  it('is of the moment in which it was written down, where an older version kept no other', async () => {
    const world = await worldOf();
    const createdAt = originAt - 7 * second;
    const row = {
      deliveryId: 'old',
      channel: 'ops',
      event: 'storage_failing',
      monitor: null,
      incident: null,
    };
    world.apply(outbox.put({ ...row, payload: { startedAt: originAt }, createdAt, nextAt: originAt }));
    await world.settle();
    assert.deepEqual(
      world.notified.map(({ message }) => [message.event, message.at]),
      [['storage_failing', createdAt]],
    );
    await world.stop();
  });

  it('is none where a certificate can be read again', async () => {
    const world = await worldOf();
    const unreadable = {
      kind: 'cert_unreadable',
      monitor: 'api',
      at: originAt,
      sinceAt: originAt - minute,
      lastExpiresAt: originAt + minute,
      reason: 'none',
    } as const;
    world.apply(...operationsOf(queueNotice(unreadable, ['ops']), originAt));
    await world.settle();
    assert.deepEqual(messagesOf(world), []);
    await world.stop();
  });
});
