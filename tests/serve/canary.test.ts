import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../src/db/tables/incidents.ts';
import { routes } from '../../src/serve/routes/all.ts';
import { openWorld, startAt, type World } from './world.ts';

const canaries = {
  auth: 'canary-auth-3f9a1c',
  group: 'canary-group-7b2e4d',
  push: 'canary-push-91c0aa',
  peer: 'canary-peer-55d1e0',
  hook: 'canary-hook-c7781f',
};

const config = `
auth_token = "${canaries.auth}"
group_tokens = { infra = "${canaries.group}" }
rate_limit_burst = 100000

[[channels]]
name = "ops"
type = "webhook"
url = "https://hooks.example.com/services/${canaries.hook}"

[[peers]]
id = "node-b"
listen_token = "${canaries.peer}"

[[monitors]]
id = "job"
kind = "push"
push_token = "${canaries.push}"
group = "infra"
public_error_detail = true
`;

const inAddress = {};

/** Requests that carry every secret in every place a request has. */
async function provoke(world: World): Promise<string[]> {
  const seen: string[] = [];
  const keep = ({ headers, text }: Awaited<ReturnType<World['ask']>>, sent: string | null = null) => {
    // Links keep a token that was in the address of their page: it is nobody's but the reader's.
    const other =
      sent === null
        ? text
        : text.replaceAll(/ href="[^"]*[?&;]token=([^"&]*)"/g, (link, token) => (token === sent ? '' : link));
    seen.push(other, JSON.stringify([...headers]));
  };
  for (const secret of Object.values(canaries)) {
    const everywhere = { authorization: `Bearer ${secret}`, 'x-push-token': secret };
    for (const { method, path } of routes) {
      const address = path
        .replace('{id}', 'job')
        .replace('{group}', 'infra')
        .replace('{month}', '2026-06')
        .replace('{uid}', 'u1');
      const query = `token=${secret}&msg=${secret}&title=${secret}&body=${secret}&reason=${secret}`;
      const rest = '&monitors=all&duration=1m';
      const body = JSON.stringify({
        title: secret,
        message: secret,
        dedup_key: secret,
        tags: { [secret]: secret },
      });
      for (const headers of [inAddress, everywhere]) {
        const sent = { method, headers, ...(method === 'POST' ? { body } : {}) };
        const isInAddress = headers === inAddress ? secret : null;
        keep(await world.ask(`${address}?${query}${rest}`, sent), isInAddress);
        keep(await world.ask(`${address}?${query}`, { method: 'PUT', headers }), isInAddress);
      }
      const strange = path.replace(/\{\w+\}/, secret);
      keep(
        await world.ask(
          `${strange}?hours=${secret}&limit=${secret}&status=${secret}&style=${secret}&before=${secret}&group=${secret}&width=${secret}`,
        ),
      );
    }
    keep(await world.ask(`/${secret}?token=${secret}`), secret);
    seen.push(await world.raw(`GET /${secret} HTTP/1.1 ${secret}\r\nX: ${secret}\r\n\r\n`));
  }
  return seen;
}

describe('secrets of the configuration', () => {
  it('are in nothing that is served, stored or logged, for any client and any request', async () => {
    const world = await openWorld(config);
    try {
      await world.store.write([
        incidents.open({
          uid: 'u1',
          monitor: 'job',
          name: 'job',
          startedAt: startAt,
          confirmedAt: startAt,
          category: 'timeout',
          reason: 'no answer',
          cause: null,
          impacted: [],
          snapshot: null,
          vantage: null,
        }),
      ]);
      const seen = await provoke(world);
      world.engine.refusal = new Error(`broke with ${canaries.push}`);
      seen.push(...(await provoke(world)));
      const stored = world.store.sql
        .all("SELECT name FROM sqlite_master WHERE type = 'table'", [], (row) => row.text('name'))
        .flatMap((table) =>
          world.store.sql
            .all(`SELECT name FROM pragma_table_info('${table}')`, [], (row) => row.text('name'))
            .flatMap((column) =>
              world.store.sql.all(`SELECT quote("${column}") AS value FROM "${table}"`, [], (row) =>
                row.text('value'),
              ),
            ),
        );
      const logged = world.logged.map((entry) => JSON.stringify(entry));
      assert.ok(logged.length > 0);
      assert.ok(
        stored.some((value) => value.includes('***')),
        'nothing that was sent is stored: the test proves nothing',
      );
      for (const [name, secret] of Object.entries(canaries)) {
        for (const [where, texts] of Object.entries({
          seen,
          stored,
          logged,
          heartbeats: [JSON.stringify(world.engine.heartbeats)],
        })) {
          const leak = texts.find((text) => text.includes(secret));
          assert.equal(leak, undefined, `${name} is ${where}`);
        }
      }
    } finally {
      await world.close();
    }
  });
});
