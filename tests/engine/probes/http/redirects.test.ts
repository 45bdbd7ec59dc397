import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { programArguments } from '../../../support/program.ts';

interface Seen {
  readonly outcome: string;
  readonly category?: string;
  readonly message?: string;
  readonly body: string | null;
  /** The address that was connected to, and the path. */
  readonly asked: readonly string[];
}

const network = ['unshare', '--map-root-user', '--net'];
const [unshare = '', ...ownNetwork] = network;
const isAllowed = spawnSync(unshare, [...ownNetwork, 'ip', 'link']).status === 0;
const skip = !isAllowed && 'this machine does not allow network namespaces';

describe('a redirect from a target on the internet', { skip }, () => {
  let seen: Readonly<Record<string, Seen>> = {};
  before(() => {
    const node = [process.execPath, ...programArguments('tests/programs/redirects.ts')];
    const child = spawnSync(unshare, [...ownNetwork, ...node], { encoding: 'utf8' });
    assert.equal(child.status, 0, child.stderr);
    seen = JSON.parse(child.stdout) as Record<string, Seen>;
  });
  const of = (name: string): Seen => {
    const found = seen[name];
    assert.ok(found, name);
    return found;
  };
  const isRefused = (name: string, words: string) => {
    const { outcome, category, message, body, asked } = of(name);
    assert.deepEqual([outcome, category, body], ['failed', 'redirect', null], name);
    assert.match(
      message ?? '',
      new RegExp(
        `^http://[^ ]+ redirects to ${words}, which is not followed; allow_private_redirects = true`,
      ),
      name,
    );
    // Who reads the message does not learn which address or name it was.
    assert.doesNotMatch(message ?? '', /127\.0|10\.0\.0|172\.16|169\.254|100\.64|inside|intranet|metadata\./);
    assert.deepEqual(
      asked.filter((each) => !each.startsWith('203.0.113.')),
      [],
      name,
    );
  };

  it('is not followed to this machine, a private network or the metadata service of a cloud', () => {
    for (const name of ['loopback', 'loopback6', 'unspecified', 'decimal', 'localhost'])
      isRefused(name, 'a loopback address');
    for (const name of ['mapped', 'private', 'private6', 'shared', 'name'])
      isRefused(name, 'a private address');
    for (const name of ['metadata', 'metadata6']) isRefused(name, 'the metadata service of a cloud');
  });

  it('is not followed there by way of another site on the internet', () => {
    isRefused('second', 'a private address');
    assert.equal(of('second').asked.length, 2);
  });

  it('connects to the very address that was judged, when a name leads elsewhere the next time', () => {
    isRefused('rebound', 'a loopback address');
    assert.equal(of('rebound').asked.length, 1);
  });

  it('takes of the addresses of a name those on the internet', () => {
    assert.deepEqual(of('mixed').asked.slice(1), ['203.0.113.2/x']);
  });

  it('is followed on the internet, and keeps the answer of the first origin alone', () => {
    assert.deepEqual(of('public').asked.slice(1), ['203.0.113.2/x']);
    assert.equal(of('public').body, null);
    assert.deepEqual(of('same').asked.slice(1), ['203.0.113.1/x']);
    assert.equal(of('same').body, 'inside');
  });

  it('is followed anywhere where the monitor allows it, without keeping the answer', () => {
    assert.deepEqual(of('allowed').asked.slice(1), ['10.0.0.5/x']);
    assert.equal(of('allowed').body, null);
  });

  it('leads anywhere from a target that has a private address itself', () => {
    assert.deepEqual(of('own').asked.slice(1), ['127.0.0.1/x']);
    assert.deepEqual(of('own_and_back').asked.slice(1), [
      '203.0.113.2/to?http://172.16.0.1/x',
      '172.16.0.1/x',
    ]);
  });

  it('is judged through a proxy by what is written, since the proxy resolves names', () => {
    isRefused('proxy', 'a private address');
    isRefused('proxy_name', 'a private address');
    isRefused('proxy_metadata', 'the metadata service of a cloud');
    assert.deepEqual(of('proxy_public').asked.slice(1), ['203.0.113.1/x']);
    assert.deepEqual(of('proxy_own').asked, ['10.0.0.5/to?http://10.0.0.5/x', '10.0.0.5/x']);
  });
});
