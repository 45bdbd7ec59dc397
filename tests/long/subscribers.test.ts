/** Mails to readers: a real mail server, real HTTP, the program itself. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { broadcasts } from '../../src/db/tables/broadcasts.ts';
import { subscribers } from '../../src/db/tables/subscribers.ts';
import type { Store } from '../../src/db/store/store.ts';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { type ReceivedMail, type SmtpReceiver, startSmtp } from '../support/smtp-receiver.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { openRealStore } from '../support/real-store.ts';

const base = 'https://status.example.com';
const down = new Set<string>();
let target: Target;
let smtp: SmtpReceiver;
let folder = makeFolder();
let daemon: Daemon | null = null;
let refusal: { at: 'RCPT TO' | 'MAIL FROM'; reply: string } | null = null;
let delayMs = 0;

before(async () => {
  target = await startHttp((request, response) =>
    response.writeHead(down.has(request.url ?? '') ? 503 : 200).end('hello'),
  );
});
after(() => target.close());
beforeEach(async () => {
  down.clear();
  refusal = null;
  delayMs = 0;
  folder = makeFolder();
  smtp = await startSmtp({
    hidesStarttls: true,
    get refusal() {
      return refusal as { at: 'RCPT TO' | 'MAIL FROM'; reply: string };
    },
    get delayMs() {
      return delayMs;
    },
  });
});
afterEach(async () => {
  await daemon?.end('SIGKILL');
  daemon = null;
  await smtp.close();
  folder.remove();
});

const monitor = (id: string, more = '') => `
[[monitors]]
id = "${id}"
name = "The ${id}"
target = "${target.origin}/${id}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
notify = []
${more}`;

const config = (more = '') => `
[page]
title = "Harbour"

[server]
bind = "127.0.0.1:0"
auth_token = "operator-token"
base_url = "${base}"
rate_limit_burst = 100000

[alerts]
fail_threshold = 2
recover_threshold = 1
group_window_secs = 1

[subscribe]
email_channel = "mail"
from_name = "Harbour status"
per_address_per_hour = 2

[[channels]]
name = "mail"
type = "email"
host = "127.0.0.1"
port = ${smtp.port}
from = "statusd <statusd@example.com>"
to = ["ops@example.com"]
${monitor('web', 'group = "Web"')}
${monitor('shop', 'group = "Shop"')}
${monitor('hidden', 'group = "Web"\npublic = false')}
${more}`;

async function start(more = ''): Promise<Daemon> {
  writeFileSync(folder.at('statusd.toml'), config(more));
  daemon = await startDaemon(folder.path);
  return daemon;
}

let posts = 0;
/** Each from a client of its own, as one may ask for few mails. */
const post = (path: string, body: Record<string, string> = {}) =>
  fetch(`${daemon?.url ?? ''}${path.replace(/^\//, '')}`, {
    method: 'POST',
    body: new URLSearchParams(body),
    headers: { accept: 'text/html', 'x-forwarded-for': `203.0.113.${(posts += 1) % 250}` },
  });
const operate = (path: string, body: object) =>
  fetch(`${daemon?.url ?? ''}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: 'Bearer operator-token' },
  });

const to = (address: string): ReceivedMail[] =>
  smtp.mails.filter(({ recipients }) => recipients.includes(address));
const subjectOf = ({ headers }: ReceivedMail) => headers.find(([name]) => name === 'subject')?.[1] ?? '';
const subjects = (address: string) => to(address).map(subjectOf);
const textOf = (mail: ReceivedMail) => mail.parts['text/plain'] ?? '';
const idOf = ({ headers }: ReceivedMail) => headers.find(([name]) => name === 'message-id')?.[1];
/** The `count`th mail to an address. */
const arrives = (address: string, count: number) =>
  until(
    () => to(address)[count - 1],
    () =>
      `mail ${count} to ${address}; there are ${JSON.stringify(smtp.mails.map((mail) => [mail.recipients, subjectOf(mail)]))}`,
  );
const linkIn = (mail: ReceivedMail, kind: 'subscribe' | 'unsubscribe') =>
  new RegExp(`${base}(/${kind}/\\S+)`).exec(textOf(mail))?.[1] ?? assert.fail(textOf(mail));

/** Asks, and presses the button behind the link. */
async function subscribe(address: string, groups: Record<string, string> = {}): Promise<void> {
  assert.equal((await post('/subscribe', { address, ...groups })).status, 200);
  assert.equal((await post(linkIn(await arrives(address, 1), 'subscribe'))).status, 200);
}

async function within<T>(work: (store: Store) => T | Promise<T>): Promise<T> {
  const store = await openRealStore(folder.at('statusd.db'), { role: 'writer' });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe('a reader', () => {
  it('subscribes, is mailed about an outage from its beginning to its end, and unsubscribes with one click', async () => {
    const { url } = await start();
    await subscribe('web@example.com', { groups: 'Web' });
    await subscribe('shop@example.com', { groups: 'Shop' });
    await post('/subscribe', { address: 'unconfirmed@example.com' });
    await arrives('unconfirmed@example.com', 1);
    const [asked] = to('web@example.com');
    assert.ok(asked);
    assert.equal(subjectOf(asked), '[Harbour] Confirm your subscription to Harbour');
    assert.deepEqual(
      asked.headers.find(([name]) => name === 'from')?.[1],
      'Harbour status <statusd@example.com>',
    );
    assert.equal(
      asked.headers.some(([name]) => name === 'list-unsubscribe'),
      false,
    );
    const link = linkIn(asked, 'subscribe');
    const page = await (await fetch(`${url}${link.slice(1)}`, { headers: { accept: 'text/html' } })).text();
    assert.match(page, /Your subscription/);

    down.add('/web').add('/hidden');
    const opened = await arrives('web@example.com', 2);
    assert.equal(subjectOf(opened), '[Harbour] The web is down');
    assert.match(textOf(opened), /It answered with an error\./);
    const uid = /\/incidents\/([\w-]+)/.exec(textOf(opened))?.[1] ?? '';
    assert.equal((await operate(`api/incidents/${uid}/updates`, { message: 'A disk is full.' })).status, 201);
    assert.match(textOf(await arrives('web@example.com', 3)), /A disk is full\./);
    down.clear();
    const resolved = await arrives('web@example.com', 4);
    assert.equal(subjectOf(resolved), '[Harbour] Resolved: The web was down');
    assert.match(textOf(resolved), /It works again\./);

    const headers = new Map(resolved.headers);
    assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const target = /^<https:\/\/status\.example\.com(\/unsubscribe\/.+)>$/.exec(
      headers.get('list-unsubscribe') ?? '',
    );
    const clicked = await fetch(`${url}${(target?.[1] ?? '').slice(1)}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    assert.equal(clicked.status, 200);
    await subscribe('later@example.com');
    down.add('/web');
    await arrives('later@example.com', 2);
    await pause(1500);
    assert.equal(to('web@example.com').length, 4);
    assert.equal(to('shop@example.com').length, 1, 'who follows another group gets nothing');
    assert.equal(to('unconfirmed@example.com').length, 1, 'who has not confirmed gets nothing');
    assert.ok(smtp.mails.every(({ raw }) => !raw.includes('hidden')));
    assert.equal(new Set(smtp.mails.map(idOf)).size, smtp.mails.length);
    const said = JSON.stringify(daemon?.lines);
    for (const address of ['web@example.com', 'later@example.com']) assert.ok(!said.includes(address));
    assert.ok(!(await (await fetch(`${url}metrics?token=operator-token`)).text()).includes('example.com'));
  });

  it('is mailed updates of operators about public monitors only', async () => {
    await start();
    await subscribe('a@example.com');
    await operate('api/incidents', { title: 'Only inside', monitors: ['hidden'] });
    await operate('api/incidents', {
      title: 'Slow logins',
      message: 'We look into it.',
      monitors: ['web', 'hidden'],
    });
    const first = await arrives('a@example.com', 2);
    assert.equal(subjectOf(first), '[Harbour] Investigating: Slow logins');
    assert.match(textOf(first), /We look into it\.\n\nAffected services: The web\n/);
    const uid = /\/incidents\/([\w-]+)/.exec(textOf(first))?.[1] ?? '';
    await operate(`api/incidents/${uid}/updates`, { state: 'resolved', message: 'Fast again.' });
    assert.equal(subjectOf(await arrives('a@example.com', 3)), '[Harbour] Resolved: Slow logins');
    assert.ok(smtp.mails.every(({ raw }) => !/Only inside|hidden/.test(raw)));
  });

  it('gets no more links than the limit, and one who is known gets a link to change the subscription', async () => {
    await start();
    await subscribe('a@example.com');
    await post('/subscribe', { address: 'A@example.com' });
    assert.equal(
      subjectOf(await arrives('A@example.com'.toLowerCase(), 2)),
      '[Harbour] Your subscription to Harbour',
    );
    await post('/subscribe', { address: 'a@example.com' });
    await until(
      () => within(({ sql }) => subscribers.list(sql).every(({ askedAt }) => askedAt === null)),
      () => 'a request that is left',
    );
    assert.equal(to('a@example.com').length, 2);
  });

  it('is mailed a maintenance when it is planned, begins and is over, and no outage within it', async () => {
    await start();
    await subscribe('web@example.com', { groups: 'Web' });
    await subscribe('shop@example.com', { groups: 'Shop' });
    // Once there are readers, so that a slow start leaves time to announce it.
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '');
    const plan = `
[[maintenance]]
title = "New disks"
start = "${at(8000)}"
end = "${at(16_000)}"
monitors = ["web"]

[[maintenance]]
title = "Inside alone"
start = "${at(8000)}"
end = "${at(16_000)}"
monitors = ["hidden"]
`;
    writeFileSync(folder.at('statusd.toml'), config(plan));
    daemon?.child.kill('SIGHUP');
    await arrives('web@example.com', 2);
    await arrives('web@example.com', 3);
    down.add('/web');
    await daemon?.says('monitor.down');
    down.clear();
    await arrives('web@example.com', 4);
    assert.deepEqual(subjects('web@example.com').slice(1), [
      '[Harbour] Planned maintenance: New disks',
      '[Harbour] Maintenance now: New disks',
      '[Harbour] Maintenance is over: New disks',
    ]);
    assert.equal(to('shop@example.com').length, 1);
    assert.ok(smtp.mails.every(({ raw }) => !raw.includes('Inside alone')));
  });

  it('is mailed that a planned maintenance is cancelled, once', async () => {
    await start();
    await subscribe('web@example.com', { groups: 'Web' });
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '');
    const plan = `
[[maintenance]]
title = "New disks"
start = "${at(3_600_000)}"
end = "${at(7_200_000)}"
monitors = ["web"]
`;
    for (const [text, count] of [
      [plan, 2],
      ['', 3],
    ] as const) {
      writeFileSync(folder.at('statusd.toml'), config(text));
      daemon?.child.kill('SIGHUP');
      await arrives('web@example.com', count);
    }
    await pause(1500);
    assert.deepEqual(subjects('web@example.com').slice(1), [
      '[Harbour] Planned maintenance: New disks',
      '[Harbour] Maintenance cancelled: New disks',
    ]);
  });

  it('is mailed the cause alone, not what depends on it', async () => {
    await start(monitor('api', 'group = "Web"\ndepends_on = ["web"]'));
    await subscribe('a@example.com');
    down.add('/web').add('/api');
    await daemon?.says('monitor.down', 2);
    await arrives('a@example.com', 2);
    await pause(2500);
    down.clear();
    await arrives('a@example.com', 3);
    await pause(1500);
    assert.deepEqual(subjects('a@example.com').slice(1), [
      '[Harbour] The web is down',
      '[Harbour] Resolved: The web was down',
    ]);
  });

  it('is mailed later when the server refuses for the moment, and nobody else has to wait', async () => {
    await start();
    await subscribe('a@example.com');
    refusal = { at: 'RCPT TO', reply: '550 5.1.1 no such user' };
    await post('/subscribe', { address: 'gone@example.com' });
    await until(
      () => within(({ sql }) => subscribers.findByAddress(sql, 'gone@example.com') === null),
      () => 'an address that does not exist is kept',
    );
    refusal = { at: 'RCPT TO', reply: '450 4.7.1 try again later' };
    down.add('/web');
    const later = await until(
      () => within(({ sql }) => broadcasts.open(sql).find(({ later }) => later.length > 0)),
      () => 'nobody is to be tried again',
    );
    assert.deepEqual([later.event, later.later.length, later.sent], ['opened', 1, 0]);
    refusal = null;
    // Who is tried again is tried at once after a start.
    await daemon?.end('SIGTERM');
    await start();
    assert.equal(subjectOf(await arrives('a@example.com', 2)), '[Harbour] The web is down');
  });
});

describe('many readers', () => {
  const fill = (count: number) =>
    within((store) =>
      store.write(
        Array.from({ length: count }, (_, index) => index).flatMap((index) => [
          subscribers.ask({
            uid: `r${index}`,
            address: `r${index}@example.com`,
            groups: [],
            at: 1,
            max: 20_000,
          }),
          subscribers.answered({ uid: `r${index}`, askedAt: 1 }),
          subscribers.confirm({ uid: `r${index}`, at: 1 }),
        ]),
      ),
    );

  it('are each mailed once across kill -9 and starts, but for those whose mail was on its way', async () => {
    const count = 300;
    await start();
    await fill(count);
    down.add('/web');
    let kills = 0;
    for (const share of [0.2, 0.5, 0.8]) {
      await until(
        () => smtp.mails.length >= count * share,
        () => `${smtp.mails.length} of ${count}`,
      );
      await daemon?.end('SIGKILL');
      kills += 1;
      await start();
    }
    await until(
      () => within(({ sql }) => broadcasts.open(sql).length === 0),
      () => `${smtp.mails.length} mails`,
    );
    const reached = smtp.mails.flatMap(({ recipients }) => recipients);
    assert.equal(new Set(reached).size, count, 'nobody is left out');
    assert.ok(reached.length - count <= kills * 4, `${reached.length - count} copies`);
    const ids = new Map<string, Set<string | undefined>>();
    for (const mail of smtp.mails)
      for (const address of mail.recipients)
        ids.set(address, (ids.get(address) ?? new Set()).add(idOf(mail)));
    assert.ok(
      [...ids.values()].every((each) => each.size === 1),
      'a copy has the id of the first',
    );
  });

  /** Its alerts go through the mail server of the readers. */
  const alarm = () => monitor('alarm').replace('notify = []', 'notify = ["mail"]');

  it('delay no alert on the same mail server', async () => {
    await start(alarm());
    await fill(10_000);
    delayMs = 20;
    down.add('/web');
    await until(
      () => smtp.mails.length >= 50,
      () => `${smtp.mails.length} mails`,
    );
    down.add('/alarm');
    await daemon?.says('monitor.down', 2);
    const before = smtp.mails.length;
    await arrives('ops@example.com', 1);
    const behind = smtp.mails.findIndex(({ recipients }) => recipients.includes('ops@example.com')) - before;
    // The window of the group is a second, in which the readers go on.
    assert.ok(behind < 1500, `${behind} mails to readers went first`);
    const taken = smtp.mails.length;
    assert.ok(taken < 9000, `${taken} mails`);
    await until(
      () => smtp.mails.length > taken + 20,
      () => 'the readers do not go on',
    );
  });

  for (const [at, reply] of [
    ['MAIL FROM', '452 4.2.2 quota exceeded'],
    ['RCPT TO', '550 5.4.6 daily sending quota exceeded'],
    ['MAIL FROM', '421 too many messages'],
  ] as const) {
    it(`stop when the mail server says ${reply}, and leave what is left of it to alerts`, async () => {
      await start(alarm());
      await fill(200);
      refusal = { at, reply };
      down.add('/web');
      await daemon?.says('mails.quota');
      const ask = async (address: string) => {
        const answer = await fetch(`${daemon?.url ?? ''}subscribe`, {
          method: 'POST',
          body: new URLSearchParams({ address }),
        });
        assert.ok(Number(answer.headers.get('retry-after')) > 800);
        const { detail } = (await answer.json()) as { readonly detail: string };
        return `${answer.status} ${detail}`;
      };
      const known = await ask('r1@example.com');
      assert.equal(known, '503 No mails can be sent at the moment. Try again later.');
      assert.equal(await ask('new@example.com'), known);
      assert.ok(smtp.greetings.length <= 4, `${smtp.greetings.length} tries`);
      refusal = null;
      down.add('/alarm');
      await arrives('ops@example.com', 1);
      await daemon?.end('SIGTERM');
      await start(alarm());
      assert.equal(await ask('new@example.com'), known);
      await pause(1500);
      assert.deepEqual(
        smtp.mails.flatMap(({ recipients }) => recipients).filter((address) => address !== 'ops@example.com'),
        [],
      );
      const listed = await runCli(['subscribers', 'list'], { cwd: folder.path });
      assert.match(
        listed.stdout,
        /Mails to readers stop until .* UTC, as the mail server speaks of a quota: /,
      );
      assert.ok(listed.stdout.includes(reply.slice(4)), listed.stdout);
    });
  }

  it('are not mailed confirmations without end: one inbox, many forms of its address', async () => {
    await start();
    for (let index = 0; index < 69; index += 1)
      assert.equal((await post('/subscribe', { address: `vic.tim+${index}@gmail.com` })).status, 200);
    await arrives('vic.tim+1@gmail.com', 1);
    await pause(1500);
    assert.equal(smtp.mails.length, 2, 'per_address_per_hour');
  });

  it('are erased by a command while the daemon runs, and mailed no more', async () => {
    const count = 30;
    await start();
    await fill(count);
    const removed = await runCli(['subscribers', 'remove', 'r7@example.com'], { cwd: folder.path });
    assert.equal(removed.code, 0);
    down.add('/web');
    await daemon?.says('mails.sent');
    assert.equal(smtp.mails.length, count - 1);
    assert.equal(to('r7@example.com').length, 0);
  });
});
