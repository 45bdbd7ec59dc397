/** The way to a channel: through proxies, and by the authorities that its settings name. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Clock } from '../../../src/engine/core/clock.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import { load } from '../../support/config.ts';
import { type Proxy, startHttpProxy, startRaw, startSocksProxy } from '../../support/http-target.ts';
import { probeContext } from '../../support/probing.ts';
import { realClock } from '../../support/real-clock.ts';
import { startSmtp } from '../../support/smtp-receiver.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';
import { webhookRules } from '../../support/vendor-push.ts';
import { startVendor } from '../../support/vendor-server.ts';
import { plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const { signal } = new AbortController();

interface MailServer {
  readonly host?: string;
  readonly clock?: Clock;
}

describe('the way to a channel', () => {
  let authority: Authority;
  let credentials: Credentials;
  const open: { readonly close: () => Promise<void> }[] = [];
  before(() => {
    authority = createAuthority();
    credentials = authority.issue({ names: ['hooks.example', '127.0.0.1'] });
  });
  after(() => {
    authority.remove();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  const opened = async <Server extends { readonly close: () => Promise<void> }>(
    starting: Promise<Server>,
  ) => {
    const server = await starting;
    open.push(server);
    return server;
  };
  const hook = () => opened(startVendor(webhookRules({ path: '/hook', secret: null }), credentials));
  const mailServer = () => opened(startSmtp({ credentials, login: 'me:a-password-of-tests' }));

  /** What becomes of a message to a channel of these settings. */
  const deliver = async (settings: string, clock: Clock = new HeldClock()) => {
    const files = { [authority.file]: readFileSync(authority.file) };
    const { config, redact } = await load(`[[channels]]\nname = "x"\n${settings}`, { files });
    const options = { ...probeContext({ redact }), clock };
    const delivered = await createDeliver(options)(plainDown, config.channels[0] ?? assert.fail(), signal);
    return delivered.kind === 'sent' ? 'sent' : delivered.error;
  };
  const webhookTo = (url: string, more = '') => deliver(`type = "webhook"\nurl = "${url}/hook"\n${more}`);
  const mailTo = (port: number, more = '', { host = '127.0.0.1', clock }: MailServer = {}) =>
    deliver(
      `type = "email"\nhost = "${host}"\nport = ${port}\nfrom = "s@example.com"\nto = "o@example.com"\nusername = "me"\npassword = "a-password-of-tests"\n${more}`,
      clock,
    );

  it('trusts an authority of its own over HTTPS, and no stranger', async () => {
    const { origin, notified } = await hook();
    assert.match(await webhookTo(origin), /unknown authority.*for one channel or output, ca_file/);
    assert.equal(notified.length, 0);
    assert.equal(await webhookTo(origin, `ca_file = "${authority.file}"`), 'sent');
    assert.equal(notified.length, 1);
  });

  it('asks for no certificate where tls_verify is off', async () => {
    const { origin, notified } = await hook();
    assert.equal(await webhookTo(origin, 'tls_verify = false'), 'sent');
    assert.equal(notified.length, 1);
  });

  it('trusts a private authority in mail, and any certificate if configured', async () => {
    const smtp = await mailServer();
    assert.match(await mailTo(smtp.port), /unknown authority/);
    assert.deepEqual([smtp.logins, smtp.mails], [[], []]);
    assert.equal(await mailTo(smtp.port, `ca_file = "${authority.file}"`), 'sent');
    assert.equal(await mailTo(smtp.port, 'tls_verify = false'), 'sent');
    assert.deepEqual(
      smtp.mails.map(({ isEncrypted }) => isEncrypted),
      [true, true],
    );
  });

  const proxies: Readonly<Record<string, () => Promise<Proxy>>> = {
    http: () => startHttpProxy({ hosts: { 'hooks.example': '127.0.0.1' } }),
    socks5: () => startSocksProxy({ hosts: { 'hooks.example': '127.0.0.1' } }),
  };
  for (const [scheme, start] of Object.entries(proxies)) {
    it(`leads through a proxy (${scheme}), which looks the name up, for HTTPS and mail`, async () => {
      const proxy = await opened(start());
      const { port, notified } = await hook();
      const smtp = await mailServer();
      const through = `proxy = "${scheme}://127.0.0.1:${proxy.port}"\nca_file = "${authority.file}"`;
      assert.equal(await webhookTo(`https://hooks.example:${port}`, through), 'sent');
      assert.equal(await mailTo(smtp.port, through, { host: 'hooks.example' }), 'sent');
      assert.deepEqual([notified.length, smtp.mails.length], [1, 1]);
      assert.deepEqual(proxy.requests, [
        `CONNECT hooks.example:${port}`,
        `CONNECT hooks.example:${smtp.port}`,
      ]);
    });
  }

  /** How each kind of proxy is asked for a tunnel, up to the answer that there is one. */
  const agree: Readonly<Record<string, (socket: Socket) => Promise<Buffer>>> = {
    http: async (socket) => {
      await once(socket, 'data');
      return Buffer.from('HTTP/1.1 200 Connection Established\r\n\r\n');
    },
    socks5: async (socket) => {
      await once(socket, 'data');
      socket.write(Buffer.from([5, 0]));
      await once(socket, 'data');
      return Buffer.from([5, 0, 0, 4, ...Array.from({ length: 16 }, () => 0), 0, 25]);
    },
    'socks5 with a name': async (socket) => {
      await once(socket, 'data');
      socket.write(Buffer.from([5, 0]));
      await once(socket, 'data');
      return Buffer.from([5, 0, 0, 3, 4, ...Buffer.from('mail'), 0, 25]);
    },
  };
  for (const [kind, agreed] of Object.entries(agree)) {
    it(`hears a mail server whose greeting comes with the answer of the proxy (${kind})`, async () => {
      const smtp = await mailServer();
      const proxy = await opened(
        startRaw((socket) => {
          void agreed(socket).then(async (answer) => {
            const far = connect(smtp.port, '127.0.0.1');
            const [greeting] = (await once(far, 'data')) as [Buffer];
            socket.write(Buffer.concat([answer, greeting]));
            socket.pipe(far).pipe(socket);
            far.on('error', () => socket.destroy());
          });
        }),
      );
      const { port } = new URL(proxy.origin);
      const through = `proxy = "${kind.split(' ')[0] ?? ''}://127.0.0.1:${port}"\nca_file = "${authority.file}"`;
      assert.equal(await mailTo(smtp.port, `${through}\ntimeout_secs = 3`, { clock: realClock }), 'sent');
      assert.equal(smtp.mails.length, 1);
    });
  }

  it('names the proxy that refuses, without its password', async () => {
    const proxy = await opened(startHttpProxy({ login: 'me:another' }));
    const { port } = await hook();
    const through = `proxy = "http://me:wrong-pass-word@127.0.0.1:${proxy.port}"\ntls_verify = false`;
    const said = await webhookTo(`https://127.0.0.1:${port}`, through);
    assert.match(
      said,
      /^the proxy 127\.0\.0\.1:\d+ does not connect to .* wants another user name or password/,
    );
    assert.doesNotMatch(said, /wrong-pass-word/);
    assert.match(await mailTo(port, through), /^the proxy 127\.0\.0\.1:\d+ does not connect/);
  });
});
