/** Which host an answer speaks for: the suspicion of this node's own network rests on it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostOf, isLoopback, isReferenceHost } from '../../../src/engine/core/hosts.ts';

describe('the host of a target', () => {
  const hosts: readonly (readonly [...Parameters<typeof hostOf>, string | null])[] = [
    ['http', 'https://Example.COM/path?q=1', 'example.com'],
    ['http', 'http://example.com:8080', 'example.com'],
    ['http', 'http://example.com:', 'example.com'],
    ['http', 'http://example.com.', 'example.com'],
    ['http', 'http://example.com#top', 'example.com'],
    ['http', 'http://example.com\\@evil.example', 'example.com'],
    ['http', 'http://user:p@ss@example.com/', 'example.com'],
    ['http', 'http://[2001:DB8::1]:8443/', '2001:db8::1'],
    ['http', 'http+unix9.x-y://example.com', 'example.com'],
    ['http', 'see http://example.com', null],
    ['http', 'example.com', null],
    ['http', 'http://', null],
    ['tcp', 'DB.internal:5432', 'db.internal'],
    ['tcp', '[::1]:25', '::1'],
    ['tcp', 'db:5432.internal:1', 'db:5432.internal'],
    ['icmp', 'Router.lan.', 'router.lan'],
    ['icmp', '[fe80::1]', 'fe80::1'],
    ['icmp', 'a.b', 'a.b'],
    ['dns', 'Example.org', 'example.org'],
    ['dns', '', null],
    ['push', 'backup', null],
    ['exec', 'check_disk', null],
  ];
  for (const [kind, target, host] of hosts)
    it(`of ${kind} "${target}" is ${host ?? 'none'}`, () => {
      assert.equal(hostOf(kind, target), host);
    });
});

describe('this machine', () => {
  it('is every loopback address and name, and nothing that only looks like one', () => {
    const own = ['localhost', 'db.localhost', '::1', '127.0.0.1', '127.255.10.254', '::ffff:127.0.0.1'];
    for (const host of own) assert.equal(isLoopback(host), true, host);
    const others = ['localhost.example.com', 'notlocalhost', '::2', '128.0.0.1', '127.0.0', '127.0.0.1.2'];
    const names = ['10.127.0.0.1', '127.0.0.1.example.com', 'x127.0.0.1', '127.0.0.1x', '127.0.0.1000'];
    for (const host of [...others, ...names, '127.a.b.c', '::ffff:128.0.0.1'])
      assert.equal(isLoopback(host), false, host);
  });

  it('has no say in whether there is a network, unless nothing else is watched', () => {
    assert.equal(isReferenceHost('example.com', true), true);
    assert.equal(isReferenceHost('127.0.0.1', true), false);
    assert.equal(isReferenceHost('127.0.0.1', false), true);
  });
});
