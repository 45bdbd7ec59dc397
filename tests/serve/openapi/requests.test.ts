/** Requests made from the served description of the API, some that fit it and some that do not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { mailConfig, readerWrites } from '../../support/reader.ts';
import { openWorld, pastIncident, startAt, type World } from '../world.ts';
import { type MadeRequest, type Operation, operationsOf, requestOf } from './requests.ts';

const cases = casesOf(800, 20_000);
/** Nobody sends these, so an answer to a stranger that has one tells what it must not. */
const secrets = /Salt Vault|vault\.internal|operator-token|job-token|paris-token|Hidden work|We hide/;
const trace = /\n\s+at .*:\d+:\d+|node:internal|\/src\/|\.ts:\d|SqliteError|SQLITE/;

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000000
${mailConfig.head}${mailConfig.tail}
[[monitors]]
id = "web"
group = "front"
target = "https://example.com"

[[monitors]]
id = "vault"
name = "Salt Vault"
group = "cellar"
target = "https://vault.internal/health"
public = false

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[peers]]
id = "paris"
ping_url = "https://paris.example.com/api/push/here"
ping_token = "our-token"
listen_token = "paris-token"
`;

describe('requests made from the description of the API', () => {
  let world: World;
  let operations: readonly Operation[];
  before(async () => {
    world = await openWorld(config, {
      http: {
        probe: () =>
          Promise.resolve({
            outcome: 'failed',
            latencyMs: 12,
            category: 'timeout',
            reason: 'no answer',
          } as never),
      },
    });
    await world.store.write([
      ...pastIncident('web', 'seen'),
      ...pastIncident('vault', 'hidden'),
      incidentUpdates.add({
        uid: 'said',
        incident: 'hidden',
        at: startAt,
        state: null,
        message: 'We hide this.',
        author: null,
      }),
      maintenances.add({
        id: 1,
        uid: 'work',
        title: 'Hidden work',
        monitors: ['vault'],
        startAt,
        endAt: startAt + 3_600_000,
        createdAt: startAt,
      }),
      ...readerWrites(startAt),
    ]);
    operations = operationsOf((await world.ask('/api/openapi.json')).json());
  });
  after(() => world.close());

  const known = [
    'web',
    'job',
    'vault',
    'seen',
    'hidden',
    'front',
    'cellar',
    '1',
    '2026-06',
    'all',
    '1h',
    '10m',
  ];

  function credentialsOf({ security }: Operation): readonly Readonly<Record<string, string>>[] {
    const isFor = (scheme: string) => security.some((each) => scheme in each);
    return [
      {},
      ...(isFor('accessToken') ? [{ authorization: 'Bearer operator-token' }] : []),
      ...(isFor('pushToken') ? [{ 'x-push-token': 'job-token' }, { 'x-push-token': 'paris-token' }] : []),
    ];
  }

  it('are answered as it says, never by a fault of this side, and tell a stranger nothing', async () => {
    assert.ok(operations.length > 40);
    const seed = printedSeed();
    const random = randomOf(seed);
    const faults: string[] = [];
    const answered = new Map<string, Set<number>>();
    for (let turn = 0; turn < cases; turn += 1) {
      const operation = operations[turn % operations.length];
      assert.ok(operation);
      const made: MadeRequest = requestOf(operation, { random, known });
      const credentials = random.pick(credentialsOf(operation));
      const isPage = random.below(2) === 1;
      const headers = { ...made.headers, ...credentials, ...(isPage ? { accept: 'text/html' } : {}) };
      const what = `seed ${seed}, turn ${turn}: ${made.method} ${made.path} ${JSON.stringify(headers)} ${made.body ?? ''} (${made.flaw})`;
      const wrong = (why: string) => faults.push(`${what}: ${why}`);
      // It throws where the answer is not as the description says.
      const answer = await world
        .ask(made.path, {
          method: made.method,
          headers,
          ...(made.body === undefined ? {} : { body: made.body }),
        })
        .catch((error: unknown) => void wrong(String(error)));
      if (answer === undefined) continue;
      const { status, text } = answer;
      if (status >= 500 || trace.test(text)) wrong(`${status} ${text}`);
      if (Object.keys(credentials).length === 0 && secrets.test(text)) wrong('tells what is private');
      if (made.isValid && status === 400) wrong(`refused, though it fits: ${text}`);
      if (made.flaw.endsWith('does not fit') && status < 300) wrong('taken, though it does not fit');
      const name = `${operation.method} ${operation.path}`;
      answered.set(name, (answered.get(name) ?? new Set()).add(status));
    }
    assert.deepEqual(faults.slice(0, 20), [], `${faults.length} in all`);
    assert.deepEqual(
      world.logged.filter(({ level }) => level === 'error'),
      [],
    );
    // What is found, not only refused, is most of it.
    const met = [...answered.values()].filter((statuses) => [...statuses].some((status) => status < 400));
    assert.ok(met.length > operations.length / 2, `${met.length} of ${operations.length}`);
  });
});
