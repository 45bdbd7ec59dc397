/** Measures what a key and a reading cost the terminal view of 1,000 monitors with a day of history. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { openLocal } from '../src/commands/top/local.ts';
import { openLook } from '../src/commands/top/terminal-look.ts';
import { parseConfig } from '../src/engine/config/load.ts';
import { createPainter } from '../src/tui/painter.ts';
import type { Command } from '../src/tui/keys.ts';
import { shownRows } from '../src/tui/selection.ts';
import { initialState, reduce, type ScreenState } from '../src/tui/state.ts';
import { configText } from './seeding/config-text.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { judgeAll, medianOf } from './seeding/verdict.ts';
import { writeHistory } from './seeding/write-history.ts';

// As in the package: React is slower while it is watched.
process.env['NODE_ENV'] = 'production';
const { openScreen } = await import('../src/tui/view/screen.tsx');

const monitorCount = 1000;
const size = { columns: 200, rows: 60 };

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
};

/** Milliseconds of the processor that some work took. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A keyboard nobody types at. */
function silentKeyboard(): NodeJS.ReadStream {
  const keyboard = new Readable({ read: () => undefined });
  const methods = { isTTY: true, setRawMode: () => keyboard, ref: () => keyboard, unref: () => keyboard };
  return Object.assign(keyboard, methods) as unknown as NodeJS.ReadStream;
}

async function measured(folder: string) {
  const file = join(folder, 'statusd.db');
  const text = `[server]\ndatabase_path = "${file}"\n${configText(monitorCount)}`;
  const readFile = () => Promise.reject(new Error('no file is read'));
  const loaded = await parseConfig(text, { file: join(folder, 'statusd.toml'), env: {}, readFile });
  const daemon = await openDaemonStore(file);
  const history = { config: loaded.config, now: Date.now(), days: 1, seed: 1, onProgress: () => undefined };
  await writeHistory(daemon, history);
  await daemon.close();

  const nobody = () => Promise.reject(new Error('nothing is done'));
  const source = await openLocal({
    loaded,
    clock,
    actions: nobody,
  });
  const { theme } = openLook({
    env: { LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    isTty: true,
    isColourRefused: false,
  });
  let bytes = 0;
  const painter = createPainter((written) => {
    bytes += Buffer.byteLength(written);
  });
  let state: ScreenState = initialState(size, clock.now());
  const screen = openScreen(
    {
      stdin: silentKeyboard(),
      theme,
      columns: () => size.columns,
      paint: painter.show,
      onKey: () => undefined,
      onMouse: () => undefined,
      onScroll: () => undefined,
      onFault: (error) => {
        throw error;
      },
    },
    state,
  );
  const draw = () => {
    screen.show(state);
  };
  /** As the live view does it for what came on the screen. */
  const glance = async () => {
    const ids = shownRows(state).flatMap((row) => (row.kind === 'monitor' ? [row.monitor.id] : []));
    const live = await source.glance(ids);
    if (live !== null) state = reduce(state, { kind: 'glanced', live });
  };
  const readings: number[] = [];
  for (let round = 0; round < 6; round++) {
    readings.push(
      await cpuOf(async () => {
        state = reduce(state, { kind: 'read', model: await source.read() });
        await glance();
        draw();
      }),
    );
  }
  const framesOf = async (command: Command, count: number) => {
    const frames: number[] = [];
    const bytesBefore = bytes;
    for (let round = 0; round < count; round++) {
      frames.push(
        await cpuOf(async () => {
          state = reduce(state, { kind: 'command', command });
          if (command === 'pageDown') await glance();
          draw();
        }),
      );
    }
    return { median: medianOf(frames), max: Math.max(...frames), bytes: (bytes - bytesBefore) / count };
  };
  const warm = await framesOf('down', 50);
  const lines = await framesOf('down', 200);
  const pages = await framesOf('pageDown', 12);
  screen.close();
  await source.close();
  console.log(
    `(the first reading ${(readings[0] ?? 0).toFixed(0)} ms, the first frames ${warm.median.toFixed(1)} ms)`,
  );
  return [
    { what: 'a line down, median', measured: lines.median, unit: 'ms of CPU', atMost: 50 },
    { what: 'a line down, at worst', measured: lines.max, unit: 'ms of CPU', atMost: 100 },
    {
      what: 'a page down with its sparklines, median',
      measured: pages.median,
      unit: 'ms of CPU',
      atMost: 100,
    },
    { what: 'a line down over the wire', measured: lines.bytes, unit: 'bytes', atMost: 24_000 },
    {
      what: 'reading all again, median',
      measured: medianOf(readings.slice(1)),
      unit: 'ms of CPU',
      atMost: 500,
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'statusd-bench-'));
try {
  process.exitCode = judgeAll(await measured(folder)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
