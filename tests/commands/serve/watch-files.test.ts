import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { lookAgain, type SeenFiles } from '../../../src/commands/serve/read-config.ts';
import { watchFiles, type FileWatchOptions } from '../../../src/commands/serve/watch-files.ts';
import { listMatches } from '../../../src/engine/config/list-matches.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const folder = makeFolder();
after(folder.remove);

const file = folder.at('statusd.toml');
const secret = folder.at('token');
let stopping = new AbortController();
let seen: SeenFiles;
let changes = 0;
let onNext: () => void = () => undefined;

const disk = { readFile: readSmallFile, listMatches };
const look = () =>
  lookAgain(
    {
      files: new Map([file, secret].map((path) => [path, null])),
      matches: new Map([[folder.at('conf.d/*.toml'), null]]),
    },
    disk,
  );

beforeEach(async () => {
  stopping = new AbortController();
  writeFileSync(file, 'one');
  writeFileSync(secret, 'a');
  seen = await look();
  changes = 0;
});
afterEach(() => {
  stopping.abort();
});

function start(over: Partial<FileWatchOptions> = {}): Promise<void> {
  return watchFiles({
    clock: realClock,
    ...disk,
    signal: stopping.signal,
    seen: () => seen,
    onChange: async () => {
      seen = await look();
      changes += 1;
      onNext();
    },
    ...over,
  });
}

const change = () => new Promise<void>((resolve) => (onNext = resolve));

describe('a watch', () => {
  it('notices a file that is written in place', async () => {
    void start();
    const changed = change();
    writeFileSync(file, 'two');
    await changed;
    assert.equal(changes, 1);
  });

  it('notices a file that an editor puts in its place', async () => {
    void start();
    const changed = change();
    writeFileSync(folder.at('new'), 'three');
    renameSync(folder.at('new'), file);
    await changed;
  });

  it('notices a secret in a file of its own', async () => {
    void start();
    const changed = change();
    writeFileSync(secret, 'b');
    await changed;
  });

  it('notices a file that goes, and that comes back', async () => {
    void start();
    const gone = change();
    rmSync(file);
    await gone;
    const back = change();
    writeFileSync(file, 'one');
    await back;
    assert.equal(changes, 2);
  });

  it('notices that a pattern matches another file, or one less, and its folder', async () => {
    void start();
    const made = change();
    mkdirSync(folder.at('conf.d'));
    writeFileSync(folder.at('conf.d/a.toml'), 'one');
    await made;
    const gone = change();
    rmSync(folder.at('conf.d/a.toml'));
    await gone;
    writeFileSync(folder.at('conf.d/a.txt'), 'one');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(changes, 2);
    rmSync(folder.at('conf.d'), { recursive: true });
  });

  it('notices the target of a symbolic link without any report, by looking', async () => {
    const clock = new VirtualClock();
    writeFileSync(folder.at('v1'), 'one');
    rmSync(file);
    symlinkSync(folder.at('v1'), file);
    seen = await look();
    const changed = change();
    const watching = start({ clock, listen: () => () => undefined });
    writeFileSync(folder.at('v1'), 'two');
    await clock.during(changed);
    stopping.abort();
    await watching;
    rmSync(file);
  });

  it('says nothing of a file that was only touched', async () => {
    const clock = new VirtualClock();
    const watching = start({ clock, listen: () => () => undefined });
    writeFileSync(file, 'one');
    writeFileSync(secret, 'c');
    const changed = change();
    await clock.during(changed);
    writeFileSync(secret, 'c');
    await clock.during(new Promise((resolve) => setTimeout(resolve, 20)), 500);
    assert.equal(changes, 1);
    stopping.abort();
    await watching;
  });

  it('ends when it is stopped while it reads, without waiting for a file to be quiet', async () => {
    const watching = start({
      clock: new VirtualClock(),
      listen: () => () => undefined,
      listMatches: (pattern) => {
        stopping.abort();
        return listMatches(pattern);
      },
    });
    const hasEnded = watching.then(() => true);
    assert.ok(await Promise.race([hasEnded, new Promise((resolve) => setTimeout(resolve, 2500, false))]));
  });

  it('continues to watch while nothing changes, and watches a replaced file again', async () => {
    const clock = new VirtualClock();
    const [begun, ended] = [{ count: 0 }, { count: 0 }];
    const listen = () => {
      begun.count += 1;
      return () => {
        ended.count += 1;
      };
    };
    const watching = start({ clock, listen });
    const quiet = () => clock.during(new Promise((resolve) => setTimeout(resolve, 20)), 3000);
    // What it begins with takes a moment, longer where the machine is busy; then nothing more is begun.
    let before = -1;
    for (let round = 0; round < 20 && begun.count !== before; round += 1) {
      before = begun.count;
      await quiet();
    }
    assert.ok(before > 0);
    assert.equal(begun.count, before);
    writeFileSync(folder.at('new'), 'two');
    const changed = change();
    renameSync(folder.at('new'), file);
    await clock.during(changed);
    for (let round = 0; round < 20 && begun.count !== ended.count + 1; round += 1) await quiet();
    assert.ok(begun.count > before);
    assert.equal(begun.count, ended.count + 1);
    stopping.abort();
    // It may be about to wait for a file to be quiet.
    await clock.during(watching);
    assert.equal(begun.count, ended.count);
  });
});
