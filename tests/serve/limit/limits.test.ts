import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { serverRows as server } from '../../../src/engine/config/rows/server.ts';
import { subscribeRows } from '../../../src/engine/config/rows/subscribe.ts';
import { askedMails, limitsOf, pagesPerRequest, wrongTokens } from '../../../src/serve/limit/limiter.ts';
import { mailConfig, readerLink, readerWrites } from '../../support/reader.ts';
import { openWorld, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
group_tokens = { shop = "shop-token" }
rate_limit_burst = 40

[[peers]]
id = "node-b"
listen_token = "peer-token"

[[monitors]]
id = "web"
group = "shop"
public = false
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[monitors]]
id = "backup"
kind = "push"
push_token = "backup-token"

[[monitors]]
id = "open"
kind = "push"
`;

interface Try {
  readonly method?: string;
  readonly path: (token: string) => string;
  readonly headers?: (token: string) => Record<string, string>;
  readonly right: string;
}

/** Every place where a token counts, and how it is presented there. */
const tries: Readonly<Record<string, Try>> = {
  'the access token in the address of a page': { path: (t) => `/?token=${t}`, right: 'operator-token' },
  'the access token in a header': {
    path: () => '/history',
    headers: (t) => ({ authorization: `Bearer ${t}` }),
    right: 'operator-token',
  },
  'the access token of the metrics': { path: (t) => `/metrics?token=${t}`, right: 'operator-token' },
  'the token of a group': { path: (t) => `/status/shop?token=${t}`, right: 'shop-token' },
  'a push token in the address': {
    method: 'POST',
    path: (t) => `/api/push/job?token=${t}`,
    right: 'job-token',
  },
  'a push token in a header': {
    method: 'POST',
    path: () => '/api/push/job',
    headers: (t) => ({ 'x-push-token': t }),
    right: 'job-token',
  },
  'the token of a peer': {
    path: () => '/healthz',
    headers: (t) => ({ 'x-push-token': t }),
    right: 'peer-token',
  },
};

describe('a client that tries tokens', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  let last = 0;
  /** An address that nobody had before. */
  const newAddress = () => `203.0.113.${(last += 1)}`;
  const send = async ({ method = 'GET', path, headers = () => ({}) }: Try, token: string, address: string) =>
    world.ask(path(token), { method, headers: { 'x-forwarded-for': address, ...headers(token) } });
  const guess = async (one: Try, address: string, count: number = wrongTokens.burst) => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) {
      // The rate of requests is another limit.
      world.clock.advance(1);
      statuses.push((await send(one, `guess-${index}`, address)).status);
    }
    return statuses;
  };
  /** A slow clock for the API, which refills within the tries. */
  const rest = () => {
    world.clock.advance(120_000);
  };

  for (const [name, one] of Object.entries(tries)) {
    it(`is refused after ${wrongTokens.burst} wrong ones, also with the right one: ${name}`, async () => {
      rest();
      const address = newAddress();
      const statuses = await guess(one, address);
      assert.ok(!statuses.includes(429), statuses.join());
      const refused = await send(one, 'one-more', address);
      assert.equal(refused.status, 429);
      assert.match(refused.text, /Too many wrong tokens from this address/);
      assert.equal(refused.headers.get('retry-after'), '6');
      assert.equal((await send(one, one.right, address)).status, 429);
      assert.notEqual((await send(one, one.right, newAddress())).status, 429);
      world.clock.advance(wrongTokens.refillSecs * 1000);
      assert.notEqual((await send(one, one.right, address)).status, 429);
    });
  }

  it('is still shown everything that needs none, and takes heartbeats that need none', async () => {
    rest();
    const address = newAddress();
    const page = tries['the token of a group'] as Try;
    await guess(page, address, wrongTokens.burst + 1);
    const headers = { 'x-forwarded-for': address };
    for (const path of ['/', '/metrics', '/healthz', '/api/summary', '/api/badge/job/status']) {
      assert.equal((await world.ask(path, { headers })).status, 200, path);
    }
    assert.equal((await world.ask('/api/push/open', { method: 'POST', headers })).status, 200);
  });

  it('takes none of what another program behind the same address has shown before', async () => {
    rest();
    const address = newAddress();
    const push = tries['a push token in a header'] as Try;
    assert.equal((await send(push, push.right, address)).status, 200);
    await guess(tries['the token of a group'] as Try, address, wrongTokens.burst + 5);
    assert.equal((await send(push, push.right, address)).status, 200);
    const page = tries['the access token in a header'] as Try;
    assert.equal((await send(page, page.right, address)).status, 429);
  });

  it('holds up no heartbeat with the right token, seen before or not, unless it tries tokens for that very one', async () => {
    rest();
    const push = tries['a push token in a header'] as Try;
    const other = { ...push, path: () => '/api/push/backup', right: 'backup-token' };
    const address = newAddress();
    await guess(tries['the token of a group'] as Try, address, wrongTokens.burst + 5);
    await guess(other, address, wrongTokens.burst + 1);
    assert.equal((await send(push, push.right, address)).status, 200);
    assert.equal((await send(other, other.right, address)).status, 429);
  });

  it('pays once for a token that it repeats, as a bookmark does', async () => {
    rest();
    const address = newAddress();
    const page = tries['the access token in the address of a page'] as Try;
    for (let count = 0; count < wrongTokens.burst * 3; count += 1)
      assert.equal((await send(page, 'old-token', address)).status, 200);
    assert.equal((await send(page, page.right, address)).status, 200);
  });

  it('is counted by /64 where it has IPv6', async () => {
    rest();
    const page = tries['the token of a group'] as Try;
    for (let count = 0; count < wrongTokens.burst; count += 1)
      await send(page, `guess-${count}`, `2001:db8:1:2::${count + 1}`);
    assert.equal((await send(page, 'more', '2001:db8:1:2:ffff::1')).status, 429);
    assert.equal((await send(page, page.right, '2001:db8:1:2:ffff::1')).status, 429);
    assert.equal((await send(page, page.right, '2001:db8:1:3::1')).status, 200);
  });

  it('learns nothing from the links of error pages', async () => {
    rest();
    const address = newAddress();
    await guess(tries['the token of a group'] as Try, address, wrongTokens.burst + 1);
    for (const path of ['/nothing', '/']) {
      const reply = await world.ask(`${path}?token=operator-token`, {
        headers: { 'x-forwarded-for': address, accept: 'text/html' },
      });
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
      assert.doesNotMatch(reply.text, /token=/);
    }
    const other = await world.ask('/nothing?token=operator-token', {
      headers: { 'x-forwarded-for': newAddress(), accept: 'text/html' },
    });
    assert.match(other.text, /token=operator-token/);
  });

  it('pays for guesses in addresses that lead nowhere', async () => {
    rest();
    const headers = { 'x-forwarded-for': newAddress(), accept: 'text/html' };
    for (let count = 0; count < wrongTokens.burst; count += 1)
      await world.ask(`/nothing?token=guess-${count}`, { headers });
    assert.equal((await world.ask('/?token=operator-token', { headers })).status, 429);
  });
});

describe('the limit of pages', () => {
  const pages = [
    '/',
    '/status/shop?token=shop-token',
    '/history',
    '/history.atom',
    '/report/2026-06',
    '/metrics',
  ];

  it(`lets an address load ${pagesPerRequest} times as many as the API, then says when to come back`, async () => {
    const world = await openWorld(config.replace('rate_limit_burst = 40', 'rate_limit_burst = 1'));
    try {
      for (const [index, path] of pages.entries()) {
        const headers = { 'x-forwarded-for': `198.51.100.${index}` };
        for (let count = 0; count < pagesPerRequest; count += 1)
          assert.equal((await world.ask(path, { headers })).status, 200, path);
        const refused = await world.ask(path, { headers });
        assert.equal(refused.status, 429, path);
        assert.equal(refused.headers.get('retry-after'), '1');
        const others = { 'x-forwarded-for': `198.51.101.${index}` };
        assert.equal((await world.ask(path, { headers: others })).status, 200);
        world.clock.advance(1000 / pagesPerRequest);
        assert.equal((await world.ask(path, { headers })).status, 200, path);
      }
    } finally {
      await world.close();
    }
  });

  it('serves an office of a thousand readers behind one address', async () => {
    const world = await openWorld('');
    try {
      for (let second = 0; second < 60; second += 1) {
        for (let reader = 0; reader < 17; reader += 1) assert.equal((await world.ask('/')).status, 200);
        world.clock.advance(1000);
      }
    } finally {
      await world.close();
    }
  });
});

describe('a client that asks for mails', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const ask = (world: World, client: string, more: { readonly address: string; readonly accept?: string }) =>
    world.ask('/subscribe', {
      method: 'POST',
      body: `address=${encodeURIComponent(more.address)}`,
      headers: { ...form, 'x-forwarded-for': client, accept: more.accept ?? '*/*' },
    });
  const stored = (world: World) => subscribers.list(world.store.sql).map(({ address }) => address);
  let world: World;
  beforeEach(async () => {
    world = await openWorld(`auth_token = "operator-token"\n${mailConfig.head}${mailConfig.tail}`);
  });
  afterEach(() => world.close());

  it('is refused after 5 for any domains, is told when to come back, and leaves others theirs', async () => {
    for (const [one, other, third] of [
      ['198.51.100.1', '198.51.100.1', '198.51.100.2'],
      ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1'],
    ] as const) {
      const before = stored(world).length;
      for (let count = 0; count < askedMails.burst; count += 1) {
        const answer = await ask(world, count % 2 === 0 ? one : other, {
          address: `a@${count}.${before}.example`,
        });
        assert.equal(answer.status, 200);
      }
      const address = `a@last.${before}.example`;
      const refused = await ask(world, other, { address });
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), String(askedMails.refillSecs));
      assert.match(refused.headers.get('content-type') ?? '', /problem\+json/);
      assert.match(refused.text, /Too many mails were asked for from this address\. Try again in 720 s\./);
      const page = await ask(world, other, { address, accept: 'text/html' });
      assert.equal(page.status, 429);
      assert.match(page.text, /Too many mails were asked for from this address\. Try again in 720 s\./);
      assert.equal(stored(world).length, before + askedMails.burst);
      assert.equal((await ask(world, third, { address })).status, 200);
      world.clock.advance(askedMails.refillSecs * 1000);
      assert.equal((await ask(world, one, { address: `b@last.${before}.example` })).status, 200);
      assert.equal((await ask(world, other, { address })).status, 429);
    }
  });

  it('is answered alike for an address that is subscribed, and keeps its other requests and its links', async () => {
    await world.store.write(readerWrites(world.clock.now()));
    const client = '198.51.100.9';
    const headers = { 'x-forwarded-for': client };
    for (let count = 0; count < askedMails.burst; count += 1)
      assert.equal((await ask(world, client, { address: 'reader@example.com' })).status, 200);
    const known = await ask(world, client, { address: 'reader@example.com' });
    const unknown = await ask(world, client, { address: 'stranger@example.com' });
    assert.deepEqual([known.status, known.text], [429, unknown.text]);
    assert.match(
      (await world.ask('/metrics?token=operator-token')).text,
      /statusd_http_refused_total\{reason="rate_limit"\} 2/,
    );
    for (const [method, path] of [
      ['GET', '/subscribe'],
      ['GET', `/subscribe/${readerLink}`],
      ['POST', `/subscribe/${readerLink}`],
      ['GET', '/api/summary'],
      ['GET', `/unsubscribe/${readerLink}`],
      ['POST', `/unsubscribe/${readerLink}`],
    ] as const)
      assert.equal((await world.ask(path, { method, headers })).status, 200, `${method} ${path}`);
  });

  it('does not pay for an address that cannot be read', async () => {
    for (let count = 0; count < 20; count += 1)
      assert.equal((await ask(world, '198.51.100.1', { address: 'nonsense' })).status, 400);
    assert.equal((await ask(world, '198.51.100.1', { address: 'a@b.example' })).status, 200);
  });
});

describe('the manual', () => {
  it('names the limits as they are', () => {
    const { api, pages, mails, guesses, allGuesses } = limitsOf({
      rate_limit_burst: 30,
      rate_limit_refill_secs: 1,
    });
    assert.deepEqual(pages, { burst: 30 * pagesPerRequest, refillMs: 1000 / pagesPerRequest });
    assert.deepEqual(api, { burst: 30, refillMs: 1000 });
    const { doc: ofMails } = subscribeRows.per_address_per_hour;
    const everyMinutes = mails.refillMs / 60_000;
    assert.ok(ofMails.includes(`may ask for ${mails.burst} at once, then one every ${everyMinutes} minutes`));
    const { doc } = server.rate_limit_burst;
    assert.ok(doc.includes(`${pagesPerRequest} times as many pages`), doc);
    assert.ok(
      doc.includes(
        `Wrong tokens are limited to ${guesses.burst}, then one every ${guesses.refillMs / 1000} seconds`,
      ),
    );
    assert.equal(allGuesses.burst * allGuesses.refillMs, 60_000);
    assert.ok(doc.includes(`${allGuesses.burst} a minute of all addresses`), doc);
  });
});
