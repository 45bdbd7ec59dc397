import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ProbeFault } from '../../../src/engine/net/faults.ts';
import { createTrust, type TrustOptions } from '../../../src/engine/net/tls-trust.ts';
import { type Authority, createAuthority } from '../../support/tls.ts';

describe('the authorities that are trusted', () => {
  let folder: string;
  let authority: Authority;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-trust-'));
    authority = createAuthority();
  });
  after(() => {
    rmSync(folder, { recursive: true });
    authority.remove();
  });

  it('are put together once, and again when their file changes', async () => {
    const { authorities } = createTrust({ env: {}, bundles: [] });
    const context = async (from: string | null) => (await authorities(from)).context;
    assert.equal(await context(null), await context(null));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, readFileSync(authority.file));
    const first = await context(file);
    assert.notEqual(first, await context(null));
    assert.equal(await context(file), first);
    writeFileSync(file, `${readFileSync(authority.file, 'utf8')}\n`);
    assert.notEqual(await context(file), first);
  });

  it('are a fault of this host when their file cannot be used, by name', async () => {
    const { authorities } = createTrust({ env: {}, bundles: [] });
    const broken = join(folder, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, '');
    const pipe = join(folder, 'pipe.pem');
    execFileSync('mkfifo', [pipe]);
    const cases = {
      [join(folder, 'none.pem')]: 'is not there',
      [folder]: 'is a folder',
      [broken]: 'holds no usable certificate',
      [empty]: 'holds no certificate in PEM form',
      [pipe]: 'is no regular file',
    };
    for (const [file, why] of Object.entries(cases)) {
      await assert.rejects(authorities(file), (error) => {
        assert.ok(error instanceof ProbeFault);
        assert.deepEqual(error.fault, {
          outcome: 'unknown',
          category: 'own_fault',
          message: `CA file ${file} ${why}`,
          ownFault: `ca_file ${file}`,
        });
        return true;
      });
    }
  });

  describe('of the host', () => {
    const copy = (name: string) => {
      const file = join(folder, name);
      writeFileSync(file, readFileSync(authority.file));
      return file;
    };
    const sourcesOf = async (options: TrustOptions) => (await createTrust(options).authorities(null)).sources;

    it('are those of the first bundle there is, unless SSL_CERT_FILE names another', async () => {
      const [first, second] = [copy('first.pem'), copy('second.pem')];
      const bundles = [join(folder, 'none.pem'), first, second];
      assert.equal(await sourcesOf({ env: {}, bundles }), `Node.js, ${first}`);
      assert.equal(
        await sourcesOf({ env: { SSL_CERT_FILE: second }, bundles }),
        `Node.js, SSL_CERT_FILE ${second}`,
      );
      assert.equal(
        await sourcesOf({ env: { NODE_EXTRA_CA_CERTS: second }, bundles }),
        `Node.js, NODE_EXTRA_CA_CERTS ${second}, ${first}`,
      );
      assert.equal(await sourcesOf({ env: { SSL_CERT_FILE: '' }, bundles: [] }), 'Node.js');
    });

    it('are read when they are first asked for, and never again', async () => {
      const file = join(folder, 'late.pem');
      const { authorities } = createTrust({ env: { SSL_CERT_FILE: file }, bundles: [] });
      copy('late.pem');
      const first = await authorities(null);
      assert.equal(first.sources, `Node.js, SSL_CERT_FILE ${file}`);
      rmSync(file);
      assert.equal(await authorities(null), first);
      assert.equal(
        (await authorities(authority.file)).sources,
        `${first.sources}, CA file ${authority.file}`,
      );
    });

    it('do without a file that cannot be used, and say so', async () => {
      const empty = join(folder, 'empty-bundle.pem');
      writeFileSync(empty, '');
      const none = join(folder, 'none.pem');
      assert.equal(
        await sourcesOf({ env: { SSL_CERT_FILE: none, NODE_EXTRA_CA_CERTS: empty }, bundles: [] }),
        `Node.js, NODE_EXTRA_CA_CERTS ${empty} holds no certificate in PEM form, SSL_CERT_FILE ${none} is not there`,
      );
    });
  });
});
