import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canaries, startWorld, type World } from '../../support/check-world.ts';
import { runCli, startCli } from '../../support/cli.ts';
import { runHere } from '../../support/operator-world.ts';

let world: World;
let empty: string;
before(async () => {
  world = await startWorld();
  empty = mkdtempSync(join(tmpdir(), 'statusd-probe-'));
});
after(async () => {
  await world.close();
  rmSync(empty, { recursive: true });
});

/** The program itself. */
const startProbe = (...args: readonly string[]) =>
  runCli(['probe', ...args], { cwd: world.folder, env: world.env });

/** The command from parsing to the exit code, within this process. */
const probe = (...args: readonly string[]) =>
  runHere(['probe', ...args], { cwd: world.folder, env: world.env });

/** The same where no configuration is. */
const probeAlone = (...args: readonly string[]) => runHere(['probe', ...args], { cwd: empty });

interface Json {
  readonly ok: boolean;
  readonly id: string | null;
  readonly status: string;
  readonly answer: { readonly body: string } | null;
  readonly assertions: readonly {
    readonly key: string;
    readonly met: boolean | null;
    readonly actual: string;
  }[];
  readonly tracks: readonly {
    readonly requests: readonly { readonly phases: readonly { readonly phase: string }[] }[];
  }[];
}
const json = async (...args: readonly string[]) =>
  JSON.parse((await probe(...args, '--json')).stdout) as Json;

describe('statusd probe', () => {
  it('ends with 0 when the monitor is up or degraded, with 1 when it is down', async () => {
    const codes = await Promise.all(['site', 'slow', 'closed-port', 'disk-gone'].map((id) => startProbe(id)));
    assert.deepEqual(
      codes.map(({ code }) => code),
      [0, 0, 1, 0],
    );
  });

  it('probes every kind with the settings of the monitor', async () => {
    const seen = await Promise.all(
      ['site', 'secure', 'port', 'wrong-name', 'disk-full'].map((id) => json(id)),
    );
    assert.deepEqual(
      seen.map(({ id, status, tracks }) => [
        id,
        status,
        tracks
          .flatMap(({ requests }) => requests.flatMap(({ phases }) => phases.map(({ phase }) => phase)))
          .join(),
      ]),
      [
        ['site', 'up', 'connect,wait,body'],
        ['secure', 'up', 'connect,tls,wait,body'],
        ['port', 'up', 'connect'],
        ['wrong-name', 'down', 'query'],
        ['disk-full', 'down', 'run'],
      ],
    );
    const [site, , , name] = seen;
    assert.deepEqual(
      site?.assertions.map(({ key, met }) => [key, met]),
      [
        ['expected_status', true],
        ['keyword', true],
      ],
    );
    assert.deepEqual(name?.assertions, [
      { key: 'dns_expected', met: false, expected: '192.0.2.2', actual: '192.0.2.1' },
    ]);
  });

  it('shows no secret, not even one that the target repeats', async () => {
    const texts = await Promise.all([
      probe('api'),
      probe('api', '--json'),
      probe('backup'),
      probe('backup', '--json'),
    ]);
    for (const { stdout, stderr } of texts) {
      for (const canary of canaries)
        assert.ok(!(stdout + stderr).includes(canary), `${canary} is in ${stdout}`);
    }
    assert.match(
      texts[0].stdout,
      /\$\{AUTHORIZATION\}.*\$\{X_API_KEY\}|\$\{X_API_KEY\}.*\$\{AUTHORIZATION\}/,
    );
  });

  it('reports how a push monitor is pushed', async () => {
    const { code, stdout } = await probe('backup');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /\$ curl -fsS -X POST -H "X-Push-Token: \$\{PUSH_TOKEN\}" \S+\/api\/push\/backup\n$/,
    );
  });

  it('ends with 5 for an unknown id, and names the nearest', async () => {
    const { code, stdout, stderr } = await startProbe('sit');
    assert.deepEqual([code, stdout], [5, '']);
    assert.match(stderr, /^statusd: there is no monitor 'sit'\n {2}Did you mean site\?/);
  });

  it('needs no configuration for a target', async () => {
    const origin = await world.http((_, response) => response.end('ok'));
    const { code, stdout, stderr } = await runCli(['probe', origin], { cwd: empty });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+\/ {2}http\n/);
    const port = await probeAlone(origin.replace('http://', ''));
    assert.equal(port.code, 0);
    assert.match(port.stdout, / {2}tcp\n/);
  });

  it('prints a curl line, as check does, that follows a redirect only as the probe did', async () => {
    const origin = await world.http(({ url }, response) => {
      if (url === '/ok') response.end('ok');
      else response.writeHead(302, { location: url === '/refused' ? 'ftp://a.example/' : '/ok' }).end();
    });
    for (const [path, expected] of [
      ['/refused', /\$ curl (?!.* -L ).*\/refused\n/],
      ['/followed', /\$ curl .* -L .*\/followed\n/],
    ] as const)
      assert.match((await probeAlone(origin + path)).stdout, expected);
    const file = join(empty, 'redirect.toml');
    writeFileSync(file, `[[monitors]]\nid = "a"\ntarget = "${origin}/refused"\n`);
    const checked = await runHere(['check', '--config', file], { cwd: empty });
    assert.match(checked.stdout, /\$ curl (?!.* -L ).*\/refused\n/);
  });

  it('explains that a word without a configuration is taken as a host', async () => {
    const { stderr } = await probeAlone('no-such-host-4711', '--json');
    assert.match(stderr, /^statusd: no configuration was found, so no-such-host-4711 is taken for a host\n$/);
  });

  it('takes a kind that is not that of the form', async () => {
    const origin = await world.http((_, response) => response.end('ok'));
    const { stdout } = await probeAlone(origin, '--kind', 'tcp', '--json');
    assert.match(stdout, /"kind":"tcp"/);
    const { code, stderr } = await probeAlone('a.example', '--kind', 'tpc');
    assert.equal(code, 2);
    assert.match(stderr, /Did you mean tcp\?/);
  });

  it('ends with 2 for an invalid target', async () => {
    for (const word of ['ftp://a.example', 'a b']) {
      assert.equal((await probeAlone(word)).code, 2, word);
    }
  });

  it('ends with 130 when it is interrupted', async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const origin = await world.http(() => {
      isAsked();
    });
    const { child, exited } = startCli(['probe', origin], { cwd: empty });
    await asked;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await exited;
    assert.deepEqual([code, stdout, stderr], [130, '', 'statusd: interrupted\n']);
  });
});
