import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { loadConfig, parseConfig } from '../../../src/engine/config/load.ts';
import { ConfigError, describeProblems, sentence } from '../../../src/engine/config/problem.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { load, problemsOf, type World } from '../../support/config.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = '/etc/statusd';
const all = 'include = ["conf.d/*.toml"]\n';

function monitor(id: string, more = ''): string {
  return `[[monitors]]\nid = "${id}"\ntarget = "https://example.com/${id}"\n${more}`;
}

/** Files by their path from the folder of the main file. */
function world(files: Readonly<Record<string, string | Uint8Array>>, env: World['env'] = {}): World {
  const paths = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text] as const);
  return { env, files: Object.fromEntries(paths) };
}

/** `statusd.toml:1:12  include[0]: …`, a line each. */
async function linesOf(toml: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const problems = await problemsOf(toml, world(files));
  return problems.map(
    ({ fileName, line, column, ...rest }) => `${fileName}:${line}:${column}  ${sentence(rest)}`,
  );
}

describe('included files', () => {
  it('add monitors, channels and maintenance behind those of the main file, sorted by name', async () => {
    const { config, included, warnings } = await load(
      `${all}${monitor('main')}`,
      world({
        'conf.d/b.toml': `${monitor('b1')}${monitor('b2')}`,
        'conf.d/a.toml': `${monitor('a', 'notify = ["chat"]\n')}[[channels]]\nname = "chat"\ntype = "slack"\nwebhook_url = "https://hooks.slack.com/services/a"\n`,
        'conf.d/c.toml':
          '[[maintenance]]\ntitle = "Move"\nstart = 2026-12-01T22:00:00Z\nend = 2026-12-01T23:00:00Z\nmonitors = ["b2"]\n',
        'conf.d/notes.txt': 'not read',
        'conf.d/.#a.toml': 'not read',
      }),
    );
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['main', 'a', 'b1', 'b2'],
    );
    assert.deepEqual(
      config.channels.map(({ name }) => name),
      ['chat'],
    );
    assert.equal(config.maintenance.length, 1);
    assert.deepEqual(included, [
      `${folder}/conf.d/a.toml`,
      `${folder}/conf.d/b.toml`,
      `${folder}/conf.d/c.toml`,
    ]);
  });

  it('come in the order of include, and each once', async () => {
    const files = { 'z.toml': monitor('z'), 'conf.d/a.toml': monitor('a'), 'conf.d/b.toml': monitor('b') };
    const { config } = await load('include = ["z.toml", "conf.d/b.toml", "conf.d/?.toml", "*.toml"]\n', {
      ...world({ ...files, 'statusd.toml': 'not read again' }),
    });
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['z', 'b', 'a'],
    );
  });

  it('may be none, where a pattern matches none', async () => {
    const { warnings, included } = await load(`${all}${monitor('main')}`);
    assert.deepEqual([warnings, included], [[], []]);
  });

  it('of a folder that is not there add nothing, which is a warning', async () => {
    const disk = makeFolder();
    try {
      const tools = { file: disk.at('statusd.toml'), env: {}, readFile: readSmallFile };
      const { warnings } = await parseConfig(`include = ["config.d/*.toml"]\n${monitor('main')}`, tools);
      assert.deepEqual(warnings.map(sentence), [
        `include[0]: names files in "${disk.at('config.d')}", which does not exist; make the folder, or mend the path`,
      ]);
      mkdirSync(disk.at('config.d'));
      assert.deepEqual(
        (await parseConfig(all.replace('conf.d', 'config.d') + monitor('main'), tools)).warnings,
        [],
      );
    } finally {
      disk.remove();
    }
  });

  it('have variables, secrets in files and statusd.env as the main file has', async () => {
    const { config, redact } = await load(
      all,
      world(
        {
          'conf.d/a.toml':
            '[[monitors]]\nid = "a"\ntarget = "https://${NAME}.example.com"\nheaders = { Authorization = "Bearer ${TOKEN}" }\n[[monitors]]\nid = "job"\nkind = "push"\npush_token_file = "secrets/job"\n',
          'secrets/job': 'job-token-1\n',
          'statusd.env': 'TOKEN=token-of-env\n',
        },
        { NAME: 'web' },
      ),
    );
    const [web] = config.monitors;
    assert.equal(web?.kind === 'http' && web.target, 'https://web.example.com');
    assert.equal(redact('job-token-1 and token-of-env'), '*** and ***');
  });

  it('may be named with variables', async () => {
    const { config } = await load('include = ["${PLACE}.toml"]\n', {
      ...world({ 'berlin.toml': monitor('b'), 'statusd.env': 'PLACE=berlin\n' }),
    });
    assert.equal(config.monitors.length, 1);
  });

  it('are read in parallel', async () => {
    let underWay = 0;
    let most = 0;
    const names = Array.from({ length: 20 }, (_, index) => `${folder}/conf.d/${index}.toml`);
    await parseConfig(all, {
      file: `${folder}/statusd.toml`,
      env: {},
      listMatches: () => Promise.resolve(names),
      readFile: async (path) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return Buffer.from(monitor(path.replace(/\D/g, '')));
      },
    });
    assert.ok(most > 1 && most <= 8, String(most));
  });

  it('leave the event loop to others between them', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`conf.d/${index}.toml`, monitor(`m${index}`)]),
    );
    const { files: content = {} } = world(files);
    let turns = 0;
    await parseConfig(all, {
      file: `${folder}/statusd.toml`,
      env: {},
      listMatches: () => Promise.resolve(Object.keys(content)),
      readFile: (path) => Promise.resolve(Buffer.from(content[path] ?? '')),
      yieldTurn: () => {
        // Before the tables are read, one at least for each file.
        turns += 1;
        return Promise.resolve();
      },
    });
    assert.ok(turns >= 3 * 30, String(turns));
  });

  it('are found and read on the disk', async () => {
    const place = makeFolder();
    after(place.remove);
    mkdirSync(place.at('conf.d'));
    writeFileSync(place.at('statusd.toml'), all);
    writeFileSync(place.at('conf.d/b.toml'), monitor('b'));
    writeFileSync(place.at('conf.d/a.toml'), monitor('a'));
    writeFileSync(place.at('conf.d/a.toml~'), 'not read');
    const { config } = await loadConfig(place.at('statusd.toml'), { env: {}, readFile: readSmallFile });
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['a', 'b'],
    );
  });
});

describe('the places of included files', () => {
  it('are those of their own lines', async () => {
    const text = `${all}\n${monitor('main')}`;
    const files = {
      'conf.d/a.toml': monitor('a'),
      'conf.d/b.toml': `# one\n${monitor('b')}\n${monitor('c')}`,
    };
    const { locate } = await load(text, world(files));
    const place = async (...path: (string | number)[]) => {
      const { file, fileName, line, column } = await locate(path);
      return [file.slice(folder.length + 1), fileName, line, column];
    };
    assert.deepEqual(await place('monitors', 0), ['statusd.toml', 'statusd.toml', 3, 1]);
    assert.deepEqual(await place('monitors', 1, 'id'), ['conf.d/a.toml', 'conf.d/a.toml', 2, 6]);
    assert.deepEqual(await place('monitors', 3, 'target'), ['conf.d/b.toml', 'conf.d/b.toml', 8, 10]);
    assert.deepEqual(await place('include', 0), ['statusd.toml', 'statusd.toml', 1, 12]);
  });

  it('count as the file does in which a table stands', async () => {
    const nameless = '[[monitors]]\ntarget = "https://example.com"\n';
    const [problem] = await problemsOf(
      `${all}${monitor('main')}`,
      world({ 'conf.d/a.toml': monitor('a'), 'conf.d/b.toml': nameless }),
    );
    assert.deepEqual(
      [problem?.fileName, problem?.line, problem?.path, problem?.subject],
      ['conf.d/b.toml', 1, 'monitors[0].id', 'monitors[0].id:'],
    );
  });

  it('stand before what is wrong there, after what is wrong in the main file', async () => {
    const files = {
      'conf.d/b.toml': '[[monitors]]\nid = "b"\ntarget = "nonsense"\n',
      'conf.d/a.toml': monitor('a', 'depends_on = ["c"]\nintervl_secs = 5\n'),
    };
    assert.deepEqual(
      (await linesOf(`${all}\n\n\n[server]\nbind = 1\n`, files)).map((line) => line.slice(0, 50)),
      [
        'statusd.toml:6:8  server.bind: must be host:port, ',
        'conf.d/a.toml:4:15  monitor "a": depends_on[0] nam',
        'conf.d/a.toml:5:1  monitor "a": intervl_secs is an',
        'conf.d/b.toml:3:10  monitor "b": target must be a ',
      ],
    );
  });
});

describe('the mistakes of all files are listed at once', () => {
  const main = `${all}\n[server]\nbind = 1\n${monitor('main', 'intervl_secs = 5\ndepends_on = ["a"]\nnotify = ["chat"]\n')}`;
  const ofMain = [
    'statusd.toml:4:8  server.bind: must be host:port, not an inte',
    'statusd.toml:8:1  monitor "main": intervl_secs is an unknown',
  ];
  const heads = async (toml: string, files: Parameters<typeof linesOf>[1]) =>
    (await linesOf(toml, files)).map((line) => line.slice(0, 61).trimEnd());

  it('where an included file is no TOML, and what may be in it is not missed', async () => {
    const files = {
      'conf.d/a.toml': `${monitor('a')}name = \n`,
      'conf.d/b.toml': monitor('b', 'depends_on = ["a", "b"]\ntimeout_secs = 0\n'),
    };
    assert.deepEqual(await heads(main, files), [
      ...ofMain,
      'conf.d/a.toml:4:8  here should be a value; text needs quotati',
      'conf.d/b.toml:4:20  monitor "b": depends_on[1] makes a cycle:',
      'conf.d/b.toml:5:16  monitor "b": timeout_secs must be an inte',
    ]);
  });

  it('where an included file has what it cannot have', async () => {
    const files = {
      'conf.d/a.toml': `[page]\ntitle = "A"\n${monitor('a', 'timeout_secs = 0\n')}[[channel]]\nname = "chat"\n`,
    };
    assert.deepEqual(await heads(main, files), [
      ...ofMain,
      'conf.d/a.toml:1:1  page: cannot be set in an included file; m',
      'conf.d/a.toml:6:16  monitor "a": timeout_secs must be an inte',
      'conf.d/a.toml:7:1  channel: is an unknown section; did you me',
    ]);
  });

  it('where an included file is not there', async () => {
    assert.deepEqual(await heads(main.replace('conf.d/*.toml', 'gone.toml'), {}), [
      'statusd.toml:1:12  include[0]: names "gone.toml", which does',
      ...ofMain,
    ]);
  });

  it('and what nothing has is missed where all files are read', async () => {
    assert.deepEqual(await heads(main, { 'conf.d/b.toml': monitor('b', 'timeout_secs = 0\n') }), [
      ...ofMain,
      'statusd.toml:9:15  monitor "main": depends_on[0] names no mon',
      'statusd.toml:10:11  monitor "main": notify[0] names no channe',
      'conf.d/b.toml:4:16  monitor "b": timeout_secs must be an inte',
    ]);
  });
});

describe('an included file is refused', () => {
  it('with what belongs in the main file', async () => {
    assert.deepEqual(
      await linesOf(all, {
        'conf.d/a.toml': `include = ["b.toml"]\n${monitor('a')}\n[server]\nbind = ":1"\n[[peers]]\nid = "b"\n`,
        'conf.d/b.toml': '[[monitor]]\nid = "b"\n[[nonsense]]\n',
      }),
      [
        'conf.d/a.toml:1:1  include: cannot be set in an included file; set include in statusd.toml',
        'conf.d/a.toml:6:1  server: cannot be set in an included file; move [server] to statusd.toml',
        'conf.d/a.toml:8:1  peers: cannot be set in an included file; move [[peers]] to statusd.toml',
        'conf.d/b.toml:1:1  monitor: is an unknown section; did you mean [[monitors]]?',
        'conf.d/b.toml:3:1  nonsense: is an unknown section; there are monitors, channels, maintenance',
      ],
    );
  });

  it('when it is no TOML, no text, or not there', async () => {
    assert.deepEqual(
      await linesOf(
        'include = [\n  "conf.d/*.toml",\n  "gone.toml",\n  "statusd.toml",\n  "*/a.toml",\n]\n',
        {
          'conf.d/a.toml': `${monitor('a')}name = \n`,
          'conf.d/b.toml': Uint8Array.of(0xff, 0xfe, 0x00),
        },
      ),
      [
        'statusd.toml:3:3  include[1]: names "gone.toml", which does not exist',
        'statusd.toml:4:3  include[2]: names this file itself; remove it',
        'statusd.toml:5:3  include[3]: has * or ? in the name of a folder; use them in the name of the file: "conf.d/*.toml"',
        'conf.d/a.toml:4:8  here should be a value; text needs quotation marks',
        'conf.d/b.toml:1:1  the file is UTF-16; save it as UTF-8',
      ],
    );
  });

  it('when it has one table where a list belongs', async () => {
    assert.deepEqual(
      await linesOf(all, { 'conf.d/a.toml': '[monitors]\nid = "a"\ntarget = "https://example.com"\n' }),
      ['conf.d/a.toml:1:1  monitors: must be an array of tables, not a table; write [[monitors]] above each'],
    );
  });

  it('when an id or a name is taken, naming both places', async () => {
    const channel =
      '[[channels]]\nname = "chat"\ntype = "slack"\nwebhook_url = "https://hooks.slack.com/services/a"\n';
    assert.deepEqual(
      await linesOf(`${all}${monitor('web')}`, {
        'conf.d/a.toml': `${monitor('web')}${channel}`,
        'conf.d/b.toml': `\n${channel}`,
      }),
      [
        'conf.d/a.toml:2:6  monitor "web": id is used by an earlier monitor: "web", at statusd.toml:3; choose another id',
        'conf.d/b.toml:3:8  channel "chat": name is used by an earlier channel: "chat", at conf.d/a.toml:5; choose another name',
      ],
    );
  });

  it('when all files together are larger than 64 MiB', async () => {
    const large = new Uint8Array(24 * 1024 * 1024).fill(0x0a);
    assert.deepEqual(
      await linesOf(all, { 'conf.d/a.toml': large, 'conf.d/b.toml': large, 'conf.d/c.toml': large }),
      [
        'statusd.toml:1:12  include[0]: names "conf.d/c.toml", with which the configuration is larger than 64 MiB; is it the right file?',
      ],
    );
  });

  it('where its pattern is no array of texts, or stands in a table', async () => {
    assert.deepEqual(await linesOf('include = "conf.d/*.toml"\n', {}), [
      'statusd.toml:1:11  include: must be an array of paths, not a string; write it in square brackets',
    ]);
    assert.deepEqual(await linesOf(`[page]\n${all}${monitor('a')}`, {}), [
      'statusd.toml:2:1  page.include: is no key of [page]; write it above the first [table] of the file',
    ]);
    assert.deepEqual(await linesOf(`inclde = []\n${monitor('a')}`, {}), [
      'statusd.toml:1:1  inclde: is an unknown key; did you mean include?',
    ]);
  });

  it('without any of its secrets', async () => {
    const files = {
      'conf.d/a.toml':
        '[[monitors]]\nid = "a"\ntarget = "https://example.com"\nheaders = { Authorization = "Bearer hunter2-hunter2" }\nbody = "hunter2-hunter2\n',
    };
    const error = await load(all, world(files)).catch((reason: unknown) => reason);
    assert.ok(error instanceof ConfigError);
    assert.doesNotMatch(`${error.message}${describeProblems(error)}`, /hunter2/);
  });
});
