/** The way to a channel: through proxies, and by the authorities that its settings name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import { load } from '../../support/config.ts';
import { type Proxy, startHttpProxy, startSocksProxy } from '../../support/http-target.ts';
import { probeContext } from '../../support/probing.ts';
import { startSmtp } from '../../support/smtp-receiver.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';
import { webhookRules } from '../../support/vendor-push.ts';
import { startVendor } from '../../support/vendor-server.ts';
import { plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const { signal } = new AbortController();

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
  const deliver = async (settings: string) => {
    const files = { [authority.file]: readFileSync(authority.file) };
    const { config, redact } = await load(`[[channels]]\nname = "x"\n${settings}`, { files });
    const options = { ...probeContext({ redact }), clock: new HeldClock() };
    const delivered = await createDeliver(options)(plainDown, config.channels[0] ?? assert.fail(), signal);
    return delivered.kind === 'sent' ? 'sent' : delivered.error;
  };
  const webhookTo = (url: string, more = '') => deliver(`type = "webhook"\nurl = "${url}/hook"\n${more}`);
  const mailTo = (port: number, more = '', host = '127.0.0.1') =>
    deliver(
      `type = "email"\nhost = "${host}"\nport = ${port}\nfrom = "s@example.com"\nto = "o@example.com"\nusername = "me"\npassword = "a-password-of-tests"\n${more}`,
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

  it('trusts an authority of its own in mail, and a stranger where it is told to', async () => {
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
      assert.equal(await mailTo(smtp.port, through, 'hooks.example'), 'sent');
      assert.deepEqual([notified.length, smtp.mails.length], [1, 1]);
      assert.deepEqual(proxy.requests, [
        `CONNECT hooks.example:${port}`,
        `CONNECT hooks.example:${smtp.port}`,
      ]);
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
