import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { monitorTables, openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000
${monitorTables(['web', 'hidden'], { hidden: 'public = false' })}`;

describe('an incident that an operator opened while every monitor is up', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    world.engine.statuses.set('web', 'up').set('hidden', 'up');
  });
  after(() => world.close());

  const text = async (path: string, accept = 'text/html') =>
    (await world.ask(path, { headers: { accept } })).text;
  let id = 0;
  const declare = async (impact: 'none' | 'degraded' | 'partial' | 'major', monitors: string[]) => {
    id += 1;
    await world.store.write([
      declareIncident({ id, uid: `by-hand-${id}`, title: 'Payments fail', impact, monitors, at: startAt }),
    ]);
    world.clock.advance(10_000);
  };
  const shown = async () => [
    /class="verdict v-([a-z]+)/.exec(await text('/'))?.[1],
    /<title>([a-z]+)</.exec(await text('/favicon.svg'))?.[1],
    /<title>[^<]*: ([a-z]+)</.exec(await text('/api/badge/_overall/status'))?.[1],
    (JSON.parse(await text('/api/v2/status.json')) as { status: { indicator: string } }).status.indicator,
    /^([A-Z ]+?) {2}/m.exec(await text('/', 'text/plain'))?.[1],
  ];

  it('is as bad on icons and badges, in plain text and for Statuspage, as on the page', async () => {
    const fine = ['up', 'up', 'up', 'none', 'ALL SYSTEMS OPERATIONAL'];
    assert.deepEqual(await shown(), fine);
    await declare('major', ['hidden']);
    assert.deepEqual(await shown(), fine, 'it is about what strangers do not see');
    await declare('none', ['web']);
    assert.deepEqual(await shown(), fine);
    const amber = ['degraded', 'degraded', 'degraded'];
    await declare('degraded', ['web']);
    assert.deepEqual(await shown(), [...amber, 'minor', 'DEGRADED PERFORMANCE']);
    await declare('partial', ['web']);
    assert.deepEqual(await shown(), [...amber, 'major', 'PARTIAL OUTAGE']);
    await declare('major', []);
    assert.deepEqual(await shown(), ['down', 'down', 'down', 'critical', 'MAJOR OUTAGE']);
    assert.match(await text('/api/badge/web/status'), /: up</, 'the badge of a monitor is about its checks');
  });
});
