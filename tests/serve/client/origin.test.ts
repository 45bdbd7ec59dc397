import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { originOf } from '../../../src/serve/client/origin.ts';

const derived = originOf({ baseUrl: null, trustedProxies: ['10.0.0.0/8'] });
const from = (remoteAddress: string, headers: Record<string, string>) => derived({ remoteAddress, headers });

describe('the origin of a request', () => {
  it('is the configured one, whatever the client sends', () => {
    const configured = originOf({ baseUrl: 'https://status.example.org', trustedProxies: [] });
    const headers = { host: 'evil.example', 'x-forwarded-proto': 'http' };
    assert.equal(configured({ remoteAddress: '10.0.0.1', headers }), 'https://status.example.org');
  });

  it('is the Host header in lower case, with its port', () => {
    assert.equal(from('192.0.2.1', { host: 'Status.Example.org:8080' }), 'http://status.example.org:8080');
    assert.equal(from('192.0.2.1', { host: '[2001:DB8::1]:8080' }), 'http://[2001:db8::1]:8080');
  });

  it('is https only where a trusted proxy says so', () => {
    const headers = { host: 'a.example', 'x-forwarded-proto': 'https' };
    assert.equal(from('10.1.2.3', headers), 'https://a.example');
    assert.equal(from('::ffff:10.1.2.3', headers), 'https://a.example');
    assert.equal(from('192.0.2.1', headers), 'http://a.example');
    assert.equal(from('no address', headers), 'http://a.example');
  });

  it('is localhost where the Host header is missing or no host', () => {
    for (const host of ['', 'a b', 'a"b', '<a>', 'user@a.example', 'a.example/path', 'a.example:123456'])
      assert.equal(from('192.0.2.1', { host }), 'http://localhost', host);
    assert.equal(from('192.0.2.1', {}), 'http://localhost');
  });
});
