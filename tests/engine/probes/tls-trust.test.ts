import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ProbeFault } from '../../../src/engine/probes/faults.ts';
import { createTrust } from '../../../src/engine/probes/tls-trust.ts';
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
    const { context } = createTrust();
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
    const { context } = createTrust();
    const broken = join(folder, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, '');
    const cases = {
      [join(folder, 'none.pem')]: 'is not there',
      [folder]: 'is a folder',
      [broken]: 'holds no usable certificate',
      [empty]: 'holds no certificate in PEM form',
    };
    for (const [file, why] of Object.entries(cases)) {
      await assert.rejects(context(file), (error) => {
        assert.ok(error instanceof ProbeFault);
        assert.deepEqual(error.fault, {
          outcome: 'unknown',
          category: 'own_fault',
          message: `tls_ca_file ${file} ${why}`,
          ownFault: `ca_file ${file}`,
        });
        return true;
      });
    }
  });
});
