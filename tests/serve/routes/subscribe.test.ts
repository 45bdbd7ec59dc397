import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { resumeMails, stopMails } from '../../../src/engine/operations/reader-mail-limits.ts';
import { confirmationMs, mailChannelOf } from '../../../src/engine/operations/subscribe.ts';
import { mailConfig, readerLink, readerWrites } from '../../support/reader.ts';
import { openWorld, startAt, type World } from '../world.ts';

const monitors = `
[[monitors]]
id = "web"
group = "Web"
target = "https://example.com"

[[monitors]]
id = "shop"
group = "Shop & co"
target = "https://example.com"

[[monitors]]
id = "alone"
target = "https://example.com"

[[monitors]]
id = "hidden"
group = "Secret"
target = "https://example.com"
public = false
`;
const common = `auth_token = "operator-token"\nrate_limit_burst = 100000\n${mailConfig.head}`;
const page = { accept: 'text/html' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('/subscribe', () => {
  let world: World;
  before(async () => {
    world = await openWorld(`${common}${mailConfig.tail.replace('[[', 'max = 1\n[[')}${monitors}`);
  });
  after(() => world.close());
  const stored = () => subscribers.list(world.store.sql);
  let clients = 0;
  /** Each request comes from another client: one client may ask for a few mails only. */
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = form) => {
    clients += 1;
    return world.ask(path, {
      method: 'POST',
      body,
      headers: { ...headers, 'x-forwarded-for': `198.51.100.${clients}` },
    });
  };

  it('offers feeds, the API and a form with the groups that are public, for operators too', async () => {
    for (const path of ['/subscribe', '/subscribe?token=operator-token']) {
      const { status, text, headers } = await world.ask(path, { headers: page });
      assert.equal(status, 200);
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'/);
      assert.match(text, /href="\/history\.atom/);
      assert.match(text, /href="\/api\/summary/);
      assert.deepEqual(
        [...text.matchAll(/name="groups" value="([^"]*)"/g)].map(([, group]) => group),
        ['Web', 'Shop &amp; co', ''],
      );
      assert.doesNotMatch(text, /Secret/);
    }
    assert.match((await world.ask('/', { headers: page })).text, /href="\/subscribe"/);
    assert.match((await world.ask('/')).headers.get('content-security-policy') ?? '', /form-action 'none'/);
  });

  it('says the same to every address, known, confirmed, new, or one too many, and discloses no address', async () => {
    await world.store.write(readerWrites(startAt));
    const answers = [];
    for (const address of ['reader@example.com', 'new@example.com', 'READER@example.com', 'x@example.com']) {
      for (const headers of [form, { ...form, ...page }]) {
        const {
          status,
          text,
          headers: given,
        } = await post('/subscribe', `address=${encodeURIComponent(address)}`, headers);
        const all = [...given].filter(([name]) => !/^(date|x-request-id|x-ratelimit-.*)$/.test(name));
        answers.push(JSON.stringify([headers === form, status, all, text]));
      }
    }
    assert.equal(new Set(answers).size, 2);
    assert.match(answers[0] ?? '', /a mail with a link is on its way/);
    await post('/subscribe', 'address=y%40example.com');
    const fifth = await post('/subscribe', 'address=z%40example.com');
    assert.equal(fifth.status, 200);
    assert.deepEqual(
      stored().map(({ address }) => address),
      ['reader@example.com'],
    );
    assert.ok(stored().every(({ askedAt }) => askedAt !== null));
    assert.doesNotMatch(JSON.stringify(world.logged), /example\.com/);
    assert.doesNotMatch((await world.ask('/metrics?token=operator-token')).text, /example\.com/);
  });

  it('answers 503 to every address alike while mails to readers stop, and keeps none', async () => {
    const channel = mailChannelOf(world.loaded().config);
    assert.ok(channel !== null);
    const stop = stopMails(world.store.sql, channel, { error: 'quota', nowAt: world.clock.now() });
    await world.store.write(stop.operations);
    const before = JSON.stringify(stored());
    const answers = new Set<string>();
    for (const address of ['reader@example.com', 'another@example.com']) {
      const { status, text, headers } = await post('/subscribe', `address=${encodeURIComponent(address)}`);
      answers.add(`${status} ${headers.get('retry-after') ?? ''} ${text}`);
    }
    assert.equal(answers.size, 1);
    assert.match([...answers].join(), /^503 900 .*No mails can be sent at the moment/);
    assert.equal(JSON.stringify(stored()), before);
    await world.store.write(resumeMails());
    assert.equal((await post('/subscribe', 'address=reader%40example.com')).status, 200);
  });

  it('answers robots that fill in a field that people do not see as it answers people, and keeps nothing', async () => {
    const { text: form } = await world.ask('/subscribe', { headers: page });
    assert.match(
      form,
      /<p hidden=""><label>homepage<input name="homepage" tabindex="-1" autocomplete="off"\/>/,
    );
    const before = JSON.stringify(stored());
    const robot = await post('/subscribe', 'address=robot%40example.com&homepage=http%3A%2F%2Fx');
    const person = await post('/subscribe', 'address=reader%40example.com&homepage=');
    assert.deepEqual([robot.status, robot.text], [person.status, person.text]);
    assert.doesNotMatch(JSON.stringify(stored()), /robot/);
    assert.equal(JSON.stringify(stored()).length, before.length);
  });

  it('takes a form and JSON, and keeps what was chosen', async () => {
    await world.store.write(stored().map(({ uid }) => subscribers.remove({ uid })));
    // Who has not confirmed yet is none of those who are kept.
    await post('/subscribe', 'address=+a%40Example.COM+&groups=Web&groups=');
    await post('/subscribe', '{"address":"b@bücher.example","groups":["Shop & co"]}', {
      'content-type': 'application/json; charset=utf-8',
    });
    await post('/subscribe', 'address=c%40example.com&groups=Web&groups=&groups=Shop+%26+co');
    assert.deepEqual(
      stored().map(({ address, groups }) => [address, groups]),
      [
        ['a@example.com', ['Web', '']],
        ['b@xn--bcher-kva.example', ['Shop & co']],
        ['c@example.com', []],
      ],
    );
  });

  it('refuses what is no address, and groups that are private as those that do not exist', async () => {
    const count = stored().length;
    for (const address of [
      '',
      'nobody',
      'a@b',
      'a@b@example.com',
      'a,b@example.com',
      'a@example.com\r\nBcc: c@example.com',
      '"a b"@example.com',
      `${'a'.repeat(65)}@example.com`,
      'a@[127.0.0.1]',
      'Ann <ann@example.com>',
    ]) {
      const { status, text } = await post('/subscribe', new URLSearchParams({ address }).toString());
      assert.deepEqual([status, /must be a mail address/.test(text)], [400, true], address);
    }
    const [secret, none] = [
      await post('/subscribe', 'address=d%40example.com&groups=Secret'),
      await post('/subscribe', 'address=d%40example.com&groups=Nothing'),
    ];
    assert.deepEqual([secret.status, secret.text], [none.status, none.text]);
    assert.equal(secret.status, 400);
    for (const body of ['{"address":5}', '{"address":"a@example.com","groups":"Web"}', '[]', '{'])
      assert.equal((await post('/subscribe', body, { 'content-type': 'application/json' })).status, 400);
    const foreign = { ...form, 'sec-fetch-site': 'cross-site' };
    assert.equal((await post('/subscribe', 'address=e%40example.com', foreign)).status, 403);
    assert.equal(stored().length, count);
  });

  it('offers no mails without [subscribe]', async () => {
    const bare = await openWorld(common + monitors);
    try {
      assert.doesNotMatch((await bare.ask('/subscribe', { headers: page })).text, /<form/);
      assert.doesNotMatch((await bare.ask('/subscribe')).text, /Mail/);
      const { status } = await bare.ask('/subscribe', { method: 'POST', body: 'address=a%40example.com' });
      assert.equal(status, 404);
      assert.deepEqual(subscribers.list(bare.store.sql), []);
    } finally {
      await bare.close();
    }
  });
});

describe('the link of a mail', () => {
  let world: World;
  before(async () => {
    world = await openWorld(`${common}${mailConfig.tail}${monitors}`);
  });
  after(() => world.close());
  const reader = () => subscribers.find(world.store.sql, 'reader');
  const begin = async (isConfirmed: boolean) => {
    await world.store.write([subscribers.remove({ uid: 'reader' })]);
    const [ask, confirm, admit] = readerWrites(world.clock.now());
    await world.store.write(
      [ask, ...(isConfirmed ? [confirm] : []), admit].filter((each) => each !== undefined),
    );
  };
  const get = (path: string) => world.ask(path, { headers: page });
  const post = (path: string, body = '') =>
    world.ask(path, { method: 'POST', body, headers: { ...form, ...page } });

  it('shows a button, and confirms when that is pressed, not before', async () => {
    await begin(false);
    const { status, text, headers } = await get(`/subscribe/${readerLink}`);
    assert.equal(status, 200);
    assert.match(text, new RegExp(`<form [^>]*method="post" action="/subscribe/${readerLink}"`));
    assert.match(text, /<button class="btn">Confirm<\/button>/);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(reader()?.confirmedAt, null);
    assert.match((await post(`/subscribe/${readerLink}`)).text, /The subscription is confirmed/);
    assert.equal(reader()?.confirmedAt, world.clock.now());
  });

  it('changes what mails are about', async () => {
    await begin(true);
    const { text } = await post(`/subscribe/${readerLink}`, 'groups=Web&groups=');
    assert.match(text, /The choice is saved/);
    assert.deepEqual(reader()?.groups, ['Web', '']);
    const shown = (await get(`/subscribe/${readerLink}`)).text;
    assert.deepEqual(
      [...shown.matchAll(/value="([^"]*)" checked=""/g)].map(([, group]) => group),
      ['Web', ''],
    );
    assert.equal((await post(`/subscribe/${readerLink}`, 'groups=Secret')).status, 400);
    assert.match(shown, /<input type="hidden" name="choose" value="1"\/>/);
    await post(`/subscribe/${readerLink}`, 'choose=1');
    assert.deepEqual(reader()?.groups, []);
  });

  it('changes nothing when the button that confirmed is pressed again', async () => {
    await begin(true);
    await post(`/subscribe/${readerLink}`, 'choose=1&groups=Web');
    assert.match((await post(`/subscribe/${readerLink}`)).text, /The subscription is confirmed/);
    assert.deepEqual(reader()?.groups, ['Web']);
  });

  it('ends them with a button, or with one click of a mail program', async () => {
    await begin(true);
    assert.match((await get(`/unsubscribe/${readerLink}`)).text, /<button class="btn">Unsubscribe<\/button>/);
    assert.notEqual(reader(), null);
    assert.match((await post(`/unsubscribe/${readerLink}`)).text, /You are unsubscribed/);
    assert.equal(reader(), null);
    await begin(true);
    const { status, text } = await world.ask(`/unsubscribe/${readerLink}`, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: form,
    });
    assert.deepEqual([status, text, reader()], [200, 'You are unsubscribed.\n', null]);
  });

  it('is refused in the same bytes when it is guessed, altered, used up or too old', async () => {
    await begin(true);
    const last = readerLink.slice(0, -1);
    const wrong = [
      'nothing',
      `${last}b`,
      last,
      `${readerLink}a`,
      readerLink.replace('reader', 'nobody'),
      `reader~${'0'.repeat(64)}`,
      'reader~',
      '%00',
    ];
    const answers = new Set<string>();
    const keep = ({ status, text }: { readonly status: number; readonly text: string }) =>
      answers.add(`${status} ${text.replaceAll(/made-\d+/g, '')}`);
    for (const link of wrong)
      for (const path of [`/subscribe/${link}`, `/unsubscribe/${link}`]) {
        keep(await get(path));
        keep(await post(path));
      }
    await begin(false);
    world.clock.advance(confirmationMs);
    keep(await get(`/subscribe/${readerLink}`));
    keep(await post(`/subscribe/${readerLink}`));
    await begin(true);
    await post(`/unsubscribe/${readerLink}`);
    keep(await get(`/unsubscribe/${readerLink}`));
    keep(await post(`/unsubscribe/${readerLink}`));
    assert.equal(answers.size, 1, [...answers].join('\n'));
    assert.match([...answers][0] ?? '', /^404 /);
  });
});
