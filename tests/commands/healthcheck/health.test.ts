import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { healthUrlOfBind, readUrl } from '../../../src/commands/healthcheck/health.ts';

describe('the address of the health', () => {
  it('is that of server.bind, over loopback where it means every address', () => {
    const cases = {
      '127.0.0.1:8787': 'http://127.0.0.1:8787/healthz',
      '0.0.0.0:80': 'http://127.0.0.1/healthz',
      '[::]:8787': 'http://[::1]:8787/healthz',
      '[2001:db8::1]:8787': 'http://[2001:db8::1]:8787/healthz',
      'localhost:1': 'http://localhost:1/healthz',
    };
    for (const [bind, url] of Object.entries(cases)) assert.equal(healthUrlOfBind(bind).href, url);
  });

  it('is not known for port 0', () => {
    assert.throws(() => healthUrlOfBind('127.0.0.1:0'), /names no port to ask/);
  });

  it('may be typed with or without its path', () => {
    const cases = {
      'http://127.0.0.1:1': 'http://127.0.0.1:1/healthz',
      'https://status.example.com/': 'https://status.example.com/healthz',
      'https://example.com/status/': 'https://example.com/status/healthz',
      'https://example.com/healthz?x#y': 'https://example.com/healthz',
    };
    for (const [typed, url] of Object.entries(cases)) assert.equal(readUrl(typed).href, url);
  });

  it('must be a URL', () => {
    for (const typed of ['', 'example.com', 'ftp://example.com', 'localhost:80']) {
      assert.throws(() => readUrl(typed), { code: 'usage' });
    }
  });
});
