import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorld, type World } from '../world.ts';

let world: World;
before(async () => {
  world = await openWorld(`auth_token = "operator-token"
rate_limit_burst = 100000

[[channels]]
name = "oncall-berlin"
type = "webhook"
url = "http://127.0.0.1:1/"

[[monitors]]
id = "web"
target = "https://web.internal.example"

[[monitors]]
id = "ledger-store"
public = false
target = "https://ledger.internal.example"
`);
});
after(() => world.close());

const post = (path: string, body?: object) =>
  world.ask(path, {
    method: 'POST',
    headers: { authorization: 'Bearer operator-token' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('texts for the public over HTTP', () => {
  it('are refused with 400, the line and the cure where they name something private; force=true publishes them', async () => {
    const said = 'The ledger-store is full.';
    const opened = await post('/api/incidents', { title: 'Slow', monitors: ['web'] });
    const { uid } = opened.json() as { readonly uid: string };
    for (const [path, body, what] of [
      ['/api/incidents', { title: 'Slow', message: `We look.\n${said}` }, 'line 2 of the message'],
      [`/api/incidents/${uid}/updates`, { message: said }, 'the message'],
      ['/api/event', { title: said }, 'the title'],
      ['/api/maintenance', { title: said, monitors: ['all'], duration: '1h' }, 'the title'],
      [`/api/announce?title=${encodeURIComponent(said)}`, undefined, 'the title'],
    ] as const) {
      const { status, text, headers } = await post(path, body);
      assert.equal(status, 400, path);
      assert.match(headers.get('content-type') ?? '', /problem\+json/);
      assert.ok(text.includes(`${what} names the private monitor 'ledger-store'`), text);
      assert.match(text, /`force=true` over HTTP/);
      const forced = await post(`${path}${path.includes('?') ? '&' : '?'}force=true`, body);
      assert.ok(forced.status === 200 || forced.status === 201, `${path} ${forced.status} ${forced.text}`);
    }
  });

  it('are taken where they are about private monitors alone, or name nothing private', async () => {
    for (const body of [
      { title: 'ledger-store is full', monitors: ['ledger-store'] },
      { title: 'The database is slow', message: 'The API answers late; we alerted the provider.' },
    ])
      assert.equal((await post('/api/incidents', body)).status, 201);
  });
});
