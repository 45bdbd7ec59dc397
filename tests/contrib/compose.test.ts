/** The example of Docker Compose: what can be verified of it without Docker. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { configDigestOf } from '../../src/commands/nodes/config-digest.ts';
import { type LoadedConfig, loadConfig } from '../../src/engine/config/load.ts';
import { runCli } from '../support/cli.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
}

const folder = 'contrib/compose';
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const compose = read('compose.yaml');
const toml = read('config/statusd.toml');
const { services, volumes } = parse(compose, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const nodes = Object.entries(services).filter(([, { build }]) => build !== undefined);
const declared = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
const named = (text: string) => new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));

/** What a container is given: each variable of .env has a value that shows where it went. */
const environmentOf = (id: string) =>
  Object.fromEntries(
    Object.entries(services[id]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)[^}]*\}/, (_, variable: string) =>
        variable === 'NTFY_URL' ? 'https://ntfy.example/topic' : `the-${variable}`,
      ),
    ]),
  );

describe('the example of Docker Compose', () => {
  const loaded = new Map<string, LoadedConfig>();
  before(async () => {
    const readFile = (path: string) =>
      new Promise<Buffer>((resolve) => {
        resolve(readFileSync(path));
      });
    for (const [id] of nodes)
      loaded.set(
        id,
        await loadConfig(join(folder, 'config/statusd.toml'), { env: environmentOf(id), readFile }),
      );
  });

  it('has three nodes and their database, each with an address of its own', () => {
    assert.deepEqual(Object.keys(services), ['database', 'paris', 'oslo', 'rome']);
    assert.equal(nodes.length, 3);
    for (const [id, { environment }] of nodes) assert.equal(environment['STATUSD_NODE'], id);
    assert.equal(new Set(nodes.flatMap(([, { ports }]) => ports ?? [])).size, 3);
  });

  it('declares every variable that it uses, and none besides', () => {
    assert.deepEqual([...named(compose)].toSorted(), declared.toSorted());
    for (const [id, { environment }] of nodes) {
      const missing = [...named(toml)].filter((name) => !(name in environment));
      assert.deepEqual(missing, [], id);
    }
  });

  it('names files and volumes that are there', () => {
    for (const [, { build, volumes: mounted }] of nodes) {
      assert.ok(existsSync(join(folder, build?.context ?? '', build?.dockerfile ?? '')));
      for (const mount of mounted) assert.ok(existsSync(join(folder, mount.split(':')[0] ?? '')), mount);
    }
    for (const mount of services['database']?.volumes ?? [])
      assert.ok((mount.split(':')[0] ?? '') in volumes, mount);
    const [, manifests = ''] = /^COPY (package.*) \.\/$/m.exec(read('Dockerfile')) ?? [];
    for (const file of manifests.split(' ')) assert.ok(existsSync(file), file);
  });

  it('gives the nodes one configuration, with the addresses and the database of compose.yaml', () => {
    const configs = [...loaded].map(([id, { config }]) => ({ id, config }));
    assert.equal(new Set(configs.map(({ config }) => configDigestOf(config))).size, 1);
    const environment: Service['environment'] = services['database']?.environment ?? {};
    for (const { id, config } of configs) {
      assert.equal(config.node.id, id);
      assert.equal(config.node.url, `http://${id}:8787`);
      assert.equal(config.node.token?.reveal(), 'the-NODE_TOKEN');
      assert.equal(config.server.bind, '0.0.0.0:8787');
      assert.equal(
        config.storage?.url.reveal(),
        `postgres://${environment['POSTGRES_USER']}:the-DATABASE_PASSWORD@database/${environment['POSTGRES_DB']}`,
      );
      for (const monitor of config.monitors)
        if (monitor.kind !== 'push') assert.ok(monitor.nodes.every((name) => loaded.has(name)));
    }
    for (const [, { ports }] of nodes) assert.match(ports?.[0] ?? '', /^127\.0\.0\.1:\d+:8787$/);
  });

  it('has a configuration without warnings, as `statusd check` says', async () => {
    for (const [id, { warnings }] of loaded) assert.deepEqual(warnings, [], id);
    const { code, stdout, stderr } = await runCli(
      ['check', '--config-only', '-c', join(folder, 'config/statusd.toml')],
      { cwd: process.cwd(), env: environmentOf('paris') },
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /statusd\.toml is valid\n$/);
  });
});
