import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { notes } from '../../support/tiny-schema.ts';
import { makeFolder, openTiny } from '../../support/tiny-store.ts';

const headBytes = 32;
const folder = makeFolder();
after(folder.remove);

/** The log in which these were acknowledged, and where each of its records begins. */
const contents = ['zero', 'one', 'two', 'three', 'four'] as const;
let log: Buffer;
let starts: number[];
let files = 0;

before(async () => {
  const writer = await openTiny(folder.at('whole.db'), { role: 'writer' });
  for (const content of contents) await writer.write([['note', content]]);
  await writer.close();
  log = readFileSync(folder.at('whole.db-log.1'));
  starts = [];
  for (let at = 0; at < log.length; at += headBytes + log.readUInt32BE(at + 8)) starts.push(at);
  // The first record is the header.
  starts.shift();
  assert.equal(starts.length, contents.length);
});

const startOf = (record: number): number => starts[record] ?? log.length;
const bytesOf = (record: number): Buffer => log.subarray(startOf(record), startOf(record + 1));

/** A database whose only file is the log `bytes`. */
function databaseOf(bytes: Buffer): string {
  files += 1;
  const file = folder.at(`${files}.db`);
  writeFileSync(`${file}-log.1`, bytes);
  return file;
}

function flipped(...places: readonly number[]): Buffer {
  const bytes = Buffer.from(log);
  for (const place of places) bytes.writeUInt8(bytes.readUInt8(place) ^ 0x10, place);
  return bytes;
}

interface Opened {
  readonly notes: readonly string[];
  readonly messages: readonly string[];
}

async function open(file: string, role: 'reader' | 'daemon'): Promise<Opened> {
  const store = await openTiny(file, { role });
  const found = notes(store.sql).map(({ content }) => content);
  await store.close();
  return { notes: found, messages: store.warnings().map(({ message }) => message) };
}

/** The first `length` bytes of the files that were set aside beside `file`: the daemon still ends such a log. */
function aside(file: string, length: number): readonly string[] {
  const names = readdirSync(folder.path).filter((name) => name.includes('.damaged-'));
  return names
    .map((name) => folder.at(name))
    .filter((path) => path.startsWith(`${file}-`))
    .map((path) => readFileSync(path).toString('hex', 0, length));
}

/**
 * What a reader and then a daemon say of the log `bytes`. The daemon is to say the same, each thing once, to keep a
 * copy of a damaged log, and to leave nothing for the next start to say.
 */
async function judged(bytes: Buffer, { isKept }: { readonly isKept: boolean }): Promise<Opened> {
  const file = databaseOf(bytes);
  const read = await open(file, 'reader');
  const served = await open(file, 'daemon');
  assert.deepEqual(served, read);
  assert.deepEqual(aside(file, bytes.length), isKept ? [bytes.toString('hex')] : []);
  assert.deepEqual(await open(file, 'reader'), { notes: read.notes, messages: [] });
  const shown = (message: string) => message.replace(`${file}-log.1`, 'LOG');
  return { notes: read.notes, messages: read.messages.map(shown) };
}

const damageAt = (from: number, to: number): string =>
  `LOG is damaged (${to - from} bytes at ${from}); the changes there are lost`;
const without = (...lost: readonly number[]) => contents.filter((_, index) => !lost.includes(index));

describe('an acknowledged record that was changed on the disk', () => {
  const fields: readonly (readonly [string, readonly number[]])[] = [
    ['mark', [0, 1, 2, 3]],
    ['checksum', [4, 5, 6, 7]],
    ['length', [8, 9, 10, 11]],
    ['kind', [12]],
    ['reserved bytes', [13, 14, 15, 30, 31]],
    ['writer', [16, 23]],
    ['counter', [24, 29]],
    ['payload', [32, 40]],
  ];
  for (const [field, offsets] of fields) {
    it(`in its ${field} is damage, wherever the record is: reported once, its log set aside, the rest kept`, async () => {
      for (const record of [0, 2, 4]) {
        for (const offset of offsets) {
          const place = startOf(record) + offset;
          assert.deepEqual(
            await judged(flipped(place), { isKept: true }),
            { notes: without(record), messages: [damageAt(startOf(record), startOf(record + 1))] },
            `byte ${offset} of record ${record}`,
          );
        }
      }
    });
  }

  it('is reported once with its neighbour, and apart from one further on; the log is set aside once', async () => {
    const lengthOf = (record: number) => startOf(record) + 11;
    assert.deepEqual(await judged(flipped(lengthOf(1), lengthOf(2)), { isKept: true }), {
      notes: without(1, 2),
      messages: [damageAt(startOf(1), startOf(3))],
    });
    assert.deepEqual(await judged(flipped(lengthOf(1), lengthOf(3)), { isKept: true }), {
      notes: without(1, 3),
      messages: [damageAt(startOf(1), startOf(2)), damageAt(startOf(3), startOf(4))],
    });
    assert.deepEqual(await judged(flipped(lengthOf(1), startOf(2) + 40), { isKept: true }), {
      notes: without(1, 2),
      messages: [damageAt(startOf(1), startOf(3))],
    });
  });
});

describe('a write that was cut off', () => {
  const unfinished = (count: number, at: number) =>
    `LOG holds an unfinished write (${count} bytes at ${at}), which was dropped`;

  it('at the end of the log is no damage, wherever it was cut', async () => {
    for (let count = 1; count < bytesOf(4).length; count += 7) {
      assert.deepEqual(await judged(log.subarray(0, startOf(4) + count), { isKept: false }), {
        notes: without(4),
        messages: [unfinished(count, startOf(4))],
      });
    }
  });

  it('is no damage with whole records behind it, nor twice in a row', async () => {
    const tried = bytesOf(2).subarray(0, 40);
    const again = bytesOf(2).subarray(0, 44);
    const bytes = Buffer.concat([log.subarray(0, startOf(2)), tried, again, log.subarray(startOf(2))]);
    assert.deepEqual(await judged(bytes, { isKept: false }), {
      notes: contents,
      messages: [unfinished(84, startOf(2))],
    });
  });

  it('does not hide damage beside it', async () => {
    const bytes = Buffer.concat([
      log.subarray(0, startOf(3)),
      bytesOf(3).subarray(0, 40),
      flipped(startOf(3) + 11).subarray(startOf(3)),
    ]);
    const { notes: left, messages } = await judged(bytes, { isKept: true });
    assert.deepEqual(left, without(3));
    assert.deepEqual(messages, [damageAt(startOf(3), startOf(4) + 40)]);
  });
});

describe('damage at the end of a log that goes on being written', () => {
  it('is reported and set aside, each once, by the daemon that reads it while it runs', async () => {
    const file = databaseOf(log);
    const daemon = await openTiny(file, { role: 'daemon' });
    try {
      await daemon.write([['note', 'five']]);
      const current = readdirSync(folder.path)
        .map((name) => folder.at(name))
        .filter((path) => path.startsWith(`${file}-log.`))
        .sort()
        .at(-1);
      appendFileSync(
        current ?? assert.fail('there is no log'),
        flipped(startOf(4) + 40).subarray(startOf(4)),
      );
      await daemon.write([['note', 'six']]);
      await daemon.write([['note', 'seven']]);
      assert.equal(daemon.warnings().length, 1);
      assert.match(daemon.warnings()[0]?.message ?? '', /is damaged \(49 bytes at \d+\)/);
      assert.deepEqual(
        notes(daemon.sql).map(({ content }) => content),
        [...contents, 'five', 'six', 'seven'],
      );
    } finally {
      await daemon.close();
    }
    assert.equal(aside(file, 4).length, 1);
  });

  it('is reported once, also when whole records come after it', async () => {
    const file = databaseOf(flipped(startOf(4) + 40));
    const reader = await openTiny(file, { role: 'reader' });
    const writer = await openTiny(file, { role: 'writer' });
    try {
      await writer.write([['note', 'five']]);
      await reader.refresh();
      assert.equal(notes(reader.sql).length, 5);
      for (const store of [reader, writer]) {
        assert.deepEqual(
          store.warnings().map(({ message }) => message),
          [damageAt(startOf(4), log.length).replace('LOG', `${file}-log.1`)],
        );
      }
    } finally {
      await writer.close();
      await reader.close();
    }
  });
});

describe('a damaged snapshot', () => {
  /** A daemon that was stopped: the last log, which is named by the snapshot, holds nothing yet. */
  async function stopped(name: string): Promise<string> {
    const file = folder.at(name);
    const daemon = await openTiny(file, { role: 'daemon' });
    await daemon.write([['note', 'one']]);
    await daemon.checkpoint();
    await daemon.write([['note', 'two']]);
    await daemon.close();
    return file;
  }

  const damages: Readonly<Record<string, (log: Buffer) => Buffer>> = {
    'whose length is wrong': (log) => {
      log.writeUInt8(log.readUInt8(log.length - headBytes + 10) ^ 1, log.length - headBytes + 10);
      return log;
    },
    'whose mark is wrong': (log) => {
      log.writeUInt8(log.readUInt8(log.length - headBytes) ^ 1, log.length - headBytes);
      return log;
    },
    'that is cut off': (log) => log.subarray(0, -headBytes),
  };

  for (const [what, damage] of Object.entries(damages)) {
    it(`with a seal ${what} in the log before it gives what the one before has, and both are reported`, async () => {
      const file = await stopped(`sealed ${what}.db`);
      const numbers = readdirSync(folder.path).flatMap((name) => {
        const [, number] = new RegExp(`^sealed ${what}\\.db-log\\.(\\d+)$`).exec(name) ?? [];
        return number === undefined ? [] : [Number(number)];
      });
      const sealed = `${file}-log.${Math.max(...numbers) - 1}`;
      writeFileSync(sealed, damage(readFileSync(sealed)));
      const snapshot = readFileSync(file);
      snapshot.writeUInt8(snapshot.readUInt8(5000) ^ 1, 5000);
      writeFileSync(file, snapshot);
      for (const role of ['reader', 'daemon'] as const) {
        const opened = await open(file, role);
        assert.deepEqual(opened.notes, ['one', 'two'], role);
        assert.ok(
          opened.messages.some((message) => message.includes(`${sealed} is lost`)),
          opened.messages.join(),
        );
        assert.ok(
          opened.messages.some((message) => message.includes(`${file} is damaged`)),
          opened.messages.join(),
        );
      }
      const again = await open(file, 'daemon');
      assert.deepEqual(again, { notes: ['one', 'two'], messages: [] });
    });
  }
});
