import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { configDigestOf } from '../../src/commands/nodes/config-digest.ts';
import { load } from '../support/config.ts';
import { runHere } from '../support/operator-world.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';

const folder = makeFolder();
let up: Target;
let down: Target;

const monitor = (id: string, origin: string, more = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "${origin}/"\nprobe_retries = 0\n${more}`;

const run = (...args: readonly string[]) => runHere(args, { cwd: folder.path });

before(async () => {
  up = await startHttp((_, response) => response.end('ok'));
  down = await startHttp((_, response) => response.writeHead(503).end());
  mkdirSync(folder.at('conf.d'));
  writeFileSync(folder.at('statusd.toml'), `include = ["conf.d/*.toml"]\n\n${monitor('main', up.origin)}`);
  writeFileSync(
    folder.at('conf.d/team.toml'),
    `# of a team\n${monitor('shop', down.origin)}\n${monitor('blog', up.origin)}`,
  );
});
after(async () => {
  folder.remove();
  await Promise.all([up.close(), down.close()]);
});

describe('a configuration of several files', () => {
  it('is the same configuration for other nodes as one file of the same tables', async () => {
    const digest = async (text: string, part: string) => {
      const files = { '/etc/statusd/conf.d/a.toml': part };
      return configDigestOf((await load(text, { files })).config);
    };
    const [one, other] = [monitor('a', up.origin), monitor('b', up.origin)];
    const all = 'include = ["conf.d/*.toml"]\n';
    assert.equal(await digest(`${all}${one}`, other), await digest(`${one}${other}`, ''));
    assert.notEqual(
      await digest(`${all}${one}`, other),
      await digest(`${all}${one}`, `${other}slo_uptime = 99\n`),
    );
  });

  it('is checked as one, with the places of its own files', async () => {
    const { stdout, code } = await run('check', '--format', 'json');
    const { config, results } = JSON.parse(stdout) as { config: string; results: { id: string }[] };
    assert.deepEqual(
      [code, config, results.map(({ id }) => id)],
      [1, folder.at('statusd.toml'), ['main', 'shop', 'blog']],
    );
    const github = await run('check', '--format', 'github');
    assert.match(github.stdout, /^::error file=conf\.d\/team\.toml,line=2,col=1,title=shop is down::/m);
    const junit = await run('check', '--format', 'junit');
    assert.match(junit.stdout, /conf\.d\/team\.toml:2:1/);
    const tap = await run('check', '--format', 'tap');
    assert.match(tap.stdout, /at: "conf\.d\/team\.toml:2:1"/);
  });

  it('names the file of what is wrong in every format', async () => {
    writeFileSync(
      folder.at('conf.d/team2.toml'),
      `[[monitors]]\nid = "wiki"\ntarget = "${up.origin}"\nintervl_secs = 1\n`,
    );
    const human = await run('check', '--config-only');
    assert.equal(human.code, 3);
    assert.match(human.stdout + human.stderr, /conf\.d\/team2\.toml:4:1.* intervl_secs is an unknown key/);
    const json = JSON.parse((await run('check', '--config-only', '--format', 'json')).stdout) as {
      config: string;
      errors: { file: string; line: number }[];
    };
    assert.equal(json.config, folder.at('statusd.toml'));
    assert.deepEqual(
      json.errors.map(({ file, line }) => [file, line]),
      [[folder.at('conf.d/team2.toml'), 4]],
    );
    const serve = await run('plan');
    assert.match(serve.stderr, /statusd: conf\.d\/team2\.toml:4:1 {2}monitor "wiki": intervl_secs/);
    writeFileSync(folder.at('conf.d/team2.toml'), monitor('wiki', up.origin));
    writeFileSync(
      folder.at('conf.d/team3.toml'),
      '[[channels]]\nname = "x"\ntype = "discord"\nwebhook_url = ""\n',
    );
    const warned = await run('check', '--config-only');
    assert.equal(warned.code, 0);
    assert.match(
      warned.stdout + warned.stderr,
      /conf\.d\/team3\.toml:4:15.*channel "x": webhook_url is empty/,
    );
  });

  it('is added to in its main file, and has an id once', async () => {
    const taken = await run('add', `${up.origin}/new`, '--id', 'shop');
    assert.equal(taken.code, 2);
    assert.match(
      taken.stderr,
      /the id 'shop' is taken by the monitor 'shop'\n {2}Choose another with --id; conf\.d\/team\.toml, line 2 has it\./,
    );
    const watched = await run('add', `${down.origin}/`);
    assert.match(watched.stderr, /watched already, by the monitor 'shop'\n.*conf\.d\/team\.toml, line 2\./);
    const added = await run('add', `${up.origin}/new`, '--id', 'new');
    assert.equal(added.code, 0, added.stderr);
    assert.match(readFileSync(folder.at('statusd.toml'), 'utf8'), /^include = .*[\s\S]*id = "new"/);
    assert.doesNotMatch(readFileSync(folder.at('conf.d/team.toml'), 'utf8'), /new/);
  });

  it('is compared with another main file in its place', async () => {
    writeFileSync(folder.at('other.toml'), `include = ["conf.d/team.toml"]\n${monitor('main', up.origin)}`);
    const { stdout, code } = await run('plan', 'other.toml', '--json');
    const { stop, restart } = JSON.parse(stdout) as { stop: { id: string }[]; restart: unknown[] };
    assert.deepEqual([code, stop.map(({ id }) => id).toSorted(), restart], [0, ['new', 'wiki'], []]);
  });

  it('is counted by doctor', async () => {
    const { stdout } = await run('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { check: string; message: string }[] };
    assert.equal(
      checks.find(({ check }) => check === 'config')?.message,
      `${folder.at('statusd.toml')} and 3 included files: 5 monitors, 0 channels, 2 warnings`,
    );
  });

  it('is tested with settings laid over monitors of included files', async () => {
    writeFileSync(
      folder.at('shop.test.toml'),
      `config = "statusd.toml"
[[tests]]
name = "the shop is alerted late"
settings.monitors = [{ id = "shop", fail_threshold = 5 }]
series.shop = "down x3, up"
expect = []
`,
    );
    const { code, stdout, stderr } = await run('test', 'shop.test.toml');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /✓ the shop is alerted late/);
  });
});
