/** A monitor that comes back to the configuration begins anew. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
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
    facts.apply(...alignment(facts.sql, config.monitors, secs * 1000).operations);
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

  it('that was never left out is expected by its last heartbeat', async () => {
    assert.deepEqual(await remembered([[4000, `${job}\n${other}`]]), { heardAt: 1_000_000, status: 'up' });
  });
});
