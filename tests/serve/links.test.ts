import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../src/db/tables/incidents.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { openWorld, startAt, type World } from './world.ts';

/** As they stand in an address: the first needs to be written otherwise there. */
const tokens = { operator: 'tell&"<no>one', shop: 'shop-token', inside: 'inside-token' };
const written = { ...tokens, operator: encodeURIComponent(tokens.operator) };

const config = `
auth_token = '${tokens.operator}'
group_tokens = { shop = "${tokens.shop}", inside = "${tokens.inside}" }
rate_limit_burst = 100000

[[monitors]]
id = "web"
name = "Website"
group = "shop"
target = "https://example.com"

[[monitors]]
id = "cart"
name = "Shopping cart"
group = "shop"
target = "https://cart.example.com"
public = false

[[monitors]]
id = "vault"
name = "Key vault"
group = "inside"
target = "https://vault.example.com"
public = false
`;

const html = { accept: 'text/html' };

const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const;

function addressIn(attribute: string): string {
  return attribute.replace(/&(?:\w+|#39);/g, (entity) => entities[entity as keyof typeof entities]);
}

/** Of a page, as a browser would open them, the icon and places within the page aside. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/ href="([^"#][^"]*)"/g)]
    .map(([, address = '']) => addressIn(address).replace(/#.*$/, ''))
    .filter((address) => !/^\/(?:favicon\.\w+|apple-touch-icon\.png)$/.test(address));
}

describe('the links of a page', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const opened = (monitor: string, index: number) =>
      incidents.open({
        uid: `${monitor}-${index}`,
        monitor,
        name: monitor,
        startedAt: startAt - 86_400_000 - index * 600_000,
        confirmedAt: startAt - 86_400_000 - index * 600_000,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      });
    const closed = (uid: string) => incidents.close({ uid, endedAt: startAt - 3_600_000 });
    const all = ['web', 'cart', 'vault'].flatMap((monitor, place) =>
      Array.from({ length: 60 }, (_, index) => [
        opened(monitor, index * 3 + place),
        closed(`${monitor}-${index * 3 + place}`),
      ]).flat(),
    );
    // Something was measured, so there is a picture of it.
    const sample = { status: 'up', latencyMs: 90, holdSecs: 60, isHeartbeat: false } as const;
    const at = startAt - 60_000;
    await world.store.write([
      ...all,
      samples.add({ ...sample, monitor: 'vault', at, category: null, message: null }),
    ]);
  });
  after(() => world.close());

  const page = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    world.ask(path, { headers: { ...html, ...headers } });

  /** Every address that links lead to from the first on, with what is there. */
  async function walk(first: string): Promise<Map<string, Awaited<ReturnType<typeof page>>>> {
    const seen = new Map<string, Awaited<ReturnType<typeof page>>>();
    const left = [first];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (seen.has(next)) continue;
      const reply = await page(next);
      assert.equal(reply.status, 200, next);
      seen.set(next, reply);
      if (reply.headers.get('content-type')?.startsWith('text/html') === true)
        left.push(...linksOf(reply.text));
    }
    return seen;
  }

  it('keep the access token of who has it in the address, wherever they lead', async () => {
    const seen = await walk(`/?token=${written.operator}`);
    const paths = [...seen.keys()];
    for (const expected of [
      /^\/history\?token=/,
      /^\/history\?before=[\w-]+&token=/,
      /^\/history\?monitor=vault&token=/,
      /^\/history\?monitor=vault&before=[\w-]+&token=/,
      /^\/history\.atom\?token=/,
      /^\/report\/2026-06\?token=/,
      /^\/status\/inside\?token=/,
      /^\/monitor\/vault\?token=/,
      /^\/incidents\/vault-\d+\?token=/,
      /^\/status\/inside\?refresh=60&token=/,
      /^\/api\/monitors\/vault\/heatmap\.svg\?token=/,
    ]) {
      assert.ok(
        paths.some((path) => expected.test(path)),
        String(expected),
      );
    }
    for (const [path, { headers, text }] of seen) {
      // The same for everybody.
      if (path === '/api/openapi.json') continue;
      assert.ok(path.endsWith(`token=${written.operator}`), path);
      assert.ok(!text.includes(tokens.operator));
      const isApi = path.startsWith('/api/summary');
      assert.equal(headers.get('cache-control'), isApi ? 'no-store' : 'private, no-store');
      assert.equal(headers.get('etag'), null);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    }
    const feed = seen.get(`/history.atom?token=${written.operator}`)?.text ?? '';
    // People pass on entries, and readers share what they subscribe to.
    assert.match(feed, /<entry>/);
    assert.doesNotMatch(feed, /token=/);
  });

  it('lead back from an error with the token, too', async () => {
    for (const path of ['/nothing', '/history?monitor=nothing', '/history?width=x']) {
      const { status, text } = await page(
        `${path}${path.includes('?') ? '&' : '?'}token=${written.operator}`,
      );
      assert.ok(status >= 400);
      assert.ok(text.includes(`<a href="/?token=${written.operator}">Go to the status page</a>`));
      assert.doesNotMatch((await page(`${path}${path.includes('?') ? '&' : '?'}token=guess`)).text, /guess/);
    }
  });

  it('hold the token of a group where it counts, and nothing that it does not open', async () => {
    const first = `/status/shop?token=${written.shop}`;
    const seen = await walk(first);
    const { text = '' } = seen.get(first) ?? {};
    assert.match(text, /Shopping cart/);
    assert.match(text, /href="\/monitor\/web"/);
    assert.doesNotMatch(text, /\/monitor\/cart|\/incidents\/cart/);
    const withToken = [...seen.keys()].filter((path) => path.includes('token='));
    assert.deepEqual(withToken.sort(), [`/status/shop?refresh=60&token=${written.shop}`, first].sort());
    assert.match(seen.get(`/status/shop?refresh=60&token=${written.shop}`)?.text ?? '', /Shopping cart/);
    const member = await page('/status/shop', { authorization: `Bearer ${tokens.shop}` });
    assert.match(member.text, /Shopping cart/);
    assert.doesNotMatch(member.text, /\/monitor\/cart|\/incidents\/cart|token=/);
  });

  it('hold no token for anyone who did not send it in the address', async () => {
    const paths = ['/', '/?refresh=60', '/status/shop', '/status/inside', '/history', '/history?monitor=web'];
    const all = [...paths, '/history.atom', '/report/2026-06', '/api/summary', '/metrics', '/nothing'];
    const viewers = {
      anybody: {},
      operator: { authorization: `Bearer ${tokens.operator}` },
      shop: { authorization: `Bearer ${tokens.shop}` },
      inside: { authorization: `Bearer ${tokens.inside}` },
    };
    const read = async (path: string) => {
      const replies = Object.values(viewers).map((headers) => page(path, headers));
      const guesses = [`${path}${path.includes('?') ? '&' : '?'}token=a-guess`, `${path}#token=a-guess`];
      return Promise.all([...replies, ...guesses.map((guess) => page(guess))]);
    };
    const bytes = async () =>
      (await Promise.all(all.map(read))).flat().map(({ text, headers }) => {
        const named = [...headers].filter(([name]) => !/^(?:x-request-id|date|x-ratelimit-.*)$/.test(name));
        return `${JSON.stringify(named)}${text}`;
      });
    const before = await bytes();
    let linked = 0;
    for (const path of all) {
      for (const token of Object.values(written)) {
        const { text } = await page(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
        if (text.includes(`token=${token}`)) linked += 1;
      }
    }
    assert.ok(linked > 8, 'no page kept a token: nothing is proved');
    const later = await bytes();
    assert.deepEqual(later, before);
    for (const text of later) assert.doesNotMatch(text, /token=/);
    const log = JSON.stringify(world.logged);
    for (const text of ['token=', 'a-guess', ...Object.values(tokens), ...Object.values(written)])
      assert.ok(!log.includes(text), text);
  });

  it('hold none when a header said it as well', async () => {
    const headers = { authorization: `Bearer ${tokens.operator}` };
    assert.doesNotMatch((await page(`/?token=${written.operator}`, headers)).text, /token=/);
    const wrong = { authorization: 'Bearer wrong' };
    assert.match((await page(`/?token=${written.operator}`, wrong)).text, /token=/);
  });
});

describe('a group of any name', () => {
  const names = [
    'a/b',
    '%2e%2e',
    '...',
    '.hidden',
    'a?b#c',
    `a+b & "c" 'd' <e>;f=g`,
    'a\\b',
    ' spaced ',
    'history',
    '__proto__',
    'constructor',
    '日本語サービス',
    'خدمات الدفع',
    '\u202eabc',
    '👩‍👩‍👧‍👦'.repeat(18),
    'x'.repeat(200),
  ];
  let world: World;
  before(async () => {
    const monitorsOf = names.map(
      (name, index) => `
[[monitors]]
id = "m${index}"
name = "Service ${index}."
group = ${JSON.stringify(name)}
target = "https://example.com"
`,
    );
    world = await openWorld(`rate_limit_burst = 100000\n${monitorsOf.join('')}`);
  });
  after(() => world.close());

  it('has a page that the page of its monitor links to, a history, a feed and a report', async () => {
    for (const [index, name] of names.entries()) {
      const { text } = await world.ask(`/monitor/m${index}`, { headers: html });
      const link = linksOf(text).find((address) => address.startsWith('/status'));
      const query = `?group=${encodeURIComponent(name)}`;
      for (const path of [
        link ?? '',
        `/history${query}`,
        `/history.atom${query}`,
        `/report/2026-06${query}`,
      ]) {
        const reply = await world.ask(path, { headers: html });
        assert.equal(reply.status, 200, `${JSON.stringify(name)}: ${path}`);
        const isOwn = (other: number) => reply.text.includes(`Service ${other}.`) === (other === index);
        assert.ok(!/^\/(?:status|report)/.test(path) || names.every((_, other) => isOwn(other)), path);
      }
      const feed = await world.ask(`/history.atom${query}`);
      const [, self = ''] = /rel="self"[^>]* href="([^"]+)"/.exec(feed.text) ?? [];
      assert.equal((await world.ask(addressIn(self).replace(world.url, ''))).text, feed.text);
    }
  });

  it('is one of the JSON as it is', async () => {
    const { groups } = (await world.ask('/api/summary')).json() as { groups: { name: string }[] };
    assert.deepEqual(groups.map(({ name }) => name).sort(), names.toSorted());
    const { components } = (await world.ask('/api/v2/components.json')).json() as {
      components: { name: string; group: boolean }[];
    };
    const shown = components.filter(({ group }) => group).map(({ name }) => name);
    assert.deepEqual(shown.sort(), names.toSorted());
  });
});
