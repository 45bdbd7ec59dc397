import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { createDeliver, verifyChannel } from '../../../src/notify/channels/deliver.ts';
import { loadChannels } from '../../../src/notify/channels/kinds.ts';
import { closedPort } from '../../support/closed-port.ts';
import { load } from '../../support/config.ts';
import { startRaw } from '../../support/http-target.ts';
import { realClock } from '../../support/real-clock.ts';
import type { Fault } from '../../support/vendor-server.ts';
import { canary, httpTypes, startVendors } from '../../support/vendor-world.ts';
import type { Message, MessageOf } from '../../../src/engine/alerting/events/catalogue.ts';
import { messages, plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Fault => ({
  kind: 'answer',
  answer: { status, headers, body },
});

const world = await startVendors();

describe('a delivery', () => {
  const { signal } = new AbortController();
  after(() => world.close());
  const vendor = world.vendors.telegram;
  const channel = world.channels.telegram;
  let clock = new HeldClock();
  let deliver = world.deliver;
  beforeEach(() => {
    clock = new HeldClock();
    deliver = createDeliver({ ...world.options, clock });
    vendor.forget();
  });
  const meet = (...faults: readonly Fault[]) => {
    vendor.misbehave(...faults);
    return deliver(plainDown, channel, signal);
  };

  it('is sent at the first attempt when nothing is wrong', async () => {
    assert.deepEqual(await meet(), { kind: 'sent', attempts: 1 });
    assert.deepEqual(clock.pauses, []);
  });

  it('tries three times, a little later each time', async () => {
    assert.deepEqual(await meet(answer(500), answer(502)), { kind: 'sent', attempts: 3 });
    assert.deepEqual(clock.pauses, [1000, 3000]);
    assert.equal(vendor.notified.length, 1);
  });

  it('gives up after the third, to be tried again another time', async () => {
    const delivered = await meet(answer(500), answer(500), answer(503, {}, 'try later'));
    assert.deepEqual(delivered, {
      kind: 'failed',
      attempts: 3,
      error: 'Telegram answered 503: try later',
      isPermanent: false,
      retryAfterMs: null,
    });
    assert.equal(vendor.requests.length, 3);
  });

  for (const status of [400, 401, 403, 404, 410, 413, 422]) {
    it(`does not repeat what was answered with ${status}`, async () => {
      const delivered = await meet(answer(status));
      assert.ok(delivered.kind === 'failed' && delivered.isPermanent && delivered.attempts === 1);
    });
  }

  for (const status of [302, 408, 425, 429, 500, 503]) {
    it(`repeats what was answered with ${status}`, async () => {
      assert.deepEqual(await meet(answer(status)), { kind: 'sent', attempts: 2 });
    });
  }

  it('takes a refusal in a good answer for what it is', async () => {
    const refusal = answer(200, {}, '{"ok":false,"description":"Bad Request: chat not found"}');
    const delivered = await meet(refusal, refusal, refusal);
    assert.ok(delivered.kind === 'failed' && /chat not found/.test(delivered.error));
  });

  const sent = ['INFO', '2026-01-02 03:04:05,678', 'Sent Discord notification.'];
  const refused = ['WARNING', '2026-01-02 03:04:05,679', 'Failed to send Slack notification: error=404.'];
  it('may have been received where one service behind Apprise took it and another did not', async () => {
    const { apprise } = world.vendors;
    const through = (...details: readonly (readonly string[])[]) => {
      const error = 'One or more notification could not be sent';
      apprise.misbehave(answer(424, {}, JSON.stringify({ error, details })));
      return deliver(plainDown, world.channels.apprise, signal);
    };
    const started = ['INFO', '2026-01-02 03:04:05,600', 'Notifying 2 service(s) with threads.'];
    const partial = await through(started, sent, refused);
    assert.ok(partial.kind === 'failed' && partial.attempts === 1);
    assert.equal(partial.mayBeReceived, true);
    // Nobody has it: it is tried for as long as it is true.
    for (const details of [[started, refused], []]) {
      const none = await through(...details);
      assert.ok(none.kind === 'failed' && none.attempts === 1);
      assert.equal(none.mayBeReceived, undefined);
    }
    apprise.forget();
  });

  it('goes nowhere but where the configuration says', async () => {
    const elsewhere = world.vendors.gotify;
    elsewhere.forget();
    const away = answer(307, { location: `${elsewhere.origin}/message` });
    const delivered = await meet(away, away, away);
    assert.ok(delivered.kind === 'failed' && /307; check the address, which redirects/.test(delivered.error));
    assert.equal(elsewhere.requests.length, 0);
  });

  const waits: readonly (readonly [string, Fault, number])[] = [
    ['seconds in the header', answer(429, { 'retry-after': '7' }), 7000],
    ['parts of a second in the header', answer(429, { 'retry-after': '28.706807374954224' }), 28_707],
    ['a date in the header', answer(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }), 20_000],
    ["Telegram's field", answer(429, {}, '{"ok":false,"parameters":{"retry_after":5}}'), 5000],
    ["Matrix's field", answer(429, {}, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}'), 2500],
    ["Discord's field", answer(429, {}, '{"message":"limited","retry_after":1.234}'), 1234],
    ['nothing of use', answer(429, { 'retry-after': 'soon' }, '{"retry_after":"x"}'), 1000],
    ['a minute, and no more', answer(429, { 'retry-after': '60' }), 60_000],
    ['less than the pause there is anyway', answer(429, { 'retry-after': '0' }), 1000],
  ];
  for (const [what, fault, expected] of waits) {
    it(`waits as long as the vendor asks: ${what}`, async () => {
      assert.deepEqual(await meet(fault), { kind: 'sent', attempts: 2 });
      assert.deepEqual(clock.pauses, [expected]);
    });
  }

  it('leaves a longer wait to a later attempt', async () => {
    const delivered = await meet(answer(429, { 'retry-after': '3600' }));
    assert.ok(delivered.kind === 'failed' && !delivered.isPermanent);
    assert.deepEqual([delivered.attempts, delivered.retryAfterMs], [1, 3_600_000]);
    const next = await meet(answer(429, { 'retry-after': '61' }));
    assert.ok(next.kind === 'failed' && next.attempts === 1 && next.retryAfterMs === 61_000);
    assert.deepEqual(clock.pauses, []);
  });

  it('tries again when Free Mobile says that it is too much at once', async () => {
    const { freemobile } = world.vendors;
    freemobile.misbehave(answer(402));
    const delivered = await deliver(plainDown, world.channels.freemobile, signal);
    assert.deepEqual(delivered, { kind: 'sent', attempts: 2 });
    freemobile.forget();
  });

  it('has loaded what it needs when its channels are known', async () => {
    await loadChannels([...Object.values(world.channels), { type: 'email' }]);
    await loadChannels([]);
  });

  it('may have been received where the connection is cut, so it is not repeated at once', async () => {
    const delivered = await meet({ kind: 'reset' });
    assert.ok(delivered.kind === 'failed' && delivered.mayBeReceived === true && delivered.attempts === 1);
  });

  it('ends at its deadline where the vendor keeps quiet, and is not repeated: it may have been received', async () => {
    let asked = 0;
    const patience = setInterval(() => {
      if (vendor.requests.length === asked) return;
      asked = vendor.requests.length;
      clock.expire();
    }, 5);
    const delivered = await meet({ kind: 'hang' }, { kind: 'hang' }, { kind: 'hang' });
    clearInterval(patience);
    assert.ok(delivered.kind === 'failed' && delivered.attempts === 1 && !delivered.isPermanent);
    assert.equal(delivered.mayBeReceived, true);
    assert.match(delivered.error, /^no answer from 127\.0\.0\.1:\d+ within 15 s$/);
    assert.equal(vendor.requests.length, 1);
    vendor.forget();
  });

  it('is repeated at once where the time ran out before the request was out', async () => {
    const mute = await startRaw(() => undefined);
    let asked = 0;
    const patience = setInterval(() => {
      if (mute.connections() === asked) return;
      asked = mute.connections();
      clock.expire();
    }, 5);
    const { config } = await load(
      `[[channels]]\nname = "x"\ntype = "webhook"\nurl = "${mute.origin.replace('http:', 'https:')}/hook"`,
    );
    const delivered = await deliver(plainDown, config.channels[0] ?? assert.fail(), signal);
    clearInterval(patience);
    await mute.close();
    assert.ok(delivered.kind === 'failed' && delivered.attempts === 3);
    assert.equal(delivered.mayBeReceived, undefined);
  });

  it('takes as long as timeout_secs of its channel allows', async () => {
    const { config } = await load(
      `[[channels]]\nname = "x"\ntype = "webhook"\nurl = "${vendor.origin}/hook"\ntimeout_secs = 1`,
    );
    vendor.misbehave({ kind: 'hang' });
    const patient = createDeliver({ ...world.options, clock: realClock });
    const delivered = await patient(plainDown, config.channels[0] ?? assert.fail(), signal);
    assert.ok(delivered.kind === 'failed' && delivered.mayBeReceived === true);
    assert.match(delivered.error, /within 1 s$/);
  });

  it('lets a hanging vendor delay no other', async () => {
    const controller = new AbortController();
    vendor.misbehave({ kind: 'hang' });
    const hanging = deliver(plainDown, channel, controller.signal);
    const others = httpTypes.filter((type) => type !== 'telegram');
    const delivered = await Promise.all(
      others.map((type) => deliver({ ...plainDown, deliveryId: 'a7' }, world.channels[type], signal)),
    );
    assert.ok(delivered.every(({ kind }) => kind === 'sent'));
    controller.abort();
    assert.equal((await hanging).kind, 'failed');
  });

  it('is called off at once, in an attempt or between two, and never rejects', async () => {
    const controller = new AbortController();
    vendor.misbehave({ kind: 'hang' });
    const hanging = deliver(plainDown, channel, controller.signal);
    while (vendor.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const expected = {
      kind: 'failed',
      attempts: 1,
      error: 'called off',
      isPermanent: false,
      retryAfterMs: null,
    };
    assert.deepEqual(await hanging, expected);
    assert.deepEqual(await deliver(plainDown, channel, controller.signal), expected);
    const between = new AbortController();
    const { now, monotonic } = clock;
    const sleep: Clock['sleep'] = (ms, given) => {
      if (ms === 1000) between.abort();
      return clock.sleep(ms, given);
    };
    vendor.misbehave(answer(500));
    const stopped = await createDeliver({ ...world.options, clock: { now, monotonic, sleep } })(
      plainDown,
      channel,
      between.signal,
    );
    assert.ok(stopped.kind === 'failed' && stopped.attempts === 1 && !stopped.isPermanent);
  });

  it('survives answers that are none', async () => {
    const garbage = [
      '',
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nshort',
      '\0'.repeat(999),
    ];
    for (const bytes of garbage) {
      const strange = await startRaw((socket) => {
        socket.once('data', () => socket.end(bytes));
      });
      const { config } = await load(
        `[[channels]]\nname = "x"\ntype = "webhook"\nurl = "${strange.origin}/hook"`,
      );
      const delivered = await deliver(plainDown, config.channels[0] ?? assert.fail(), signal);
      // A good status counts, whether or not the rest of the answer came.
      const expected = bytes.startsWith('HTTP') ? 'sent' : 'failed';
      assert.equal(delivered.kind, expected, JSON.stringify(bytes));
      await strange.close();
    }
  });

  it('says so when nothing listens or the name leads nowhere', async () => {
    const gone = await closedPort();
    for (const origin of [`http://${gone.address}`, 'http://no-such-host.invalid']) {
      const { config } = await load(`[[channels]]\nname = "x"\ntype = "webhook"\nurl = "${origin}/hook"`);
      const delivered = await createDeliver({
        ...world.options,
        clock,
        resolver: {
          resolve: (host) =>
            host === gone.host
              ? Promise.resolve([{ address: host, family: 4 }])
              : world.options.resolver.resolve('127.0.0.1.nowhere.invalid', { signal }),
        },
      })(plainDown, config.channels[0] ?? assert.fail(), signal);
      assert.ok(delivered.kind === 'failed' && !delivered.isPermanent && delivered.attempts === 3);
      assert.match(delivered.error, /connection refused by 127|invalid/);
    }
  });

  it('shows no secret in an error, whatever the vendor repeats', async () => {
    for (const type of httpTypes) {
      const everything = httpTypes.map((of) => canary(of)).join(' ');
      const request = world.vendors[type].requests.at(-1);
      const echo = `${everything} ${request?.path ?? ''} ${request?.body.slice(0, 3000) ?? ''}`;
      for (const body of [echo, JSON.stringify({ message: echo }), JSON.stringify({ errors: [echo] })]) {
        world.vendors[type].misbehave(answer(400, {}, body));
        const delivered = await deliver(plainDown, world.channels[type], signal);
        assert.ok(delivered.kind === 'failed' && delivered.error.includes('***'), type);
        assert.doesNotMatch(delivered.error, /cAnArY/, type);
        assert.ok(delivered.error.length < 500);
      }
      world.vendors[type].misbehave(answer(403, {}, echo));
      const asked = await verifyChannel(world.channels[type], world.options, signal);
      assert.doesNotMatch(JSON.stringify(asked), /cAnArY/, type);
      world.vendors[type].forget();
    }
  });

  it('would show one without the mask', async () => {
    vendor.misbehave(answer(400, {}, canary('gotify')));
    const unmasked = createDeliver({ ...world.options, clock, redact: (text) => text });
    const delivered = await unmasked(plainDown, channel, signal);
    assert.ok(delivered.kind === 'failed' && delivered.error.includes(canary('gotify')));
  });

  it('leaves the addresses that this program made whole, whatever a secret looks like', async () => {
    const ack = 'https://status.example.com/ack/0198c5.down.1~abc~sig';
    const masking = createDeliver({
      ...world.options,
      clock,
      redact: (text) => text.replaceAll('ack', '***'),
    });
    await masking({ ...plainDown, ack }, world.channels.ntfy, signal);
    const { links } = world.vendors.ntfy.notified.at(-1) ?? assert.fail();
    assert.deepEqual(links, [ack, plainDown.link]);
    world.vendors.ntfy.forget();
  });

  it('masks every text from outside, and no word or address of its own', async () => {
    const textsOf = async (message: Message): Promise<string[]> => {
      const seen: string[] = [];
      const redact = (text: string) => {
        seen.push(text);
        return text;
      };
      await createDeliver({ ...world.options, clock, redact })(message, world.channels.webhook, signal);
      return seen;
    };
    const sample = (name: string): Message => messages[name] ?? assert.fail(name);
    assert.deepEqual(
      await textsOf({ ...sample('a cascade with a blast radius, seen by peers'), ack: 'https://ack' }),
      [
        'Database',
        'connection refused by 10.0.0.5:5432',
        '3 failed checks in a row',
        ...['API', 'Shop', 'Cart'],
        ...['paris', 'berlin', 'connection refused', 'oslo'],
        ...['deploy v2.3'],
      ],
    );
    assert.deepEqual(
      await textsOf({
        ...plainDown,
        grouping: { ...plainDown.grouping, groupId: 'g', incidentUids: ['u1', 'u2'] },
      }),
      [
        'API',
        'expected a status of 2xx, got 503',
        'HTTP/1.1 503 Service Unavailable',
        ...['content-type', 'text/plain'],
        'upstream connect error\n\nreset before headers: connection refused\n',
        '3 failed checks in a row',
      ],
    );
    assert.deepEqual(await textsOf(sample('a recovery')), ['API', 'expected a status of 2xx, got 503']);
    assert.deepEqual(await textsOf(sample('one monitor that cannot be checked')), [
      'API',
      'the plugin check_disk is not in /srv/plugins (exec_dir): no such file',
      '3 checks in a row that could not be made',
    ]);
    assert.deepEqual(await textsOf(sample('a budget that burns')), ['API']);
    assert.deepEqual(await textsOf(sample('an incident that an operator opened')), [
      'Payments fail',
      'A certificate expired.\nA new one is on its way.',
      'API',
    ]);
    world.vendors.webhook.forget();
  });

  it('sends no secret that a producer brought into a tag, whatever the tag is called', async () => {
    const tags = { id: canary('gotify'), link: canary('matrix'), [canary('user')]: 'x', host: 'a1' };
    const leaky = { ...(messages['a producer alert'] as MessageOf<'alert'>), tags };
    for (const type of ['webhook', 'ntfy'] as const) {
      await deliver(leaky, world.channels[type], signal);
      const [notified] = world.vendors[type].notified;
      assert.match(notified?.text ?? '', /id=\*\*\*, link=\*\*\*, \*\*\*=x, host=a1/, type);
      assert.doesNotMatch(JSON.stringify(notified), /cAnArY/, type);
      world.vendors[type].forget();
    }
  });

  it('says what breaks in this program, without secrets, in one line, and does not try it again', async () => {
    const meetWith = (error: unknown) =>
      createDeliver({
        ...world.options,
        clock,
        resolver: {
          resolve: () => {
            throw error;
          },
        },
      })(plainDown, world.channels.discord, signal);
    const failure = { kind: 'failed', attempts: 1, isPermanent: true, retryAfterMs: null };
    assert.deepEqual(await meetWith(new Error(`no ${canary('gotify')}\n${'x'.repeat(300)}`)), {
      ...failure,
      error: `the message could not be sent: no *** ${'x'.repeat(192)}…`,
    });
    assert.deepEqual(await meetWith('a text'), {
      ...failure,
      error: 'the message could not be sent: a text',
    });
    assert.deepEqual(clock.pauses, []);
  });

  it('sends no secret that a target or a producer brought into a message', async () => {
    const leaky = {
      ...plainDown,
      reason: `refused the token ${canary('gotify')}`,
      snapshot: {
        statusLine: 'HTTP/1.1 401 No',
        headers: [['x-echo', canary('matrix')]] as const,
        body: canary('user'),
      },
      confirmation: canary('ntfy'),
    };
    for (const type of httpTypes) {
      await deliver(leaky, world.channels[type], signal);
      const { notified } = world.vendors[type];
      assert.ok(notified.length > 0, type);
      assert.doesNotMatch(JSON.stringify(notified), /cAnArY/, type);
    }
  });
});
