/** A monitor that comes back to the configuration begins anew. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { documentOf } from '../../../src/engine/monitoring/monitor-memory.ts';
import { alignment, recall } from '../../../src/engine/monitoring/resume.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';

const job = '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 30\ngrace_secs = 30';
const other = '[[monitors]]\nid = "other"\nkind = "push"';

/** What is remembered of `job`, last heard at 1,000 s, when the configurations were loaded at these times. */
async function remembered(loads: readonly (readonly [secs: number, toml: string])[]) {
  const facts = await openFacts();
  const align = async (secs: number, toml: string) => {
    const { config } = await load(toml);
    facts.apply(...alignment(facts.sql, config.monitors, { now: secs * 1000 }).operations);
  };
  await align(0, `${job}\n${other}`);
  const state = documentOf({ state: { ...freshState, status: 'up' }, heardAt: 1_000_000, burning: [] });
  facts.apply(alertStates.save({ monitor: 'job', state, at: 1_000_000 }));
  for (const [secs, toml] of loads) await align(secs, toml);
  const memory = recall(facts.sql, ['job'], 5_000_000).get('job');
  return { heardAt: memory?.heardAt, status: memory?.state.status };
}

describe('a push monitor', () => {
  it('that was left out and is back is due from then on, and has no state yet', async () => {
    assert.deepEqual(
      await remembered([
        [2000, other],
        [4000, `${job}\n${other}`],
      ]),
      { heardAt: 4_000_000, status: freshState.status },
    );
  });

  it('whose state is gone was heard when its last sample says, unless that is older than the monitor', async () => {
    const facts = await openFacts();
    const { config } = await load(job);
    facts.apply(...alignment(facts.sql, config.monitors, { now: 1_000_000 }).operations);
    const heardAt = () => recall(facts.sql, ['job'], 5_000_000).get('job')?.heardAt;
    const sample = {
      monitor: 'job',
      status: 'up',
      latencyMs: null,
      holdSecs: 60,
      isHeartbeat: true,
    } as const;
    facts.apply(samples.add({ ...sample, at: 900_000, category: null, message: null }));
    assert.equal(heardAt(), null);
    facts.apply(samples.add({ ...sample, at: 4_000_000, category: null, message: null }));
    assert.equal(heardAt(), 4_000_000);
    const state = documentOf({ state: freshState, heardAt: null, burning: [] });
    facts.apply(alertStates.save({ monitor: 'job', state, at: 4_500_000 }));
    assert.equal(heardAt(), null, 'the state says that it was never heard');
  });

  it('that was never left out is expected by its last heartbeat', async () => {
    assert.deepEqual(await remembered([[4000, `${job}\n${other}`]]), { heardAt: 1_000_000, status: 'up' });
  });
});

describe('a node that stands in with another configuration', () => {
  const http = (id: string, host: string) =>
    `[[monitors]]\nid = "${id}"\ntarget = "https://${host}.example/"\n`;

  it('keeps monitors that it does not have with their incidents and names, and adds its own', async () => {
    const facts = await openFacts();
    const align = async (secs: number, toml: string, keepsOthers: boolean) => {
      const { config } = await load(toml);
      const aligned = alignment(facts.sql, config.monitors, { now: secs * 1000, keepsOthers });
      facts.apply(...aligned.operations);
      return aligned.renames;
    };
    await align(0, http('web', 'web') + http('m5', 'five'), false);
    facts.apply(
      incidents.open({
        uid: 'i5',
        monitor: 'm5',
        name: 'm5',
        startedAt: 1_000_000,
        confirmedAt: 1_100_000,
        category: 'status',
        reason: null,
      } as never),
    );
    assert.deepEqual(await align(2000, http('web', 'web') + http('mail', 'five'), true), []);
    const listed = () =>
      monitors
        .list(facts.sql)
        .map(({ id, removedAt }) => `${id} ${removedAt === null ? 'watched' : 'removed'}`);
    assert.deepEqual(listed(), ['web watched', 'm5 watched', 'mail watched']);
    assert.deepEqual(
      incidents.listOpen(facts.sql).map(({ monitor }) => monitor),
      ['m5'],
    );
    await align(3000, http('web', 'web'), false);
    assert.deepEqual(listed(), ['web watched', 'm5 removed', 'mail removed']);
    assert.deepEqual(incidents.listOpen(facts.sql), []);
  });
});

describe('a monitor that has the id of one that was removed', () => {
  const web = (id: string, host: string) =>
    `[[monitors]]\nid = "${id}"\ntarget = "https://${host}.example/"\n`;

  it('keeps its state, so that a degradation that was sent is ended', async () => {
    const facts = await openFacts();
    const align = async (secs: number, toml: string) => {
      const { config } = await load(toml);
      facts.apply(...alignment(facts.sql, config.monitors, { now: secs * 1000 }).operations);
    };
    await align(0, web('shop', 'old') + web('api', 'api'));
    await align(1000, web('api', 'api'));
    const degradation = { startedAt: 1_100_000, confirmedAt: 1_200_000 };
    const state = { ...freshState, status: 'degraded', degradation } as const;
    const document = documentOf({ state, heardAt: null, burning: ['fast'] });
    facts.apply(alertStates.save({ monitor: 'api', state: document, at: 1_200_000 }));
    await align(2000, web('shop', 'api'));
    const memory = recall(facts.sql, ['shop'], 3_000_000).get('shop');
    assert.deepEqual(memory?.state, state);
    assert.deepEqual([memory.heardAt, memory.burning], [null, ['fast']]);
  });

  it('starts over when it monitors something else', async () => {
    const facts = await openFacts();
    const align = async (secs: number, toml: string) => {
      const { config } = await load(toml);
      facts.apply(...alignment(facts.sql, config.monitors, { now: secs * 1000 }).operations);
    };
    await align(0, web('shop', 'old') + web('api', 'api'));
    const state = { ...freshState, status: 'up' } as const;
    const document = documentOf({ state, heardAt: null, burning: [] });
    facts.apply(alertStates.save({ monitor: 'shop', state: document, at: 1000 }));
    await align(1000, web('api', 'api'));
    await align(2000, web('shop', 'new') + web('api', 'api'));
    assert.equal(recall(facts.sql, ['shop'], 3_000_000).get('shop')?.state.status, 'unknown');
  });
});

const heartbeat = (monitor: string, at: number) =>
  samples.add({
    monitor,
    at,
    status: 'up',
    latencyMs: null,
    holdSecs: 60,
    isHeartbeat: true,
    category: null,
    message: null,
    heardAt: at,
  });

/** `job` with its state saved at 1,000 s and a heartbeat at 1,500.25 s that changed nothing of it. */
async function heard() {
  const facts = await openFacts();
  const { config } = await load(`${job}\n${other}`);
  facts.apply(...alignment(facts.sql, config.monitors, { now: 0 }).operations);
  const state = documentOf({
    state: { ...freshState, status: 'up', knownAt: 1_000_000 },
    heardAt: 1_000_000,
    burning: [],
  });
  facts.apply(alertStates.save({ monitor: 'job', state, at: 1_000_000 }), heartbeat('job', 1_500_250));
  const instants = (id = 'job') => {
    const memory = recall(facts.sql, [id], 5_000_000).get(id);
    return { heardAt: memory?.heardAt, knownAt: memory?.state.knownAt };
  };
  return { facts, instants };
}

describe('a heartbeat that changes nothing of the state', () => {
  it('is remembered to the millisecond', async () => {
    const { instants } = await heard();
    assert.deepEqual(instants(), { heardAt: 1_500_250, knownAt: 1_500_250 });
  });

  it('moves with a clock that is set', async () => {
    const { facts, instants } = await heard();
    facts.apply(clockRecord.shift({ byMs: -60_000, sinceAt: 0, at: 1_450_000 }));
    assert.equal(instants().heardAt, 1_440_250);
  });

  it('is recognised as written by a clock that was ahead', async () => {
    const { facts } = await heard();
    assert.equal(clockRecord.isAnyAhead(facts.sql, 1_200_000), true);
    assert.equal(clockRecord.isAnyAhead(facts.sql, 1_600_000), false);
  });

  it('goes with its monitor to another id, also to one that a removed monitor left samples under', async () => {
    for (const to of ['new', 'other']) {
      const { facts, instants } = await heard();
      facts.apply(heartbeat('other', 4_000_000), monitors.remove({ id: 'other', at: 4_000_000 }));
      facts.apply(monitors.rename({ from: 'job', to }));
      assert.deepEqual([to, instants(to).heardAt], [to, 1_500_250]);
    }
  });

  it('counts although its sample falls into an hour that is pruned', async () => {
    const { facts, instants } = await heard();
    facts.sql.run("UPDATE monitors SET pruned_before = 3 WHERE id = 'job'");
    facts.apply(heartbeat('job', 1_600_000));
    assert.equal(instants().heardAt, 1_600_000);
  });
});
