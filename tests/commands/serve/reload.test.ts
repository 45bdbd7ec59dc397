import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig, type ConfigReading } from '../../../src/commands/serve/read-config.ts';
import type { EngineChanges } from '../../../src/engine/monitoring/engine.ts';
import { createReload, reloadedEntry } from '../../../src/commands/serve/reload.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { fakeFiles, fakeMatches, load } from '../../support/config.ts';

const clock = { monotonic: () => performance.now() };
const file = '/etc/statusd/statusd.toml';
const none: EngineChanges = { started: [], stopped: [], restarted: [], renamed: [], unchanged: 1 };
const good = '[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1/"\n';

const reading = (text: string, more: Readonly<Record<string, string>> = {}): Promise<ConfigReading> =>
  readConfig(file, {
    env: {},
    clock,
    readFile: fakeFiles({ ...more, [file]: text, '/etc/statusd/token': 'canary-of-a-token' }),
    listMatches: fakeMatches(more),
  });

async function reloaded(text: string, apply: () => Promise<EngineChanges> = () => Promise.resolve(none)) {
  const lines: LogEntry[] = [];
  const applied: string[] = [];
  await createReload({
    file,
    read: () => reading(text),
    apply: ({ config }) => {
      applied.push(config.server.bind);
      return apply();
    },
    onSeen: () => undefined,
    started: (await load(good)).config,
    watched: () => 1,
    log: (entry) => lines.push(entry),
  })();
  return { lines, applied, events: lines.map(({ level, event }) => `${level} ${event}`) };
}

describe('a reload', () => {
  it('says what it started, stopped and restarted', () => {
    const changes = {
      started: ['a', 'b'],
      stopped: [],
      restarted: ['c'],
      renamed: [{ from: 'd', to: 'e' }],
      unchanged: 4,
    };
    const { message, fields } = reloadedEntry(file, changes);
    assert.equal(
      message,
      'statusd.toml was reloaded: started a, b; renamed d to e; restarted c; 4 unchanged',
    );
    assert.deepEqual(fields, {
      config: file,
      started: 2,
      stopped: 0,
      renamed: 1,
      restarted: 1,
      unchanged: 4,
    });
  });

  it('keeps the old configuration when the new one is broken, and says where', async () => {
    const { lines, applied } = await reloaded('[[monitors]]\nid = "web"\nkind = "htp"\n');
    assert.deepEqual(applied, []);
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['config.rejected', 'config.problem'],
    );
    assert.match(lines[1]?.message ?? '', /^statusd\.toml:3:8 {2}monitor "web": kind /);
    assert.deepEqual(lines[1]?.fields, { file, line: 3, column: 8 });
  });

  it('keeps the old configuration when the file is gone', async () => {
    const lines: LogEntry[] = [];
    const read = () =>
      readConfig(file, { env: {}, clock, readFile: fakeFiles({}), listMatches: fakeMatches({}) });
    const apply = () => assert.fail('nothing is applied');
    const log = (entry: LogEntry) => lines.push(entry);
    await createReload({
      file,
      read,
      apply,
      onSeen: () => undefined,
      started: (await load(good)).config,
      watched: () => 1,
      log,
    })();
    assert.match(lines[1]?.message ?? '', /^there is no configuration file/);
  });

  it('keeps the old configuration when the file is empty or has no monitors left', async () => {
    const cut = await reloaded('');
    assert.deepEqual(cut.applied, []);
    assert.match(
      cut.lines[1]?.message ?? '',
      /^the configuration file \/etc\/statusd\/statusd.toml is empty/,
    );
    const { applied, lines } = await reloaded('[server]\nbind = "127.0.0.1:1"\n');
    assert.deepEqual(applied, []);
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['config.rejected', 'config.problem'],
    );
    assert.match(
      lines[1]?.message ?? '',
      /has neither monitors nor channels any more. If that is meant, restart statusd/,
    );
  });

  it('stops the last monitor where the file still has channels', async () => {
    const channel = '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "http://127.0.0.1:1/"\n';
    assert.equal((await reloaded(channel)).applied.length, 1);
  });

  it('says what needs a restart, every time', async () => {
    const { lines, applied } = await reloaded(`${good}[server]\nbind = "127.0.0.1:1"\n`);
    assert.deepEqual(applied, ['127.0.0.1:1']);
    assert.deepEqual(lines.at(-1), {
      level: 'warning',
      event: 'config.restart_needed',
      message: 'server.bind takes effect after a restart',
      fields: { settings: 'server.bind' },
    });
  });

  it('repeats the warnings of the configuration', async () => {
    const { lines } = await reloaded(`${good}notify = []\n`);
    assert.equal(lines[0]?.event, 'config.warning');
    assert.match(lines[0].message, /^statusd\.toml:4:10 {2}monitor "web": notify /);
  });

  it('outlives a part that cannot take the new configuration', async () => {
    const { events } = await reloaded(good, () => Promise.reject(new Error('no room')));
    assert.deepEqual(events, ['error config.failed']);
  });

  it('happens once more, not twice, for two wishes while one is under way', async () => {
    let reads = 0;
    let finish: () => void = () => undefined;
    const reload = createReload({
      file,
      read: async () => {
        reads += 1;
        await new Promise<void>((resolve) => (finish = resolve));
        return reading(good);
      },
      apply: () => Promise.resolve(none),
      onSeen: () => undefined,
      started: (await load(good)).config,
      watched: () => 1,
      log: () => undefined,
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = reload();
    await turn();
    const second = reload();
    const third = reload();
    finish();
    await first;
    await turn();
    assert.equal(reads, 2);
    finish();
    await Promise.all([second, third]);
    assert.equal(reads, 2);
  });
});

describe('reading a configuration', () => {
  const beside = ['/etc/statusd/statusd.env', '/etc/statusd/.env'];

  it('reports every file that it took, also when it is broken', async () => {
    const { seen, kind } = await reading('[server]\nauth_token_file = "token"\nbind = 1\n');
    assert.equal(kind, 'bad');
    assert.deepEqual([...seen.files.keys()], [file, ...beside, '/etc/statusd/token']);
    assert.match(seen.files.get(file) ?? '', /^[0-9a-f]{64}$/);
  });

  it('reports included files and what their patterns match, also when one is broken', async () => {
    const { seen, kind } = await reading('include = ["conf.d/*.toml", "gone.toml"]\n', {
      '/etc/statusd/conf.d/a.toml': 'id = \n',
    });
    assert.equal(kind, 'bad');
    assert.deepEqual(
      [...seen.files.keys()],
      [file, ...beside, '/etc/statusd/conf.d/a.toml', '/etc/statusd/gone.toml'],
    );
    assert.equal(seen.files.get('/etc/statusd/gone.toml'), null);
    assert.deepEqual([...seen.matches], [['/etc/statusd/conf.d/*.toml', '/etc/statusd/conf.d/a.toml']]);
  });

  it('treats a file that is missing as one that holds nothing', async () => {
    const { seen } = await reading('[server]\nauth_token_file = "absent"\n');
    assert.equal(seen.files.get('/etc/statusd/absent'), null);
  });
});
