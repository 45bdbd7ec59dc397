import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
group_tokens = { shop = "shop-token" }

[[monitors]]
id = "web"
name = "Website"
group = "shop"
target = "https://example.com"
depends_on = ["db"]

[[monitors]]
id = "cart"
name = "Shopping cart"
group = "shop"
target = "https://cart.example.com"
public = false
depends_on = ["vault"]

[[monitors]]
id = "db"
name = "Main database"
group = "inside"
target = "https://db.example.com"

[[monitors]]
id = "vault"
name = "Key vault"
group = "inside"
target = "https://vault.example.com"
public = false

`;

const maintenance = `
[[maintenance]]
title = "Work on the database"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["db"]
`;

const html = { accept: 'text/html' };
const text = { accept: '*/*', 'user-agent': 'curl/8.5.0' };
const viewers = {
  anybody: {},
  member: { authorization: 'Bearer shop-token' },
  operator: { authorization: 'Bearer operator-token' },
};

describe('the page of a group', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const down = (monitor: string, cause: string | null, impacted: readonly string[] = []) =>
      incidents.open({
        uid: `of-${monitor}`,
        monitor,
        name: monitor,
        startedAt: startAt - 300_000,
        confirmedAt: startAt - 240_000,
        category: 'connection',
        reason: null,
        cause,
        impacted,
        snapshot: null,
        vantage: null,
      });
    await world.store.write([
      down('web', 'db', ['vault', 'db']),
      down('cart', 'vault'),
      down('db', null, ['web']),
      down('vault', null, ['cart']),
    ]);
    for (const id of ['web', 'cart', 'db', 'vault']) world.engine.statuses.set(id, 'down');
  });
  after(() => world.close());

  /** Lines of the text are broken anywhere. */
  const page = async (viewer: keyof typeof viewers, form: Readonly<Record<string, string>>) => {
    const shown = await world.ask('/status/shop', { headers: { ...form, ...viewers[viewer] } });
    return form === text ? shown.text.replace(/\s+/g, ' ') : shown.text;
  };

  it('names a cause outside of the group as what it is called', async () => {
    for (const viewer of ['anybody', 'member', 'operator'] as const) {
      for (const form of [html, text]) {
        const shown = await page(viewer, form);
        assert.match(shown, /Because of Main database\./);
        if (form === html) assert.match(shown, /<li><bdi>Main database<\/bdi><\/li>/);
        else assert.match(shown, /Also affects (?:Key vault, )?Main database\./);
        assert.doesNotMatch(shown, /(?:of|affects|,) (?:db|vault)\b/);
      }
    }
  });

  it('does not name what the viewer may not know of, and says that it is down all the same', async () => {
    for (const form of [html, text]) {
      assert.doesNotMatch(await page('anybody', form), /vault|cart/i);
      const member = await page('member', form);
      assert.match(member, /Shopping cart/);
      assert.doesNotMatch(member, /vault/i);
      assert.match(await page('operator', form), /Because of Key vault\./);
    }
  });

  it('refreshes with the token it was opened with', async () => {
    const { text: shown } = await world.ask('/status/shop?token=shop-token', { headers: html });
    assert.match(shown, /Shopping cart/);
    assert.match(shown, /<a href="">Show the latest<\/a>/);
    assert.match(shown, /<a href="\/status\/shop\?refresh=60&amp;token=shop-token">Reload every minute<\/a>/);
  });

  it('reports no incident and no maintenance but that of the group', async () => {
    await world.reload(config + maintenance);
    for (const viewer of ['anybody', 'member', 'operator'] as const) {
      const shown = await page(viewer, html);
      assert.doesNotMatch(shown, /id="(?:m-db|i-of-db|i-of-vault)"|Work on the database/);
    }
  });

  it('shows a card as the whole page does, under maintenance through an upstream in another group', async () => {
    await world.reload(config + maintenance);
    const card = (shown: string) => /<article class="row[^>]* id="m-web">.*?<\/article>/s.exec(shown)?.[0];
    const whole = await world.ask('/', { headers: html });
    assert.match(card(whole.text) ?? '', />Maintenance</);
    assert.equal(card(await page('anybody', html)), card(whole.text));
  });

  it('has no open incident of what is under maintenance, until an operator says something of it', async () => {
    await world.reload(config + maintenance);
    for (const form of [html, text])
      assert.doesNotMatch(await page('anybody', form), /Website is down|INCIDENT/);
    await world.store.write([
      incidentUpdates.add({
        uid: 'of-web-1',
        incident: 'of-web',
        at: startAt,
        state: 'identified',
        message: 'It takes longer.',
        author: 'Ann',
      }),
    ]);
    for (const form of [html, text]) assert.match(await page('anybody', form), /It takes longer\./);
    const { incidents: open } = (await world.ask('/api/summary')).json() as { incidents: unknown[] };
    assert.equal(open.length, 2, 'programs get all of them');
  });
});
