import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientKey, plainAddress } from '../../../src/serve/client/address.ts';
import { clientIpOf } from '../../../src/serve/client/client-ip.ts';

const trustedProxies = ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8', '192.0.2.1'];
const usual = clientIpOf({ trustedProxies, header: null });

describe('the address of the client', () => {
  it('is that of the connection unless a trusted proxy forwards it', () => {
    assert.equal(usual('203.0.113.5', { 'x-forwarded-for': '198.51.100.1' }), '203.0.113.5');
    assert.equal(usual('127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }), '198.51.100.1');
    assert.equal(usual('::ffff:10.1.2.3', { 'x-real-ip': '198.51.100.1' }), '198.51.100.1');
    assert.equal(usual('192.0.2.1', {}), '192.0.2.1');
  });

  it('is the right-most that is no trusted proxy, whatever the client claims to the left of it', () => {
    const chain = '1.1.1.1, 198.51.100.7, 10.0.0.9';
    assert.equal(usual('127.0.0.1', { 'x-forwarded-for': chain }), '198.51.100.7');
    assert.equal(usual('127.0.0.1', { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }), '10.0.0.1');
    assert.equal(
      usual('127.0.0.1', { 'x-forwarded-for': `${'1.1.1.1,'.repeat(2000)}198.51.100.7` }),
      '198.51.100.7',
    );
  });

  it('is the last known hop where the chain stops making sense', () => {
    assert.equal(usual('127.0.0.1', { 'x-forwarded-for': '198.51.100.7, nonsense' }), '127.0.0.1');
    assert.equal(usual('127.0.0.1', { 'x-forwarded-for': '198.51.100.7, <script>, 10.0.0.9' }), '10.0.0.9');
    assert.equal(usual('', {}), '0.0.0.0');
  });

  it('comes from the configured header alone', () => {
    const cdn = clientIpOf({ trustedProxies, header: 'CF-Connecting-IP' });
    const headers = { 'cf-connecting-ip': '198.51.100.7', 'x-forwarded-for': '1.1.1.1' };
    assert.equal(cdn('127.0.0.1', headers), '198.51.100.7');
    assert.equal(cdn('203.0.113.5', headers), '203.0.113.5');
    assert.equal(cdn('127.0.0.1', { 'x-forwarded-for': '1.1.1.1' }), '127.0.0.1');
  });
});

describe('an address', () => {
  it('is read with brackets, ports and zones, and as IPv4 where it is one', () => {
    for (const [written, read] of [
      ['198.51.100.7:5000', '198.51.100.7'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['fe80::1%eth0', 'fe80::1'],
      ['::ffff:c633:6407', '198.51.100.7'],
      ['::FFFF:198.51.100.7', '198.51.100.7'],
      ['256.1.1.1', null],
      ['unknown', null],
      ['', null],
    ] as const) {
      assert.equal(plainAddress(written), read, written);
    }
  });

  it('counts as its household: one IPv4 address, or a /64', () => {
    assert.equal(clientKey('198.51.100.7'), '198.51.100.7');
    assert.equal(clientKey('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(clientKey('2001:DB8:1:2::9'), '2001:db8:1:2::/64');
    assert.equal(clientKey('2001:db8::1'), '2001:db8:0:0::/64');
    assert.equal(clientKey('::1'), '0:0:0:0::/64');
  });
});
