import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openWorld } from '../world.ts';

/** All rules of the linter's strictest preset; none is off. */
async function faultsOf(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function served(settings: string): Promise<string> {
  const world = await openWorld(settings);
  try {
    return (await world.ask('/api/openapi.json')).text;
  } finally {
    await world.close();
  }
}

describe('the linter of OpenAPI', () => {
  it('accepts the description as it is served, at the root and below a path', async () => {
    assert.deepEqual(await faultsOf(await served('')), []);
    assert.deepEqual(await faultsOf(await served('base_url = "https://example.org/up"')), []);
  });

  it('would not accept a nonsense key, an undeclared parameter, or two operations of one name', async () => {
    const source = await served('');
    for (const [right, wrong] of [
      ['"openapi":"3.1.0"', '"openapi":"3.1.0","nonsense":1'],
      ['"/api/push/{id}"', '"/api/push/{other}"'],
      ['"operationId":"getHistory"', '"operationId":"getMetrics"'],
      ['"type":"string"', '"type":"text"'],
    ] as const) {
      assert.ok(source.includes(right), right);
      assert.notDeepEqual(await faultsOf(source.replace(right, wrong)), [], wrong);
    }
  });
});
