import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createSecureContext } from 'node:tls';
import type { Channel } from '../../../src/engine/config/config.ts';
import { type Authorities, createTrust } from '../../../src/engine/net/tls-trust.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { mailOf as writtenMail, messageIdOf } from '../../../src/notify/channels/email.ts';
import { settingsOf } from '../../../src/notify/channels/smtp.ts';
import { createDeliver, type DeliverOptions, verifyChannel } from '../../../src/notify/channels/deliver.ts';
import { lineText } from '../../../src/notify/wording/wording.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { load } from '../../support/config.ts';
import { assertGolden } from '../../support/golden.ts';
import { startRaw, type Target } from '../../support/http-target.ts';
import { probeContext } from '../../support/probing.ts';
import { type ReceivedMail, type SmtpReceiver, startSmtp } from '../../support/smtp-receiver.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';
import { HeldClock } from './held-clock.ts';
import { messages, plainDown } from '../wording/messages.ts';

const password = 'cAnArY-mail-7f3d9b21c4e8';
const { signal } = new AbortController();

describe('mail', () => {
  let authority: Authority;
  let credentials: Credentials;
  /** Built once: it takes 25 ms. */
  let trusted: Authorities;
  let open: (SmtpReceiver | Target)[] = [];
  before(async () => {
    authority = createAuthority();
    trusted = await createTrust({ env: {}, bundles: [] }).authorities(authority.file);
    credentials = authority.issue({ names: ['localhost', '127.0.0.1'] });
  });
  after(() => {
    authority.remove();
  });
  afterEach(async () => {
    await Promise.all(open.map((server) => server.close()));
    open = [];
  });

  const server = async (...rules: Parameters<typeof startSmtp>) => {
    const started = await startSmtp(...rules);
    open.push(started);
    return started;
  };

  const channelTo = async (
    port: number,
    more = '',
  ): Promise<{ channel: Channel; options: DeliverOptions & { readonly clock: HeldClock } }> => {
    const { config, redact } = await load(
      `[[channels]]
      name = "mail"
      type = "email"
      host = "localhost"
      port = ${port}
      from = "statusd <statusd@example.com>"
      to = ["Ops <ops@example.com>", "night@example.org"]
      ${more}`,
    );
    const options = {
      ...probeContext({ redact }),
      trust: { authorities: () => Promise.resolve(trusted) },
      clock: new HeldClock(),
    };
    return { channel: config.channels[0] ?? assert.fail(), options };
  };
  const sendTo = async (port: number, more = '') => {
    const { channel, options } = await channelTo(port, more);
    return createDeliver(options)(plainDown, channel, signal);
  };
  const login = `username = "me@example.com"\npassword = "${password}"`;

  it('goes out after STARTTLS, with a login', async () => {
    const smtp = await server({ credentials, login: `me@example.com:${password}` });
    assert.deepEqual(await sendTo(smtp.port, login), { kind: 'sent', attempts: 1 });
    const [mail] = smtp.mails;
    assert.equal(mail?.isEncrypted, true);
    assert.equal(mail.login, 'me@example.com');
    assert.equal(mail.sender, 'statusd@example.com');
    assert.deepEqual(mail.recipients, ['ops@example.com', 'night@example.org']);
  });

  it('goes out over implicit TLS', async () => {
    const smtp = await server({ credentials, isImplicit: true, login: `me@example.com:${password}` });
    assert.equal((await sendTo(smtp.port, `implicit_tls = true\n${login}`)).kind, 'sent');
    assert.equal(smtp.mails[0]?.isEncrypted, true);
  });

  it('never gives a login to a server that does not encrypt', async () => {
    const smtp = await server({ hidesStarttls: true, login: `me@example.com:${password}` });
    const delivered = await sendTo(smtp.port, login);
    assert.ok(delivered.kind === 'failed' && !delivered.isPermanent);
    assert.match(delivered.error, /check port and implicit_tls/);
    assert.deepEqual([smtp.logins, smtp.mails], [[], []]);
  });

  it('never gives a login to a server whose certificate is not to be trusted', async () => {
    const stranger = authority.selfSigned({ names: ['localhost', '127.0.0.1'] });
    const other = authority.issue({ names: ['elsewhere.example'] });
    for (const [shown, why] of [
      [stranger, /self-signed/],
      [other, /is for another name/],
    ] as const) {
      for (const isImplicit of [false, true]) {
        const smtp = await server({ credentials: shown, isImplicit, login: `me@example.com:${password}` });
        const delivered = await sendTo(smtp.port, `implicit_tls = ${isImplicit}\n${login}`);
        assert.ok(delivered.kind === 'failed', String(why));
        assert.match(delivered.error, why);
        assert.deepEqual([smtp.logins, smtp.mails], [[], []]);
      }
    }
  });

  it('takes a relay without login as it is, and encrypts where that is possible', async () => {
    const plain = await server({ hidesStarttls: true });
    assert.equal((await sendTo(plain.port)).kind, 'sent');
    assert.equal(plain.mails[0]?.isEncrypted, false);
    const own = await server({ credentials: authority.selfSigned({ names: ['relay'] }) });
    assert.equal((await sendTo(own.port)).kind, 'sent');
    assert.equal(own.mails[0]?.isEncrypted, true);
  });

  it('insists on TLS on the port for submission, and with half a login too', async () => {
    const insists = async (port: number, more = '') => {
      const { channel } = await channelTo(port, more);
      assert.ok(channel.type === 'email');
      return settingsOf(channel, createSecureContext()).requireTLS;
    };
    assert.deepEqual(
      await Promise.all([insists(587), insists(25), insists(25, 'username = "me"'), insists(2525, login)]),
      [true, false, true, true],
    );
  });

  it('sends every event, as text and as HTML', async () => {
    const smtp = await server({ credentials });
    const { channel, options } = await channelTo(smtp.port);
    const all = Object.values(messages).map((message, at) => ({ ...message, deliveryId: `mail-${at}` }));
    const delivered = await Promise.all(
      all.map((message) => createDeliver(options)(message, channel, signal)),
    );
    assert.ok(delivered.every(({ kind }) => kind === 'sent'));
    for (const message of all) {
      const { title, lines, quote } = wordingOf(message);
      const words = lines.map(lineText);
      const { headers, parts } = mailOf(smtp, message.deliveryId);
      const subject = headers.find(([name]) => name === 'subject')?.[1];
      assert.equal(subject, `[${message.severity.toUpperCase()}] ${title}`);
      for (const line of [title, ...words, ...quote]) assert.ok(parts['text/plain']?.includes(line), line);
      assert.ok(parts['text/plain']?.includes(`\n${message.link ?? ''}`));
      assert.ok(parts['text/html']?.includes(message.link ?? ''));
    }
  });

  it('reads as in the golden file', async () => {
    const smtp = await server({ credentials });
    const { channel, options } = await channelTo(smtp.port);
    const deliver = createDeliver(options);
    const pages: string[] = [];
    for (const [name, message] of Object.entries(messages)) {
      assert.equal((await deliver(message, channel, signal)).kind, 'sent');
      pages.push(`# ${name}`, pageOf(smtp.mails.at(-1) ?? assert.fail(), pages.length === 0));
    }
    assertGolden(new URL('golden/email.txt', import.meta.url), pages.join('\n'));
  });

  it('is HTML that fetches nothing, and as short as programs show in full', async () => {
    const { channel } = await channelTo(25);
    assert.ok(channel.type === 'email');
    const long = { event: 'digest', lines: Array.from({ length: 500 }, () => '<&"é漢🙂'.repeat(40)) };
    const digest = { ...(messages['the digest'] ?? assert.fail()), ...long } as Message;
    for (const message of [...Object.values(messages), digest]) {
      const { html } = writtenMail(message, channel, 0);
      assert.ok(Buffer.byteLength(html) <= 102_000);
      assert.doesNotMatch(html, /<(img|link|script|iframe|object|base|form)|url\(|@import|\ssrc=|\son\w+=/i);
      const addresses = [...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
      assert.deepEqual(
        addresses,
        [message.ack, message.link].filter((address) => address),
      );
      assert.match(html, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
      assert.match(html, /<meta name="color-scheme" content="light dark">/);
    }
  });

  it('has the same Message-ID at every attempt, a valid one whatever the delivery id', () => {
    const from = 'statusd <statusd@example.com>';
    assert.equal(messageIdOf('0198c5.down.1', from), '<0198c5=2edown=2e1@example.com>');
    assert.equal(messageIdOf('a:b..', 'x@münchen.example'), '<a=3ab=2e=2e@xn--mnchen-3ya.example>');
  });

  const refusals = [
    ['RCPT TO', '550 5.1.1 No such user', true, /550 5\.1\.1 No such user; check to$/],
    ['RCPT TO', '450 4.2.0 Greylisted', false, /450 4\.2\.0 Greylisted; check to$/],
    ['MAIL FROM', '553 5.7.1 Sender refused', true, /553 5\.7\.1 Sender refused; check from$/],
    ['DATA', '554 5.6.0 Looks like spam', true, /554 5\.6\.0 Looks like spam$/],
    ['DATA', '452 4.3.1 Out of space', false, /452 4\.3\.1 Out of space$/],
  ] as const;
  for (const [at, reply, isPermanent, said] of refusals) {
    it(`${isPermanent ? 'gives up' : 'tries again'} when ${at} is answered with ${reply}`, async () => {
      const smtp = await server({ credentials, refusal: { at, reply } });
      const delivered = await sendTo(smtp.port);
      assert.ok(delivered.kind === 'failed');
      assert.equal(delivered.isPermanent, isPermanent);
      assert.equal(delivered.attempts, isPermanent ? 1 : 3);
      assert.match(delivered.error, said);
    });
  }

  it('says that the login is wrong, but not what it is', async () => {
    const smtp = await server({ credentials, login: 'me@example.com:another' });
    const delivered = await sendTo(smtp.port, login);
    assert.ok(delivered.kind === 'failed' && delivered.isPermanent);
    assert.match(delivered.error, /535 5\.7\.8.*\*\*\*.*check username and password$/);
    assert.doesNotMatch(delivered.error, /cAnArY/);
    assert.ok(
      !delivered.error.includes(Buffer.from(`\0me@example.com\0${password}`).toString('base64').slice(0, 60)),
    );
  });

  it('ends at its deadline when the server says nothing', async () => {
    const mute = await startRaw(() => undefined);
    open.push(mute);
    const { channel, options } = await channelTo(mute.port);
    const { clock } = options;
    const patience = setInterval(() => {
      if (mute.connections() > 0) clock.expire();
    }, 20);
    const delivered = await createDeliver(options)(plainDown, channel, signal);
    clearInterval(patience);
    assert.ok(delivered.kind === 'failed' && !delivered.isPermanent);
    assert.match(delivered.error, /within 30 s$/);
    assert.equal(delivered.mayBeReceived, undefined);
  });

  it('may have been received when the server has all of it and does not say so in time: it is not repeated', async () => {
    let isWhole = false;
    const slow = await startRaw((socket) => {
      let isMail = false;
      socket.write('220 slow.example.com ESMTP\r\n');
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        if (isMail) isWhole ||= text.includes('\r\n.\r\n');
        else if (text.startsWith('DATA')) {
          isMail = true;
          socket.write('354 go on\r\n');
        } else socket.write('250 fine\r\n');
      });
    });
    open.push(slow);
    const { channel, options } = await channelTo(slow.port);
    const patience = setInterval(() => {
      if (isWhole) options.clock.expire();
    }, 20);
    const delivered = await createDeliver(options)(plainDown, channel, signal);
    clearInterval(patience);
    assert.ok(delivered.kind === 'failed' && delivered.attempts === 1);
    assert.equal(delivered.mayBeReceived, true);
    assert.equal(slow.connections(), 1);
  });

  it('is called off at once', async () => {
    const mute = await startRaw(() => undefined);
    open.push(mute);
    const { channel, options } = await channelTo(mute.port);
    const controller = new AbortController();
    const sending = createDeliver(options)(plainDown, channel, controller.signal);
    while (mute.connections() === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const delivered = await sending;
    assert.ok(delivered.kind === 'failed' && delivered.error === 'called off');
  });

  it('survives servers that are none', async () => {
    for (const bytes of [
      '',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      '220 hello\r\n999 what\r\n',
      '220-'.repeat(50_000),
    ]) {
      const strange = await startRaw((socket) => {
        socket.end(bytes);
      });
      open.push(strange);
      const delivered = await sendTo(strange.port);
      assert.ok(delivered.kind === 'failed' && !delivered.isPermanent, bytes.slice(0, 20));
      assert.ok(delivered.error.length < 500);
    }
  });

  it('greets with ehlo_name, an address as a literal', async () => {
    for (const [written, sent] of [
      ['status.example.com', 'status.example.com'],
      ['192.0.2.7', '[192.0.2.7]'],
      ['2001:db8::7', '[ipv6:2001:db8::7]'],
    ] as const) {
      const smtp = await server({ credentials, login: `me@example.com:${password}` });
      const { channel, options } = await channelTo(smtp.port, `${login}\nehlo_name = "${written}"`);
      assert.equal((await createDeliver(options)(plainDown, channel, signal)).kind, 'sent', written);
      assert.deepEqual([smtp.mails.length, smtp.greetings], [1, [sent]], written);
    }
  });

  it('can log in without sending anything', async () => {
    const smtp = await server({ credentials, login: `me@example.com:${password}` });
    const right = await channelTo(smtp.port, login);
    assert.deepEqual(await verifyChannel(right.channel, right.options, signal), { kind: 'sent' });
    const wrong = await channelTo(smtp.port, login.replace('me@', 'you@'));
    const answer = await verifyChannel(wrong.channel, wrong.options, signal);
    assert.ok(answer?.kind === 'failed' && answer.isPermanent);
    assert.deepEqual(smtp.mails, []);
  });
});

function mailOf({ mails }: SmtpReceiver, deliveryId: string): ReceivedMail {
  const isIt = ([name, value]: readonly [string, string]) =>
    name === 'message-id' && value === `<${deliveryId}@example.com>`;
  return mails.find(({ headers }) => headers.some(isIt)) ?? assert.fail(deliveryId);
}

/** The first one with everything; of the others what differs. */
function pageOf({ headers, parts }: ReceivedMail, isFirst: boolean): string {
  const boundary = /boundary="([^"]+)"/;
  const lines = headers
    .filter(([name]) => isFirst || name === 'subject')
    .map(([name, value]) => `${name}: ${value.replace(boundary, 'boundary="…"')}`);
  const texts = Object.entries(parts).map(([type, text]) => `--- ${type}\n${text}`);
  return `${lines.join('\n')}\n\n${texts.join('\n')}\n`;
}
