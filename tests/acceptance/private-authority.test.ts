/** A private authority that the host trusts is trusted by everything that statusd connects to. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPeerClients } from '../../src/engine/peers/client/create-clients.ts';
import { createTrust } from '../../src/engine/net/tls-trust.ts';
import { createDomainProbe } from '../../src/engine/probes/domain.ts';
import { Secret } from '../../src/engine/config/secret.ts';
import { probeContext } from '../support/probing.ts';
import { runCli } from '../support/cli.ts';
import { startHttps, type Target } from '../support/http-target.ts';
import { type Authority, createAuthority } from '../support/tls.ts';

interface Checked {
  readonly results: readonly {
    readonly id: string;
    readonly status: string;
    readonly error: string | null;
  }[];
}

describe('an authority of this host', () => {
  let folder: string;
  let authority: Authority;
  let other: Authority;
  const targets: Target[] = [];
  const posted: string[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-authority-'));
    authority = createAuthority();
    other = createAuthority('Other Authority');
    for (const issuer of [authority, other]) {
      targets.push(
        await startHttps(
          (request, response) => {
            posted.push(request.url ?? '');
            request.resume().on('end', () => response.end('ok'));
          },
          issuer.issue({ names: ['127.0.0.1'] }),
        ),
      );
    }
    const [own, foreign] = targets;
    writeFileSync(
      join(folder, 'statusd.toml'),
      `[[channels]]
      name = "hook"
      type = "webhook"
      url = "${own?.origin ?? ''}/hook"
      [[monitors]]
      id = "own"
      target = "${own?.origin ?? ''}/"
      probe_retries = 0
      [[monitors]]
      id = "both"
      target = "${foreign?.origin ?? ''}/"
      probe_retries = 0
      tls_ca_file = ${JSON.stringify(other.file)}
      [[monitors]]
      id = "again"
      target = "${own?.origin ?? ''}/"
      probe_retries = 0
      tls_ca_file = ${JSON.stringify(other.file)}
      `,
    );
  });
  after(async () => {
    await Promise.all(targets.map((target) => target.close()));
    authority.remove();
    other.remove();
    rmSync(folder, { recursive: true });
  });
  const check = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await runCli(['check', '--json'], { cwd: folder, env });
    const { results } = JSON.parse(stdout) as Checked;
    return new Map(results.map(({ id, status, error }) => [id, { status, error }]));
  };

  for (const name of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']) {
    it(`is trusted by monitors through ${name}, and tls_ca_file adds to it`, async () => {
      const results = await check({ [name]: authority.file });
      for (const id of ['own', 'both', 'again']) {
        assert.deepEqual(results.get(id), { status: 'up', error: null }, id);
      }
    });
  }

  it('is trusted by channels', async () => {
    const { code, stderr } = await runCli(['test-alert'], {
      cwd: folder,
      env: { SSL_CERT_FILE: authority.file },
    });
    assert.equal(code, 0, stderr);
    assert.equal(posted.filter((path) => path === '/hook').length, 2);
  });

  it('is trusted by peers and registries', async () => {
    const ctx = probeContext({ trust: createTrust({ env: { SSL_CERT_FILE: authority.file }, bundles: [] }) });
    const { origin = '' } = targets[0] ?? {};
    const called = await createPeerClients(ctx).callDeadMan(new Secret(`${origin}/beat`), ctx.signal);
    assert.deepEqual(called, { kind: 'taken' });
    const expiry = await createDomainProbe({ bootstrapUrl: `${origin}/dns.json` })('example.com', ctx);
    assert.match(expiry.kind === 'unknown' ? expiry.message : '', /did not answer in JSON$/);
  });

  it('is trusted by healthcheck and top', async () => {
    const options = { cwd: folder, env: { SSL_CERT_FILE: authority.file } };
    const { origin = '' } = targets[0] ?? {};
    const results = await Promise.all([
      runCli(['healthcheck', '--url', origin], options),
      runCli(['top', '--once', '--url', origin], options),
    ]);
    for (const { stdout, stderr } of results) assert.doesNotMatch(stdout + stderr, /certificate/);
  });

  it('is named with the cure while it is not trusted', async () => {
    const { status, error } = (await check({ SSL_CERT_FILE: other.file })).get('own') ?? assert.fail();
    assert.equal(status, 'down');
    assert.equal(
      error,
      'the certificate of 127.0.0.1 comes from an unknown authority, or without its intermediate certificates ' +
        `(trusted: Node.js, SSL_CERT_FILE ${other.file}); add a private authority with NODE_EXTRA_CA_CERTS or, ` +
        'for one monitor, tls_ca_file; for one channel or output, ca_file',
    );
  });
});
