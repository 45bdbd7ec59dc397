/** The status page of so many monitors that making it takes a while. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { until } from '../../support/daemon.ts';
import { openWorld, startAt, type World } from '../world.ts';

const count = 2000;
const allWell = /All systems operational/;

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000
${Array.from({ length: count }, (_, index) => `[[monitors]]\nid = "m${index}"\ntarget = "https://${index}.example.com"\n`).join('\n')}`;

describe('the page of thousands of monitors', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    for (let index = 0; index < count; index += 1) world.engine.statuses.set(`m${index}`, 'up');
  });
  after(() => world.close());

  const page = async (token: string | null = null) => {
    const headers = { accept: 'text/html', ...(token !== null && { authorization: `Bearer ${token}` }) };
    return (await world.ask('/', { headers })).text;
  };

  it('is shown to strangers while the next is made, and to operators as it is', async () => {
    await until(
      async () => allWell.test(await page()),
      () => 'not all is well',
    );
    assert.match(await page('operator-token'), allWell);
    world.engine.statuses.set('m7', 'down');
    // After 15 s it would be made ahead.
    world.clock.advance(14_000);
    assert.doesNotMatch(await page('operator-token'), allWell);
    assert.match(await page(), allWell);
    await until(
      async () => !allWell.test(await page()),
      () => 'the next is never shown',
    );
  });

  it('shows at once what an operator announces', async () => {
    await page();
    world.clock.advance(4000);
    await world.store.write([
      announcements.add({
        title: 'We are moving',
        body: null,
        severity: 'info',
        untilAt: null,
        createdAt: startAt,
        uid: 'u1',
      }),
    ]);
    assert.match(await page(), /We are moving/);
  });
});
