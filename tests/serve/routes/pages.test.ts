import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { producerAlerts } from '../../../src/db/tables/producer-alerts.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { plainCells } from '../../../src/serve/plain/lines.ts';
import { skipWithout } from '../../support/tool.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
group_tokens = { inside = "inside-token" }
rate_limit_burst = 1000

[page]
title = "Example of a page"

[[monitors]]
id = "web"
name = "Website"
group = "front"
target = "https://example.com"
slo_uptime = 99.9

[[monitors]]
id = "api"
name = "Interface"
group = "front"
target = "https://api.example.com"
public_error_detail = true

[[monitors]]
id = "vault"
name = "Vault"
group = "inside"
target = "https://vault.example.com"
public = false
`;

const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0',
  'accept-encoding': 'identity',
};
const operator = { ...browser, authorization: 'Bearer operator-token' };
const minute = 60_000;

async function fill({ store, engine }: World): Promise<void> {
  const incident = (index: number) => {
    const at = startAt - index * 10 * minute;
    return [
      incidents.open({
        uid: `u${index}`,
        monitor: 'web',
        name: 'Website',
        startedAt: at,
        confirmedAt: at + minute,
        category: 'timeout',
        reason: 'no answer <from> 10.0.0.1',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      incidents.close({ uid: `u${index}`, endedAt: at + 2 * minute }),
    ];
  };
  const alert = (minutesAgo: number) =>
    producerAlerts.raise({
      monitor: 'api',
      at: startAt - minutesAgo * minute,
      severity: 'warning',
      title: `Alert of ${minutesAgo}`,
      message: 'Backup is late',
      tags: { host: 'db1' },
      dedupKey: null,
      windowSecs: 0,
      deliveries: [],
    });
  const sample = (monitor: string, minutesAgo: number) =>
    samples.add({
      monitor,
      at: startAt - minutesAgo * minute,
      status: 'up',
      latencyMs: 40,
      holdSecs: 90,
      isHeartbeat: false,
      category: null,
      message: null,
    });
  await store.write([
    ...Array.from({ length: 60 }, (_, index) => incident(60 - index)).flat(),
    alert(5),
    alert(495),
    alert(505),
    alert(900),
    sample('web', 3),
    sample('api', 2),
    sample('vault', 1),
  ]);
  engine.statuses.set('web', 'up').set('api', 'degraded').set('vault', 'up');
}

describe('the pages', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
  });
  after(() => world.close());

  const page = (path: string, headers: Readonly<Record<string, string>> = browser) =>
    world.ask(path, { headers });

  it('are HTML for browsers and plain text for programs of the terminal', async () => {
    const forms = [
      [browser, 'text/html'],
      [{ accept: '*/*', 'user-agent': 'curl/8.5.0' }, 'text/plain'],
      [{ accept: '*/*', 'user-agent': 'Wget/1.21' }, 'text/plain'],
      [{ accept: '*/*', 'user-agent': 'HTTPie/3.2' }, 'text/plain'],
      [{ accept: 'text/html', 'user-agent': 'curl/8.5.0' }, 'text/html'],
      [{ accept: 'text/plain', 'user-agent': 'a program' }, 'text/plain'],
      [{ accept: 'text/plain, text/html;q=0.1', 'user-agent': 'a program' }, 'text/html'],
      [{ accept: 'text/plain, text/html;q=0', 'user-agent': 'a program' }, 'text/plain'],
      [{ accept: '*/*', 'user-agent': 'a program' }, 'text/html'],
    ] as const;
    for (const path of ['/', '/status/front', '/history', '/report/2026-06']) {
      for (const [headers, type] of forms) {
        const reply = await page(path, headers);
        assert.equal(reply.status, 200);
        assert.equal(reply.headers.get('content-type'), `${type}; charset=utf-8`, JSON.stringify(headers));
        assert.match(reply.headers.get('vary') ?? '', /^Accept, (?:User-Agent, )?Authorization/);
        assert.match(reply.text, type === 'text/html' ? /^<!DOCTYPE html>/ : /^Example/);
      }
    }
  });

  it('have no line over 80 columns as text, or over what is asked for', async () => {
    const curl = { 'user-agent': 'curl/8' };
    for (const path of ['/', '/status/front', '/history', '/report/2026-06', '/subscribe']) {
      for (const [query, most] of [
        ['', 80],
        ['?width=20', 20],
        ['?width=50', 50],
        ['?width=120', 120],
      ] as const) {
        const { text } = await page(`${path}${query}`, curl);
        const longest = Math.max(...text.split('\n').map(plainCells.measure));
        assert.ok(longest <= most, `${path}${query} has ${longest}`);
      }
    }
    assert.equal((await page('/?width=7', curl)).status, 400);
  });

  it('may have their own stylesheet and pictures, and nothing else', async () => {
    const reply = await page('/');
    const policy = reply.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; img-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'$/);
    const text = await page('/', { 'user-agent': 'curl/8' });
    assert.doesNotMatch(text.headers.get('content-security-policy') ?? '', /style-src/);
  });

  it('load themselves anew only for those who ask', async () => {
    assert.equal((await page('/')).headers.get('refresh'), null);
    assert.equal((await page('/?refresh=60')).headers.get('refresh'), '60');
    assert.equal((await page('/?refresh=1')).status, 400);
  });

  it('are not sent again to who has them, packed or not', async () => {
    const plain = await page('/history');
    const tag = plain.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{22}"$/);
    assert.match(plain.headers.get('cache-control') ?? '', /^public, max-age=5,/);
    const again = { ...browser, 'if-none-match': `"other", W/${tag}` };
    const same = await page('/history', again);
    assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', tag]);
    assert.equal((await page('/history', { ...browser, 'if-none-match': '"other"' })).status, 200);
    assert.equal((await page('/history', { ...browser, 'if-none-match': '*' })).status, 304);
    const packed = await page('/history', { ...browser, 'accept-encoding': 'gzip' });
    const packedTag = packed.headers.get('etag') ?? '';
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(packed.text, plain.text);
    assert.notEqual(packedTag, tag);
    // A tag stands for the bytes that are sent, so that of the one form is not that of the other.
    assert.equal((await page('/history', { ...again, 'accept-encoding': 'gzip' })).status, 200);
    const known = { ...browser, 'accept-encoding': 'br, gzip', 'if-none-match': packedTag };
    assert.equal((await page('/history', known)).status, 304);
    const refused = await page('/history', { ...browser, 'accept-encoding': 'gzip;q=0' });
    assert.equal(refused.headers.get('content-encoding'), null);
  });

  it('show nobody the address under which another one reached them', async () => {
    const shown = (host: string) =>
      world.raw(
        `GET /subscribe HTTP/1.1\r\nHost: ${host}\r\nAccept: text/plain\r\nConnection: close\r\n\r\n`,
      );
    assert.match(await shown('evil.example'), /http:\/\/evil\.example\/history\.atom/);
    assert.doesNotMatch(await shown('status.example'), /evil/);
  });

  it('are as long for HEAD as for GET, packed too', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const head = await world.raw(
        `HEAD / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
      );
      const get = await world.raw(
        `GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
      );
      const [length] = /content-length: (\d+)/.exec(head)?.slice(1) ?? [];
      const body = Buffer.from(get.slice(get.indexOf('\r\n\r\n') + 4), 'latin1');
      assert.equal(Number(length), body.length);
      assert.equal(head.slice(head.indexOf('\r\n\r\n') + 4), '');
      if (encoding === 'gzip') assert.match(gunzipSync(body).toString(), /^<!DOCTYPE html>/);
    }
  });

  it('are kept by nobody when a token opened them', async () => {
    for (const path of [
      '/',
      '/history',
      '/history.atom',
      '/report/2026-06',
      '/api/monitors/vault/heatmap.svg',
    ]) {
      const { headers } = await page(path, operator);
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.equal(headers.get('etag'), null);
    }
    const inside = await page('/status/inside', { ...browser, authorization: 'Bearer inside-token' });
    assert.equal(inside.headers.get('cache-control'), 'private, no-store');
    assert.match(inside.text, /Vault/);
  });

  it('show what an operator does at once', async () => {
    assert.doesNotMatch((await page('/')).text, /Work tonight/);
    await world.ask('/api/announce?title=Work+tonight', { method: 'POST', headers: operator });
    for (const path of ['/', '/status/front']) assert.match((await page(path)).text, /Work tonight/);
    await world.ask('/api/announce', { method: 'DELETE', headers: operator });
    assert.doesNotMatch((await page('/')).text, /Work tonight/);
  });

  it('are restricted to a group, and name nothing outside of it', async () => {
    const { text } = await page('/status/inside', operator);
    assert.match(text, /id="m-vault"/);
    assert.doesNotMatch(text, /id="m-web"|Website/);
    assert.equal((await page('/status/inside')).status, 404);
    assert.equal((await page('/status/constructor')).status, 404);
  });

  it('are the history in pages of 50, each alert on exactly one', async () => {
    const { text } = await page('/history');
    const [, before = ''] = /before=([\w-]+)"/.exec(text) ?? [];
    const older = (await page(`/history?before=${before}`)).text;
    const ids = [text, older].map((each) => [...each.matchAll(/ id="(u\d+)"/g)].map(([, uid]) => uid));
    assert.deepEqual([ids[0]?.length, ids[1]?.length], [50, 10]);
    assert.deepEqual([ids[0]?.[0], ids[1]?.[0]], ['u1', 'u51']);
    const alerts = [text, older].map((each) => [...each.matchAll(/Alert of (\d+)/g)].map(([, at]) => at));
    assert.deepEqual(alerts, [
      ['5', '495'],
      ['505', '900'],
    ]);
    assert.match(text, /Backup is late\nhost: db1/);
    assert.doesNotMatch(text, /10\.0\.0\.1/);
    assert.match((await page('/history', operator)).text, /No answer &lt;from&gt; 10\.0\.0\.1/);
  });

  it('are a history in which every alert of a flood can be paged to, once, however many are of one instant', async () => {
    const flood = await openWorld(config);
    try {
      const titles = Array.from({ length: 650 }, (_, index) => `Flood ${index}`);
      const at = (index: number) => startAt - 3_600_000 - (index < 250 ? 7 : index) * 1000;
      await fill(flood);
      await flood.store.write(
        titles.map((title, index) =>
          producerAlerts.raise({
            monitor: 'web',
            at: at(index),
            severity: 'info',
            title,
            message: null,
            tags: {},
            dedupKey: null,
            windowSecs: 0,
            deliveries: [],
          }),
        ),
      );
      const seen: string[] = [];
      const uids: string[] = [];
      const sizes: number[] = [];
      let path: string | null = '/history';
      while (path !== null) {
        const { text }: { text: string } = await flood.ask(path, { headers: operator });
        const found = [...text.matchAll(/<bdi>(Flood \d+)</g)].map(([, title = '']) => title);
        sizes.push(found.length);
        seen.push(...found);
        uids.push(...[...text.matchAll(/ id="(u\d+)"/g)].map(([, uid = '']) => uid));
        const [, before = null] = /before=([\w-]+)"/.exec(text) ?? [];
        path = before === null ? null : `/history?before=${before}`;
      }
      assert.deepEqual(seen.toSorted(), titles.toSorted());
      assert.deepEqual(
        uids,
        Array.from({ length: 60 }, (_, index) => `u${index + 1}`),
      );
      assert.ok(Math.max(...sizes) >= 250 && Math.max(...sizes) < 300, String(sizes));
    } finally {
      await flood.close();
    }
  });

  it('are the history of one monitor', async () => {
    const { text } = await page('/history?monitor=web');
    assert.match(text, /<h1>History of <bdi>Website<\/bdi><\/h1>/);
    assert.equal((await page('/history?monitor=nothing')).status, 404);
    assert.equal((await page('/history?monitor=vault')).status, 404);
    assert.equal((await page('/history?monitor=vault', operator)).status, 200);
    assert.equal((await page('/history?before=x')).status, 400);
  });

  it('are a page for each monitor, with its days, response times, incidents and badges', async () => {
    const { text, status } = await page('/monitor/web');
    assert.equal(status, 200);
    for (const part of [
      '<h1><bdi>Website</bdi>: Operational</h1>',
      'aria-label="24 hours: ',
      'class="heat"',
      'id="u1"',
      'href="/incidents/u1"',
      'June 2026</h3>',
      '/api/badge/web/uptime',
    ])
      assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /10\.0\.0\.1/);
    assert.match((await page('/monitor/web', operator)).text, /10\.0\.0\.1/);
    for (const id of ['nothing', 'vault']) assert.equal((await page(`/monitor/${id}`)).status, 404);
    assert.equal((await page('/monitor/vault', operator)).status, 200);
  });

  it('are a page for each incident, which a private one has for nobody but those who may see it', async () => {
    const { text } = await page('/incidents/u7');
    assert.match(text, /<h1><bdi>Website<\/bdi> was down<\/h1><p>Resolved<\/p>/);
    assert.match(text, /Detected<\/b>.*It did not answer in time\./s);
    assert.doesNotMatch(text, /10\.0\.0\.1|· #\d/);
    const whole = (await page('/incidents/u7', operator)).text;
    assert.match(whole, /No answer &lt;from&gt; 10\.0\.0\.1\./);
    await world.store.write([
      incidents.open({
        uid: 'private',
        monitor: 'vault',
        name: 'Vault',
        startedAt: startAt - 90_000_000,
        confirmedAt: startAt - 90_000_000,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      incidents.close({ uid: 'private', endedAt: startAt - 80_000_000 }),
    ]);
    for (const uid of ['private', 'nothing']) assert.equal((await page(`/incidents/${uid}`)).status, 404);
    assert.match((await page('/incidents/private', operator)).text, /Vault/);
    const plain = await page('/incidents/u7', { 'user-agent': 'curl/8' });
    assert.match(plain.text, /Website was down for 2m\./);
  });

  it('lead from what people guess to what there is', async () => {
    for (const [path, location] of [
      ['/report', '/report/2026-06'],
      ['/history/', '/history'],
    ] as const) {
      const reply = await page(path);
      assert.deepEqual([reply.status, reply.headers.get('location')], [302, location]);
      const { headers } = await page(`${path}?token=operator-token`);
      assert.equal(headers.get('location'), `${location}?token=operator-token`);
      const odd = await page(`${path}?monitor=a?b`);
      assert.equal(odd.headers.get('location'), `${location}?monitor=a?b`);
    }
    for (const [path, type, head] of [
      ['/favicon.ico', 'image/x-icon', '\0\0\u0001\0\u0001\0'],
      ['/apple-touch-icon.png', 'image/png', 'PNG'],
    ] as const) {
      const reply = await page(path);
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, type]);
      assert.ok(reply.text.includes(head), path);
    }
  });

  it('embed badges of other times, under other names, and of everything', async () => {
    const badge = async (path: string) => (await page(`/api/badge/${path}`)).text;
    assert.match(await badge('web/uptime?window=7d'), /<title>Website uptime 7d: /);
    assert.match(await badge('web/uptime?window=9y&style=odd'), /<title>Website uptime 24h: /);
    assert.match(await badge('web/status?label=Our+site'), /<title>Our site: up</);
    assert.match(await badge('_overall/status'), /<title>Example of a page: degraded</);
    assert.equal((await page('/api/badge/_overall/uptime')).status, 404);
  });

  it('are kept by caches for a moment, and named apart by what was asked for alone', async () => {
    const { headers } = await page('/');
    assert.equal(
      headers.get('cache-control'),
      'public, max-age=5, stale-while-revalidate=30, stale-if-error=86400',
    );
    assert.equal(headers.get('vary'), 'Accept, Authorization, Accept-Encoding');
    const curl = await page('/', { accept: '*/*', 'user-agent': 'curl/8' });
    assert.equal(curl.headers.get('vary'), 'Accept, User-Agent, Authorization, Accept-Encoding');
    const wanted = await page('/', { accept: 'text/plain', 'user-agent': 'curl/8' });
    assert.equal(wanted.headers.get('vary'), 'Accept, Authorization, Accept-Encoding');
  });

  it('are reports of the months that there is a history for', async () => {
    const { text } = await page('/report/2026-06');
    assert.match(text, /Service report, June 2026/);
    // Six and a half days of the month are over, of which the budget is nine minutes.
    assert.match(text, /<td data-l="Budget used">0 % of <span class="soft">9\smin<\/span>/);
    for (const month of ['2026-07', '2026-13', 'last', '1969-12']) {
      assert.equal((await page(`/report/${month}`)).status, 404, month);
    }
    const before = await page('/report/2026-05');
    assert.equal(before.status, 200);
    assert.match(before.text, /No data: monitoring began in June 2026\./);
    assert.match(before.text, /href="\/report\/2026-06">June 2026 ›/);
    const { text: plain } = await world.ask('/report/2026-05', { headers: { accept: 'text/plain' } });
    assert.match(plain, /No data: the record begins in June 2026\./);
    assert.equal((await page('/report/2026-06?group=inside')).status, 404);
    assert.match((await page('/report/2026-06?group=inside', operator)).text, /Vault/);
    assert.doesNotMatch((await page('/report/2026-06?group=inside', operator)).text, /Website/);
  });

  it('say to a person what is wrong on a page, and to a program in a problem document', async () => {
    for (const [path, method, status] of [
      ['/nothing', 'GET', 404],
      ['/status/nothing', 'GET', 404],
      ['/?width=x', 'GET', 400],
      ['/%zz', 'GET', 400],
      ['/history', 'POST', 405],
    ] as const) {
      const shown = await world.ask(path, { method, headers: browser });
      assert.equal(shown.status, status);
      assert.equal(shown.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(shown.text, new RegExp(`>${status}<`));
      assert.match(shown.headers.get('content-security-policy') ?? '', /style-src 'sha256-/);
      const notified = await world.ask(path, { method, headers: { accept: '*/*' } });
      assert.equal(notified.headers.get('content-type'), 'application/problem+json');
      assert.equal(notified.headers.get('vary'), 'Accept');
    }
    const api = await world.ask('/api/nothing', { headers: browser });
    assert.equal(api.headers.get('content-type'), 'application/problem+json');
  });
});

describe('the feed', () => {
  it('is XML with links to where the client came', { skip: skipWithout('xmllint') }, async () => {
    const world = await openWorld(config);
    try {
      await fill(world);
      for (const headers of [{}, operator]) {
        const { text, headers: given } = await world.ask('/history.atom', { headers });
        assert.equal(given.get('content-type'), 'application/atom+xml; charset=utf-8');
        assert.match(text, new RegExp(`<link rel="self"[^>]* href="${world.url}/history\\.atom"/>`));
        assert.equal([...text.matchAll(/<entry>/g)].length, 50);
        const { status, stderr } = spawnSync('xmllint', ['--noout', '-'], { input: text, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
      }
    } finally {
      await world.close();
    }
  });

  it('links to where the configuration says, with the path there', async () => {
    const world = await openWorld(`base_url = "https://example.org/up/"\n${config}`);
    try {
      await fill(world);
      assert.match(
        (await world.ask('/history.atom')).text,
        /href="https:\/\/example\.org\/up\/incidents\/u1"/,
      );
      assert.match((await world.ask('/', { headers: browser })).text, /href="\/up\/favicon\.svg"/);
    } finally {
      await world.close();
    }
  });

  it('moves an entry when its incident is over, and when a note is added', async () => {
    const world = await openWorld(config);
    try {
      await fill(world);
      const updated = async () => {
        const { text } = await world.ask('/history.atom');
        return /<entry>.*?<updated>([^<]*)</s.exec(text)?.[1];
      };
      assert.equal(await updated(), '2026-06-07T11:52:00Z');
      await world.store.write([incidents.annotate({ uid: 'u1', note: 'A cable', at: startAt })]);
      assert.equal(await updated(), '2026-06-07T12:00:00Z');
    } finally {
      await world.close();
    }
  });
});

describe('the pictures', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
  });
  after(() => world.close());

  it('are badges that everybody may embed, in three styles', async () => {
    for (const kind of ['status', 'uptime']) {
      for (const style of ['', '?style=flat-square', '?style=for-the-badge']) {
        const reply = await world.ask(`/api/badge/web/${kind}${style}`);
        assert.equal(reply.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
        assert.equal(reply.headers.get('cache-control'), 'public, max-age=30');
        assert.equal(reply.headers.get('x-ratelimit-limit'), null);
        assert.match(reply.text, /^<svg /);
      }
    }
    const usual = await world.ask('/api/badge/web/status');
    assert.equal((await world.ask('/api/badge/web/status?style=round')).text, usual.text);
    assert.match((await world.ask('/api/badge/web/status')).text, /Website: up/);
    assert.match((await world.ask('/api/badge/web/uptime')).text, /100%/);
  });

  it('are no badges of private monitors, whatever is presented', async () => {
    for (const headers of [{}, operator]) {
      assert.equal((await world.ask('/api/badge/vault/status', { headers })).status, 404);
      assert.equal(
        (await world.ask('/api/badge/vault/uptime?token=operator-token', { headers })).status,
        404,
      );
    }
  });

  it('are the heatmap of a monitor', async () => {
    const { text } = await world.ask('/api/monitors/web/heatmap.svg');
    assert.match(text, /Latency of Website by hour/);
    assert.equal((await world.ask('/api/monitors/vault/heatmap.svg')).status, 404);
  });

  it('are the icon of the site, the same for every viewer', async () => {
    world.engine.statuses.set('vault', 'down');
    for (const headers of [{}, operator]) {
      assert.match((await world.ask('/favicon.svg', { headers })).text, /<title>degraded<\/title>/);
    }
  });
});
