/** What is written into the incident record about causes: which outage belongs to which, once, and the first to blame. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import type { IncidentRow } from '../../../src/db/tables/incidents.ts';
import type { Outage } from '../../../src/engine/alerting/blast.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import type { ChosenBatch } from '../../../src/notify/delivery/choose.ts';
import { deliverySettings, type DeliveryContext } from '../../../src/notify/delivery/context.ts';
import type { Relation } from '../../../src/notify/delivery/plan.ts';
import { writeRelations } from '../../../src/notify/delivery/relate.ts';
import { load } from '../../support/config.ts';
import { ago, begun, nowAt, outageOf } from './decided.ts';

const chain = { db: [], api: ['db'], web: ['api'] };
const { config } = await load(
  Object.entries(chain)
    .map(([id, above]) => {
      const depends = above.length === 0 ? '' : `depends_on = ["${above.join()}"]`;
      return `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\n${depends}`;
    })
    .join('\n'),
);

interface Scene {
  readonly held?: readonly Relation[];
  readonly begun?: readonly string[];
  readonly sent?: readonly {
    readonly monitor: string | null;
    readonly cause?: string;
    readonly event?: string;
  }[];
  readonly outages?: readonly Outage[];
  /** What differs in the record, by monitor; null: it is not there. */
  readonly incidents?: Readonly<Record<string, Partial<IncidentRow> | null>>;
}

/** What is written, as `monitor cause: impacted`. */
async function written({ held = [], sent = [], incidents = {}, ...scene }: Scene): Promise<string[]> {
  const outages = scene.outages ?? ['db', 'api', 'web'].map((id) => outageOf(id));
  const open = new Map(outages.map((each) => [each.monitor, each]));
  const facts = {
    nowAt,
    settings: deliverySettings(config),
    outages: () => open,
    look: () => ({ failingSinceAt: null, lookedAt: nowAt, isUp: false }),
    incident: (uid: string) => {
      const monitor = uid.replace('of-', '');
      const change = incidents[monitor];
      return change === null ? null : { cause: null, impacted: [], vantage: null, ...begun, ...change };
    },
  } as unknown as DeliveryContext;
  const batches = sent.map(({ monitor, cause = null, event = 'down' }) => ({
    deliveries: [{ row: { monitor }, event, cause }],
  })) as unknown as ChosenBatch[];
  const operations: Operation[] = [];
  await writeRelations(held, batches, {
    begun: scene.begun ?? [],
    facts,
    yielder: new Yielder(() => 0),
    write: (part) => {
      operations.push(...part);
      return Promise.resolve();
    },
  });
  return operations.map(([, ...values]) => {
    const [uid, cause, impacted] = values as [string, string | null, readonly string[]];
    return `${uid.replace('of-', '')} ${cause}: ${impacted.join(' ')}`;
  });
}

describe('an outage that began', () => {
  it('is written into those it belongs to, and those of its dependents into it', async () => {
    assert.deepEqual((await written({ begun: ['db'] })).sort(), ['api db: ', 'db null: api web', 'web db: ']);
    assert.deepEqual((await written({ begun: ['web'] })).sort(), ['db null: web', 'web db: ']);
    assert.deepEqual(await written({ begun: ['web'], outages: [outageOf('web')] }), []);
    const middle = { begun: ['api'], outages: [outageOf('api'), outageOf('web')] };
    assert.deepEqual((await written(middle)).sort(), ['api null: web', 'web api: ']);
    assert.deepEqual(await written({ begun: ['db'], outages: [outageOf('api'), outageOf('web')] }), []);
  });

  it('is not written again', async () => {
    const incidents = { db: { impacted: ['web', 'api'] }, api: { cause: 'db' }, web: { cause: 'db' } };
    assert.deepEqual(await written({ begun: ['db'], incidents }), []);
    const other = { ...incidents, db: { impacted: ['web'] } };
    assert.deepEqual(await written({ begun: ['db'], incidents: other }), ['db null: web api']);
    assert.deepEqual(await written({ begun: ['db'], incidents: { ...incidents, db: null } }), []);
  });

  it('belongs to what failed before a message about it could be held no longer', async () => {
    const limit = 300;
    const late = (secs: number) =>
      written({
        begun: ['api'],
        outages: [outageOf('db', { startedAt: begun.confirmedAt + secs * 1000 }), outageOf('api')],
      });
    assert.deepEqual((await late(limit)).sort(), ['api db: ', 'db null: api']);
    assert.deepEqual(await late(limit + 0.001), []);
    const alone = { begun: ['api'], outages: [outageOf('db'), outageOf('api', { isNotifiedAlone: true })] };
    assert.deepEqual(await written(alone), []);
  });
});

describe('a relation that was found before', () => {
  it('names the upstream of the first cause as the cause, and nothing else', async () => {
    const causes = (blamed: string | null, ...found: readonly string[]) =>
      written({ held: [{ monitor: 'web', causes: found }], incidents: { web: { cause: blamed } } });
    assert.deepEqual((await causes(null, 'api')).sort(), ['api null: web', 'web api: ']);
    assert.deepEqual((await causes('api', 'db')).sort(), ['db null: web', 'web db: ']);
    assert.deepEqual(await causes('db', 'api'), ['api null: web']);
    assert.deepEqual(await causes(null), []);
  });
});

describe('a message that goes out', () => {
  it('says what it blames, and what it is the cause of', async () => {
    const outages = [outageOf('api', { startedAt: ago(80) }), outageOf('web')];
    assert.deepEqual((await written({ sent: [{ monitor: 'api' }], outages })).sort(), [
      'api null: web',
      'web api: ',
    ]);
    assert.deepEqual(await written({ sent: [{ monitor: 'api', event: 'reminder' }], outages }), []);
    assert.deepEqual(await written({ sent: [{ monitor: null }], outages }), []);
    const blaming = { sent: [{ monitor: 'web', cause: 'api' }], outages };
    assert.deepEqual((await written(blaming)).sort(), ['api null: web', 'web api: ']);
  });
});
