/** What is known of open outages, which folding goes by, and of messages about what cannot be checked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { DeliveryRow } from '../../../src/db/tables/outbox.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { deliverySettings } from '../../../src/notify/delivery/context.ts';
import { OpenOutages, unknownGroups } from '../../../src/notify/delivery/open-outages.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';
import { ago, begun, nowAt } from './decided.ts';

const windowMs = 30_000;
const base = outagePayload({ ...begun, ownFault: null });

type Row = Partial<Omit<DeliveryRow, 'payload'>> & { readonly payload?: object };

const rowsAbout = (uid: string, rows: readonly Row[]) =>
  rows.map((row, index) => ({
    deliveryId: `${uid}.${index}`,
    channel: 'ops',
    event: 'down',
    state: 'waiting',
    attempts: 0,
    incident: uid,
    nextAt: ago(1),
    ...row,
    payload: { ...base, ...row.payload },
  })) as unknown as DeliveryRow[];

const { config } = await load(
  ['db', 'api', 'alone']
    .map((id) => `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"`)
    .join('\n')
    .replace('id = "api"', 'id = "api"\ndepends_on = ["db"]'),
);
const { graph } = deliverySettings(config);

const opened = (monitor: string, more: object = {}) =>
  incidents.open({
    uid: `of-${monitor}`,
    monitor,
    name: monitor,
    startedAt: begun.startedAt,
    confirmedAt: begun.confirmedAt,
    category: 'timeout',
    reason: null,
    ...more,
  } as never);

/** What is open, with these deliveries about the outage of `api`. */
async function worldOf(rows: readonly Row[], isNotifiedAlone: (id: string) => boolean = () => false) {
  const facts = await openFacts();
  facts.apply(opened('db'), opened('api'), opened('alone'));
  const known = rowsAbout('of-api', rows);
  const outages = new OpenOutages({
    sql: facts.sql,
    rowsOf: (uid) => (uid === 'of-api' ? known : []),
    isNotifiedAlone,
  });
  const outage = () => outages.connected({ graph, windowMs }).get('api') ?? assert.fail();
  return { ...facts, outages, outage };
}

/** On which channels a message about the outage is sent or waits, as `channel sent` or `channel due in so many s`. */
async function channelsOf(...rows: readonly Row[]) {
  const { outage } = await worldOf(rows);
  return [...outage().channels].map(([channel, { isSent, dueAt }]) =>
    isSent ? `${channel} sent` : `${channel} ${(dueAt - nowAt) / 1000}`,
  );
}

describe('an open outage', () => {
  it('counts for folding where the monitor depends on another, or another on it', async () => {
    const { outages } = await worldOf([]);
    assert.deepEqual([...outages.connected({ graph, windowMs }).keys()].sort(), ['api', 'db']);
    assert.deepEqual([...outages.byMonitor()].sort(), [
      ['alone', 'of-alone'],
      ['api', 'of-api'],
      ['db', 'of-db'],
    ]);
  });

  it('is none where the monitor cannot be checked', async () => {
    const { apply, outages } = await worldOf([]);
    const change = opened('lost', { ownFault: 'resolver' });
    apply(change);
    assert.deepEqual(outages.note([change]), []);
    outages.load();
    assert.equal(outages.byMonitor().has('lost'), false);
  });

  it('begins and ends with what is written', async () => {
    const { apply, outages } = await worldOf([]);
    const [begins, ends] = [opened('late'), incidents.close({ uid: 'of-late', endedAt: nowAt })];
    apply(begins);
    assert.deepEqual(outages.note([begins]), ['late']);
    assert.equal(outages.byMonitor().get('late'), 'of-late');
    apply(ends);
    assert.deepEqual(outages.note([ends]), ['late']);
    assert.equal(outages.byMonitor().has('late'), false);
    assert.deepEqual(outages.note([ends]), []);
    // Written together: it is over when it is looked at.
    assert.deepEqual(outages.note([begins]), ['late']);
    assert.equal(outages.byMonitor().has('late'), false);
    assert.deepEqual(outages.note([['incident.close', 7]]), []);
  });

  it('is named by the deliveries about it that changed', async () => {
    const { outages } = await worldOf([]);
    const changed = (id: unknown) => [...outages.withChangedMessages([['outbox.replace', id as string]])];
    assert.deepEqual(changed('of-api.down.x7'), ['api']);
    assert.deepEqual(changed('of-api.recovered.x7'), []);
    assert.deepEqual(changed('of-gone.down.x7'), []);
    assert.deepEqual(changed(7), []);
  });

  it('waits at least for the window after it was confirmed, and for the latest of its deliveries', async () => {
    const endsAt = async (...rows: readonly Row[]) =>
      ((await worldOf(rows)).outage().windowEndsAt - nowAt) / 1000;
    assert.equal(await endsAt(), -60);
    assert.equal(await endsAt({ payload: { windowEndsAt: ago(70) } }), -60);
    assert.equal(
      await endsAt({ payload: { windowEndsAt: ago(9) } }, { payload: { windowEndsAt: ago(40) } }),
      -9,
    );
    assert.equal(await endsAt({ event: 'degraded', payload: { windowEndsAt: ago(9) } }), -60);
  });

  it('was notified alone where an attempt blamed no upstream, or one is being made', async () => {
    const alone = async (row: Row, underWay = '') =>
      (await worldOf([row], (id) => id === underWay)).outage().isNotifiedAlone;
    assert.equal(await alone({}), false);
    assert.equal(await alone({ attempts: 1 }), true);
    assert.equal(await alone({ state: 'sent' }), true);
    assert.equal(await alone({ state: 'given_up' }), false);
    assert.equal(await alone({ state: 'sent', attempts: 1, payload: { cause: 'db' } }), false);
    assert.equal(await alone({ event: 'degraded', state: 'sent' }), false);
    assert.equal(await alone({}, 'of-api.0'), true);
    assert.equal(await alone({ payload: { cause: 'db' } }, 'of-api.0'), false);
    assert.equal(await alone({ payload: { startedAt: null } }), false);
  });

  it('is alerted where a message waits or was sent, not where its upstream named it', async () => {
    const namedBy = { namedBy: { groupId: 'g', root: 'of-db' } };
    assert.deepEqual(await channelsOf({ state: 'sent' }, { channel: 'sms' }), ['ops sent', 'sms -60']);
    assert.deepEqual(await channelsOf({ state: 'given_up' }, { channel: 'sms', state: 'dropped' }), []);
    assert.deepEqual(await channelsOf({ state: 'sent', payload: namedBy }), []);
    assert.deepEqual(await channelsOf({ event: 'degraded', state: 'sent' }), []);
  });

  it('is alerted to nobody by what waits for another turn or after an acknowledgement', async () => {
    const held = (reason: string) => channelsOf({ payload: { hold: { reason, by: null, since: ago(5) } } });
    assert.deepEqual(await held('off_call'), []);
    assert.deepEqual(await held('acknowledged'), []);
    assert.deepEqual(await held('muted'), ['ops Infinity']);
  });

  it('is due with its window or the end of quiet hours, and not known when otherwise', async () => {
    const due = (row: Row, reason?: string) =>
      channelsOf({
        ...row,
        payload: {
          ...row.payload,
          ...(reason !== undefined && { hold: { reason, by: null, since: ago(5) } }),
        },
      });
    assert.deepEqual(await due({ payload: { windowEndsAt: ago(-7) } }), ['ops 7']);
    assert.deepEqual(await due({ payload: { windowEndsAt: ago(-7) } }, 'window'), ['ops 7']);
    assert.deepEqual(await due({ nextAt: ago(-900) }, 'quiet_hours'), ['ops 900']);
    assert.deepEqual(await due({ nextAt: ago(-900) }, 'folded'), ['ops Infinity']);
    assert.deepEqual(await due({ attempts: 1 }), ['ops Infinity']);
    assert.deepEqual(await due({ payload: { startedAt: null } }), ['ops Infinity']);
  });
});

interface Unchecked {
  readonly monitor: string;
  readonly rows: readonly Row[];
}

/** The groups of the resolver on `ops`, as `id: monitors, begun so many s ago`. */
function groupsOf(open: readonly Unchecked[], waiting: readonly Row[] = [], channel = 'ops') {
  const rows = new Map(
    open.map(({ monitor, rows: own }) => [`of-${monitor}`, rowsAbout(`of-${monitor}`, own)]),
  );
  const groups = unknownGroups({
    open: open.map(({ monitor }) => ({ uid: `of-${monitor}`, monitor, ownFault: 'resolver' })),
    deliveries: {
      ofIncident: (uid) => rows.get(uid) ?? [],
      all: () => rowsAbout('of-over', waiting).map((row) => ({ row })) as never,
    },
  });
  const found = groups
    .of(channel, 'resolver')
    .map(({ id, unchecked, startedAt }) => `${id}: ${unchecked.join(' ')}, ${(nowAt - startedAt) / 1000}`);
  return { found, uncheckedIn: groups.uncheckedIn };
}

const sent = (payload: object = {}, more: Row = {}): Row => ({
  event: 'unknown',
  state: 'sent',
  ...more,
  payload: { ownFault: 'resolver', ...payload },
});
const heldBy = (by: string | null, reason = 'same_cause'): Row => ({
  event: 'unknown',
  payload: { ownFault: 'resolver', hold: { reason, by, since: ago(5) } },
});
const recovery = (payload: object, more: Row = {}): Row => ({
  event: 'recovered',
  ...more,
  payload: { from: 'unknown', endedAt: ago(3), ownFault: 'resolver', ...payload },
});

describe('the messages about what cannot be checked', () => {
  it('are one for all that shares it, since the last of them', () => {
    const { found, uncheckedIn } = groupsOf([
      { monitor: 'a', rows: [sent()] },
      { monitor: 'b', rows: [sent({ causeGroup: 'of-a.0', startedAt: ago(50) })] },
      { monitor: 'c', rows: [sent({ causeGroup: 'of-a.0', startedAt: ago(80) })] },
      { monitor: 'd', rows: [heldBy('of-a.0')] },
    ]);
    assert.deepEqual(found, ['of-a.0: a b c d, 50']);
    assert.deepEqual(uncheckedIn('of-a.0'), ['a', 'b', 'c', 'd']);
    assert.deepEqual(uncheckedIn('of-b.0'), []);
  });

  it('are several where each was sent alone, and of their channel', () => {
    const open = [
      { monitor: 'a', rows: [sent(), sent({}, { channel: 'sms' })] },
      { monitor: 'b', rows: [sent()] },
    ];
    assert.deepEqual(groupsOf(open).found, ['of-a.0: a, 100', 'of-b.0: b, 100']);
    assert.deepEqual(groupsOf(open, [], 'sms').found, ['of-a.1: a, 100']);
    assert.deepEqual(groupsOf(open, [], 'other').found, []);
  });

  it('are none as long as nothing was sent', () => {
    const rows = [
      heldBy('of-x.0'),
      heldBy(null),
      heldBy('of-x.0', 'muted'),
      sent({}, { state: 'waiting' }),
      sent({}, { event: 'down' }),
      sent({ startedAt: null }),
    ];
    assert.deepEqual(groupsOf([{ monitor: 'a', rows }]).found, []);
  });

  it('count what waits because of the same cause alone', () => {
    const held = [
      heldBy('of-a.0', 'muted'),
      heldBy(null),
      { ...heldBy('of-a.0'), state: 'given_up' as const },
    ];
    const { found } = groupsOf([
      { monitor: 'a', rows: [sent()] },
      { monitor: 'b', rows: held },
    ]);
    assert.deepEqual(found, ['of-a.0: a, 100']);
  });

  it('last until their recovery was sent', () => {
    const group = { causeGroup: 'of-a.0' };
    assert.deepEqual(groupsOf([], [recovery(group)]).found, ['of-a.0: , 100']);
    const open = [{ monitor: 'b', rows: [sent({ ...group, startedAt: ago(40) })] }];
    assert.deepEqual(groupsOf(open, [recovery(group)]).found, ['of-a.0: b, 40']);
    assert.deepEqual(groupsOf(open, [recovery({ ...group, startedAt: ago(20) })]).found, ['of-a.0: b, 20']);
    for (const none of [
      recovery({}),
      recovery({ ...group, ownFault: null }),
      recovery({ ...group, endedAt: null }),
      recovery(group, { event: 'down' }),
      recovery(group, { channel: 'sms' }),
    ])
      assert.deepEqual(groupsOf([], [none]).found, []);
  });
});
