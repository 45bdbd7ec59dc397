import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openapiOf } from '../../../src/serve/openapi/document.ts';
import { routes } from '../../../src/serve/routes/all.ts';
import { faultsOf } from '../contract.ts';
import { openWorld } from '../world.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Table = Record<string, Json>;

const document = JSON.parse(JSON.stringify(openapiOf(routes, { version: '1.2.3', server: '/up' }))) as Table;
const paths = document['paths'] as Record<string, Record<string, Table>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every object in the document, with where it stands. */
function* tablesIn(value: Json, at = '#'): Generator<{ readonly at: string; readonly table: Table }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { at, table: value };
  for (const [key, inner] of Object.entries(value)) yield* tablesIn(inner, `${at}/${key}`);
}

/** The keys that OpenAPI 3.1 knows at a place, as far as this document goes there. */
const known: readonly (readonly [place: RegExp, keys: readonly string[]])[] = [
  [/^#$/, ['openapi', 'info', 'servers', 'paths', 'components']],
  [/^#\/info$/, ['title', 'version', 'summary', 'description', 'license']],
  [
    /^#\/paths\/[^/]+(?:\/[^/]*)*\/(?:get|post|delete)$/,
    ['operationId', 'summary', 'security', 'parameters', 'requestBody', 'responses'],
  ],
  [/\/parameters\/\d+$/, ['name', 'in', 'description', 'required', 'allowEmptyValue', 'schema']],
  [/\/responses\/(?:\d{3}|[A-Z]\w+)$/, ['$ref', 'description', 'headers', 'content']],
  [/^#\/components\/headers\/[^/]+$/, ['required', 'description', 'schema']],
  [/\/requestBody$/, ['description', 'required', 'content']],
  [/\/content\/[a-z]+\/[^/]+$/, ['schema']],
  [/\/securitySchemes\/\w+$/, ['type', 'scheme', 'in', 'name', 'description']],
];

describe('the OpenAPI document', () => {
  it('has every route, and a name for each that no other has', () => {
    assert.deepEqual(
      operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(),
      routes.map(({ path, method }) => `${method} ${path}`).sort(),
    );
    const names = operations.map(({ operation }) => operation['operationId']);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.ok(typeof name === 'string' && /^[a-z][A-Za-z0-9]*$/.test(name));
  });

  it('says which OpenAPI, which version and which licence', () => {
    assert.equal(document['openapi'], '3.1.0');
    assert.deepEqual((document['info'] as Table)['version'], '1.2.3');
    assert.deepEqual((document['info'] as Table)['license'], { name: 'MIT', identifier: 'MIT' });
    assert.deepEqual(document['servers'], [{ url: '/up' }]);
  });

  it('uses no key that has no meaning at its place', () => {
    for (const { at, table } of tablesIn(document)) {
      const keys = known.find(([place]) => place.test(at))?.[1];
      if (keys === undefined) continue;
      for (const key of Object.keys(table)) assert.ok(keys.includes(key), `${at}/${key}`);
    }
  });

  it('declares exactly the parameters that a path has, and each only once', () => {
    for (const { path, operation } of operations) {
      const parameters = (operation['parameters'] ?? []) as Table[];
      const inPath = parameters.filter((parameter) => parameter['in'] === 'path');
      assert.deepEqual(
        inPath.map(({ name }) => name),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        path,
      );
      assert.ok(inPath.every(({ required }) => required === true));
      assert.equal(new Set(parameters.map(({ name }) => name)).size, parameters.length);
      for (const parameter of parameters) assert.ok(parameter['description'] !== '' && parameter['schema']);
    }
  });

  it('describes a success and a refusal of every route', () => {
    for (const { path, operation } of operations) {
      const responses = operation['responses'] as Record<string, Table>;
      assert.ok(
        Object.keys(responses).some((status) => status.startsWith('2')),
        path,
      );
      assert.ok(
        Object.keys(responses).some((status) => status.startsWith('4')),
        path,
      );
      for (const response of Object.values(responses)) {
        assert.ok('$ref' in response || typeof response['description'] === 'string');
      }
    }
  });

  it('refers only to what it has', () => {
    for (const { at, table } of tablesIn(document)) {
      const ref = table['$ref'];
      if (typeof ref !== 'string') continue;
      const target = ref
        .split('/')
        .slice(1)
        .reduce<Json>((part, step) => (part as Table)[step] ?? null, document);
      assert.notEqual(target, null, at);
    }
    const schemes = Object.keys((document['components'] as Table)['securitySchemes'] as Table);
    for (const { operation } of operations) {
      for (const requirement of operation['security'] as Table[]) {
        for (const name of Object.keys(requirement)) assert.ok(schemes.includes(name), name);
      }
    }
  });

  it('is served to anyone, the same to all, and not limited', async () => {
    const world = await openWorld('auth_token = "operator-token"\nrate_limit_burst = 1');
    try {
      const anybody = await world.ask('/api/openapi.json');
      const insider = await world.ask('/api/openapi.json', {
        headers: { authorization: 'Bearer operator-token' },
      });
      assert.equal(anybody.text, insider.text);
      assert.equal(insider.headers.get('x-ratelimit-limit'), null);
      const { paths: served } = anybody.json() as { readonly paths: object };
      assert.deepEqual(Object.keys(served), Object.keys(paths));
    } finally {
      await world.close();
    }
  });
});

describe('the check that every answer in these tests goes through', () => {
  const headers = new Map([
    ['content-security-policy', "default-src 'none'"],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['x-request-id', 'id'],
    ['content-type', 'application/json'],
    ['x-ratelimit-limit', '30'],
    ['x-ratelimit-remaining', '29'],
    ['x-ratelimit-reset', '1'],
  ]);
  const seen = (path: string, status: number, text: string) =>
    faultsOf({ method: 'GET', path, status, text, header: (name) => headers.get(name) ?? null });

  it('finds a status, a type, a shape and a header that are not as described', () => {
    const right = '{"incidents":[],"next":null}';
    assert.deepEqual(seen('/api/incidents', 200, right), []);
    assert.notDeepEqual(seen('/api/incidents', 201, right), []);
    assert.notDeepEqual(seen('/api/incidents', 200, '{"incidents":[]}'), []);
    assert.notDeepEqual(seen('/', 200, '{}'), []);
    assert.notDeepEqual(seen('/nothing', 200, '{}'), []);
    headers.delete('x-ratelimit-reset');
    assert.deepEqual(seen('/api/incidents', 200, right), [
      'GET /api/incidents 200 without x-ratelimit-reset',
    ]);
  });
});
