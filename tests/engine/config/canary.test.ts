import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError, describeProblems, sentence } from '../../../src/engine/config/problem.ts';
import { allSections, heading, tablesOf } from '../../../src/engine/config/sections.ts';
import { load } from '../../support/config.ts';

const canary = 'cAnArY-7f3d9b';

interface Secret {
  readonly section: string;
  readonly heading: string;
  readonly key: string;
  /** The lines of a table that is right but for the secret. */
  readonly frame: readonly string[];
  readonly isTable: boolean;
  readonly isUrl: boolean;
}

/** Every secret row of every section, each in a table with what else it must have. */
const secrets: readonly Secret[] = allSections.flatMap((section) =>
  tablesOf(section).flatMap(([variant, rows]) =>
    Object.entries(rows)
      .filter(([, row]) => row.type.isSecret)
      .map(([key, { type }]) => ({
        section: section.name,
        heading: heading(section),
        key,
        frame: [
          ...('by' in section ? [`${section.by} = "${variant ?? ''}"`] : []),
          ...Object.entries(rows)
            .filter(([other, row]) => other !== key && row.fallback.kind === 'required')
            .filter(([other]) => !('by' in section && other === section.by))
            .map(([other, row]) => `${other} = ${row.example}`),
        ],
        isTable: type.schema['type'] === 'object',
        isUrl: JSON.stringify(type.schema).includes('://'),
      })),
  ),
);

/** Ways to get a secret wrong, as TOML for the lines of its table. */
function mistakes({ key, isTable, isUrl }: Secret): readonly string[] {
  const text = isUrl ? `https://${canary}.example.com/${canary}?token=${canary}` : canary;
  const value = isTable ? `{ g = "${text}" }` : `"${text}"`;
  return [
    `${key} = ${value}\ncolour = 1`,
    `${key} = ${value}\n${key} = 2`,
    `${key} = ${value} x`,
    `${key} = "${text}`,
    `${key} = ${text}`,
    `${key} = '${text}'''`,
    `${key} = "${text}\\q"`,
    `${key} = ["${text}"]`,
    `${key} = { a = { b = "${text}" } }`,
    `${key} = [[["${text}"]]]`,
    `${key} = """\n${text}\n${text}\n"""`,
    `${key} = "\${${text}"`,
    `${key} = "\${CANARY}\${"`,
    `${key} = "ftp://${text}:${text}@host/${text}"`,
    `${key} = " ${text} \\u0000"`,
    `${key} = ${value}\n${key}_file = "/canary"`,
    `${key}_file = "/twice"`,
    `${key}_file = "/other"`,
    `${key.slice(0, -1)} = ${value}`,
    `${key}s = ${value}`,
    `x${key}x = ${value}`,
    `"${key}" = ${value}\n[${key}]\na = "${text}"`,
  ];
}

function everythingReported(error: unknown): string {
  assert.ok(error instanceof Error);
  const chain: string = inspect(error, { depth: 20, showHidden: true });
  const parts = [error.message, error.stack ?? '', String(error), chain, JSON.stringify(error)];
  if (error instanceof ConfigError) parts.push(describeProblems(error), JSON.stringify(error.problems));
  return parts.join('\n');
}

const files = { '/canary': canary, '/twice': `${canary}\n${canary}\n`, '/other': `a = "${canary}` };
const world = { env: { CANARY: canary, NTFY_TOPIC: 'topic' }, files };

describe('a secret', () => {
  it('is every key that the interface names one', () => {
    const names = new Set(secrets.map(({ section, key }) => `${section}.${key}`));
    assert.deepEqual([...names].sort(), [
      'channels.api_key',
      'channels.key',
      'channels.pass',
      'channels.password',
      'channels.routing_key',
      'channels.secret',
      'channels.token',
      'channels.url',
      'channels.user',
      'channels.webhook_url',
      'health.heartbeat_url',
      'monitors.push_token',
      'node.token',
      'outputs.headers',
      'peers.listen_token',
      'peers.ping_token',
      'peers.ping_url',
      'server.auth_token',
      'server.group_tokens',
      'storage.url',
    ]);
  });

  for (const secret of secrets) {
    it(`is given in no error: ${secret.heading} ${secret.key}, ${secret.frame[0] ?? ''}`, async () => {
      let failures = 0;
      for (const mistake of mistakes(secret)) {
        const toml = [secret.heading, ...secret.frame, mistake].join('\n');
        try {
          const { config, warnings, redact } = await load(toml, world);
          const shown = [inspect(config, { depth: 20 }), JSON.stringify(config), ...warnings.map(sentence)];
          assert.ok(!shown.join('\n').includes(canary), `shown by: ${mistake}`);
          const whole = mistake.includes('/other') ? files['/other'] : canary;
          assert.ok(!redact(`a ${whole} b`).includes(canary), `not masked: ${mistake}`);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          failures += 1;
          assert.ok(!everythingReported(error).includes(canary), `${mistake}\n${everythingReported(error)}`);
        }
      }
      assert.ok(failures >= 15, `most of the mistakes are errors, not only ${failures}`);
    });
  }

  it('is given in no error when it is in a request', async () => {
    const monitor = '[[monitors]]\nid = "web"\n';
    const broken = [
      `${monitor}target = "ftp://user:${canary}@example.com"`,
      `${monitor}target = "https://user:${canary}@exa mple.com"`,
      `${monitor}target = "https://example.com"\nheaders = { Authorization = "Bearer ${canary}\\n" }`,
      `${monitor}target = "https://example.com"\nheaders = { Authorization = "${canary}ł" }`,
      `${monitor}target = "https://example.com"\nheaders = "Authorization: ${canary}"`,
      `${monitor}target = "https://example.com"\nbody = ["${canary}"]`,
      `${monitor}target = "https://example.com"\nproxy = "socks9://a:${canary}@example.com"`,
      `${monitor}kind = "tcp"\ntarget = "${canary}"`,
      `${monitor}kind = "exec"\ncommand = "check ${canary}"`,
      `${monitor}target = "https://example.com"\nnumber_regex = "(${canary}"`,
      `${monitor}target = "https://example.com"\njson_query = "${canary}"`,
      `${monitor}target = "https://example.com"\nmethod = "${canary} x"`,
      `[digest]\nschedule = "${canary}"`,
      `[server]\nbind = "${canary}"`,
      `[[maintenance]]\ntitle = "x"\nstart = "${canary}"\nend = "${canary}"`,
    ];
    for (const toml of broken) {
      await assert.rejects(load(toml, world), (error) => {
        assert.ok(!everythingReported(error).includes(canary), everythingReported(error));
        return true;
      });
    }
  });

  it('would be seen, if one were given', async () => {
    await assert.rejects(load(`[page]\n${canary} = 1`), (error) =>
      everythingReported(error).includes(canary),
    );
  });
});
