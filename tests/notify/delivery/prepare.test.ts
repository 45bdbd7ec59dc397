/** What is written before the first attempt: in which message a delivery goes, what a recovery ends, and what is left out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import { outagePayload } from '../../../src/engine/alerting/events/outage-payload.ts';
import { idOfAll } from '../../../src/engine/alerting/ids.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import type { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import { prepare } from '../../../src/notify/delivery/prepare.ts';
import { ago, begun, config, nowAt } from './decided.ts';

interface Given {
  readonly id: string;
  readonly event?: 'down' | 'recovered' | 'reminder';
  readonly payload?: object;
  /** It waits and does not go in this message. */
  readonly stays?: boolean;
  /** It was taken back meanwhile. */
  readonly isGone?: boolean;
}

interface Scene {
  readonly incidents?: Readonly<Record<string, Partial<IncidentRow>>>;
  /** Deliveries about other incidents. */
  readonly rowsOf?: Readonly<Record<string, readonly object[]>>;
  readonly outageOf?: (monitor: string) => string | null;
  readonly windowMs?: number;
}

function readyOf({ id, event = 'down', payload }: Given): Ready {
  const fields = { ...outagePayload({ ...begun, ownFault: null }), endedAt: ago(5), ...payload };
  const row = {
    deliveryId: id,
    channel: 'ops',
    event,
    state: 'waiting',
    monitor: `m${id}`,
    incident: `i${id}`,
    nextAt: nowAt,
    attempts: 0,
    payload: fields,
  };
  return { row, event, cause: null, reason: 'sent', outage: null, hold: null } as unknown as Ready;
}

/** What is written, as the payload by delivery; what goes; and the incidents whose recoveries are to be found. */
async function prepared(given: readonly Given[], scene: Scene = {}) {
  const all = given.map((each) => ({ ...each, ready: readyOf(each) }));
  const [first = assert.fail(), ...others] = all
    .filter(({ stays }) => stays !== true)
    .map(({ ready }) => ready);
  const rows = all.filter(({ isGone }) => isGone !== true).map(({ ready }) => ready);
  const settings = deliverySettings(config);
  const context = {
    nowAt,
    settings: { ...settings, windowMs: scene.windowMs ?? settings.windowMs },
    incident: (uid: string) => {
      const found = scene.incidents?.[uid];
      return found === undefined ? null : { uid, monitor: `m${uid}`, impacted: [], endedAt: null, ...found };
    },
    incidentById: () => null,
    outageOf: scene.outageOf ?? (() => null),
    stateOf: () => null,
    closedOf: () => [],
  } as unknown as DeliveryContext;
  const written = new Map<string, Record<string, unknown>>();
  const leftOut: string[] = [];
  const batch = await prepare(
    { channel: 'ops', deliveries: [first, ...others] },
    {
      facts: () => context,
      onLeftOut: (uids) => leftOut.push(...uids),
      cache: {
        ofChannel: () => rows,
        has: (id: string) => rows.some(({ row }) => row.deliveryId === id),
        ofIncident: (uid: string) => scene.rowsOf?.[uid] ?? [],
      } as unknown as OutboxCache,
      yielder: new Yielder(() => 0),
      write: (operations: readonly Operation[]) => {
        for (const [name, id, payload] of operations) {
          assert.equal(name, 'outbox.change');
          assert.equal(written.has(id as string), false);
          written.set(id as string, payload as Record<string, unknown>);
        }
        return Promise.resolve();
      },
    },
  );
  const copies = (id: string) => written.get(id)?.['copies'];
  return { batch, written, copies, leftOut };
}

const copy = (as: string, count = 0, lead = as) => ({ copies: { as, lead, count } });

describe('what is written before the first attempt', () => {
  it('is which message each delivery goes in', async () => {
    const { batch, copies } = await prepared([{ id: 'a' }, { id: 'b' }]);
    const mark = { as: idOfAll(['a', 'b']), lead: 'a', count: 0 };
    assert.deepEqual([copies('a'), copies('b')], [mark, mark]);
    assert.deepEqual(
      batch?.deliveries.map(({ row }) => (row.payload as { copies?: object }).copies),
      [mark, mark],
    );
  });

  it('is nothing where a delivery could never go with others', async () => {
    assert.equal((await prepared([{ id: 'a', event: 'reminder' }])).written.size, 0);
    assert.equal((await prepared([{ id: 'a' }], { windowMs: 0 })).written.size, 0);
    assert.equal((await prepared([{ id: 'a' }])).written.size, 1);
  });

  it('stands already where the same message goes again', async () => {
    const as = idOfAll(['a', 'b']);
    const { batch, written } = await prepared([
      { id: 'a', payload: copy(as, 0, 'a') },
      { id: 'b', payload: copy(as, 0, 'a') },
    ]);
    assert.deepEqual([batch?.deliveries.length, written.size], [2, 0]);
  });

  it('is written whole however many go, and nothing goes when one was taken back meanwhile', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ id: `d${index}` }));
    const { batch, written } = await prepared(many);
    assert.deepEqual([batch?.deliveries.length, written.size], [60, 60]);
    const taken = await prepared([{ id: 'a' }, { id: 'b', isGone: true }]);
    assert.equal(taken.batch, null);
  });
});

describe('what was in a message that goes again without it', () => {
  const as = idOfAll(['a', 'b']);

  it('goes in one of its own, and keeps how often it may have been received', async () => {
    const { copies } = await prepared([
      { id: 'a', payload: copy(as, 2, 'a') },
      { id: 'b', payload: copy(as, 2, 'a'), stays: true },
      { id: 'c', payload: copy(as, 0, 'a'), stays: true },
    ]);
    assert.deepEqual(copies('b'), { as: 'b', lead: 'b', count: 2 });
    assert.deepEqual(copies('c'), { as: 'c', lead: 'c', count: 0 });
  });

  it('is nothing of another message, and nothing when this message is a new one', async () => {
    const other = await prepared([
      { id: 'a', payload: copy(as) },
      { id: 'b', payload: copy('x'), stays: true },
      { id: 'c', stays: true },
    ]);
    assert.deepEqual([other.copies('b'), other.copies('c')], [undefined, undefined]);
    const fresh = await prepared([{ id: 'a' }, { id: 'b', payload: copy(as), stays: true }, { id: 'c' }]);
    assert.equal(fresh.copies('b'), undefined);
  });
});

describe('what a recovery ends', () => {
  const over = { endedAt: ago(5) };
  const recovery = (payload: object): Given => ({ id: 'r', event: 'recovered', payload });

  it('is what its alert named and is over; the rest is to be found when it ends', async () => {
    const { written, leftOut } = await prepared([recovery({ named: ['x', 'y'] })], {
      incidents: { x: over, y: {} },
    });
    assert.deepEqual(written.get('r')?.['ends'], ['x']);
    assert.deepEqual(written.get('r')?.['named'], []);
    assert.deepEqual(leftOut, []);
  });

  it('leaves out what ended and is down again, whose recovery is to be found', async () => {
    const { written, leftOut } = await prepared([recovery({ named: ['x', 'y'] })], {
      incidents: { x: over, y: over },
      outageOf: (monitor) => (monitor === 'my' ? 'again' : null),
    });
    assert.deepEqual(written.get('r')?.['ends'], ['x']);
    assert.deepEqual(leftOut, ['y']);
  });

  it('leaves out what is not on record', async () => {
    const { leftOut } = await prepared([recovery({ named: ['x', 'gone'] })], { incidents: { x: over } });
    assert.deepEqual(leftOut, []);
  });

  it('stays as it was fixed, unless something is down again and no attempt may have been received', async () => {
    const scene: Scene = {
      incidents: { x: over, y: over },
      outageOf: (monitor) => (monitor === 'my' ? 'again' : null),
    };
    const fixed = await prepared([recovery({ ends: ['x', 'y'], ...copy('r') })], scene);
    assert.deepEqual(fixed.written.get('r')?.['ends'], ['x']);
    assert.deepEqual(fixed.leftOut, ['y']);
    const maybeReceived = await prepared([recovery({ ends: ['x', 'y'], ...copy('r', 1) })], scene);
    assert.deepEqual([maybeReceived.written.size, maybeReceived.leftOut], [0, []]);
    const { written } = await prepared([recovery({ ends: ['x'], named: ['z'] })], scene);
    assert.deepEqual(Object.keys(written.get('r') ?? {}), ['copies']);
  });

  it('is nothing for an alert, and where nothing was named', async () => {
    const { written } = await prepared([{ id: 'a', payload: { named: ['x'] } }], { incidents: { x: over } });
    assert.equal(written.get('a')?.['ends'], undefined);
    const alone = await prepared([recovery({ named: [] })]);
    assert.equal(alone.written.get('r')?.['ends'], undefined);
  });
});
