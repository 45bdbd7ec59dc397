import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import Client from 'undici/lib/dispatcher/client.js';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { startHttp, startHttps } from '../../../support/http-target.ts';
import { aMonitor, probeContext } from '../../../support/probing.ts';
import { createAuthority } from '../../../support/tls.ts';

const rounds = 60;

/** Milliseconds a round, one after the other, once everything is warm. */
async function time(work: () => Promise<void>): Promise<string> {
  for (let round = 0; round < rounds / 4; round += 1) await work();
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) await work();
  return ((performance.now() - startedAt) / rounds).toFixed(2);
}

/** One request with undici alone, over a connection of its own. */
function bareRequest(origin: string, ca?: string): Promise<void> {
  const client = new Client(origin, ca === undefined ? {} : { connect: { ca } });
  return new Promise((resolve, reject) => {
    client.dispatch(
      { path: '/', method: 'GET', reset: true },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: () => undefined,
        onResponseEnd: () => {
          void client.destroy();
          resolve();
        },
        onResponseError: (_controller, error) => {
          reject(error);
        },
      },
    );
  });
}

describe('the cost of an HTTP probe', () => {
  it('is measured against undici alone', async (t) => {
    const authority = createAuthority();
    const credentials = authority.issue({ names: ['127.0.0.1'] });
    const plain = await startHttp((_request, response) => response.end('{"status":"ok"}'));
    const secure = await startHttps((_request, response) => response.end('{"status":"ok"}'), credentials);
    const context = probeContext();
    const probe = (given: Partial<HttpMonitor>) => {
      const monitor = aMonitor('http', { tls_ca_file: authority.file, ...given });
      return async () => {
        assert.equal((await probeHttp(monitor, context)).outcome, 'healthy');
      };
    };
    const target = plain.origin;
    const json = { json_query: '$.status', json_expected: 'ok' };
    const costs = {
      'http, undici alone': await time(() => bareRequest(plain.origin)),
      'http probe': await time(probe({ target })),
      'http probe by name': await time(probe({ target: `http://localhost:${plain.port}` })),
      'http probe with keyword': await time(probe({ target, keyword: 'ok' })),
      'http probe with json_query': await time(probe({ target, ...json })),
      'http probe with match()': await time(probe({ target, json_query: "$[?match(@, 'o.')]" })),
      'https, undici alone': await time(() =>
        bareRequest(secure.origin, readFileSync(authority.file, 'utf8')),
      ),
      'https probe': await time(probe({ target: secure.origin })),
    };
    for (const [name, ms] of Object.entries(costs)) t.diagnostic(`${name}: ${ms} ms`);
    await Promise.all([plain.close(), secure.close()]);
    authority.remove();
  });
});
