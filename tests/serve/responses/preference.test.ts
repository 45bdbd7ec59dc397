import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefersOpenMetrics, prefersPage, takesGzip } from '../../../src/serve/responses/preference.ts';

describe('what a client would like to get', () => {
  it('is gzip when it says so, and is never guessed', () => {
    for (const [header, takes] of [
      [undefined, false],
      ['', false],
      ['gzip', true],
      ['GZIP', true],
      ['br, gzip;q=0.1', true],
      ['gzip;q=0', false],
      ['gzip; q=0.000', false],
      ['*', true],
      ['*;q=0', false],
      ['*, gzip;q=0', false],
      ['identity', false],
      ['x-gzip', true],
    ] as const) {
      assert.equal(takesGzip(header === undefined ? {} : { 'accept-encoding': header }), takes, header);
    }
  });

  it('is a page about an error only when it names HTML, and not below JSON', () => {
    for (const [accept, prefers] of [
      [undefined, false],
      ['*/*', false],
      ['text/*', false],
      ['text/html', true],
      ['application/xhtml+xml', true],
      ['application/json, text/html;q=0.5', false],
      ['text/html;q=0', false],
    ] as const) {
      assert.equal(prefersPage(accept === undefined ? {} : { accept }), prefers, accept);
    }
  });

  it('is OpenMetrics when it names it, and not below the plain format', () => {
    for (const [accept, prefers] of [
      [undefined, false],
      ['*/*', false],
      ['application/openmetrics-text; version=1.0.0', true],
      ['application/openmetrics-text;q=0.5,text/plain;version=0.0.4;q=0.9', false],
      ['application/openmetrics-text;q=nonsense', true],
    ] as const) {
      assert.equal(prefersOpenMetrics(accept === undefined ? {} : { accept }), prefers, accept);
    }
  });
});
