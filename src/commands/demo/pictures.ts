/** Makes the pictures of the demo in virtual time, so that they always come out the same. */
import { parseConfig, type LoadedConfig } from '../../engine/config/load.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { noTimings, type ProbeResult } from '../../engine/core/probe.ts';
import { startHttp } from '../../serve/http.ts';
import { type Event, initialState, reduce } from '../../tui/state.ts';
import { createTheme } from '../../tui/theme.ts';
import { screenLines } from '../../tui/view/screen.tsx';
import { causesOf, checkedMonitor, skippedMonitor } from '../check/assemble.ts';
import { renderer } from '../check/render/human.ts';
import { countStatuses } from '../check/report.ts';
import { httpRequest } from '../http-request.ts';
import { paintWith } from '../terminal/colour.ts';
import { unicodeGlyphs } from '../terminal/glyphs.ts';
import { measureFor } from '../terminal/output.ts';
import { openMemoryStore, type MemoryStore } from '../test/runner/memory-store.ts';
import { startTestDaemon, type TestDaemon } from '../test/runner/test-daemon.ts';
import { VirtualTime } from '../test/runner/virtual-time.ts';
import { openLocal } from '../top/local.ts';
import { frameSvg } from './frame-svg.ts';
import { historyOf } from './history.ts';
import { monitorProfiles } from './past.ts';
import { allWell, configText, story, type Switches } from './world.ts';

export interface Pictures {
  /** Pictures of what a terminal shows. */
  readonly svg: Readonly<Record<'top' | 'check', string>>;
  /** The status page. */
  readonly page: string;
}

/** A Saturday afternoon, in the middle of the cascade. */
const beginAt = Date.UTC(2026, 10, 21, 14, 2, 0);
const lookMs = 66_000;
const stepMs = 2000;
const topSize = { columns: 120, rows: 26 };
const checkColumns = 96;

const places = {
  ports: { website: 8001, search: 8002, flaky: 8003, api: 8004, shop: 8005, database: 5432, mail: 8025 },
  bind: '127.0.0.1:0',
  phonePort: 8090,
  jobToken: 'a-token-of-the-pictures',
  nowAt: beginAt,
};

/** Takes some seconds. */
export async function makePictures(): Promise<Pictures> {
  const loaded = await parseConfig(configText(places), {
    file: '/demo/statusd.toml',
    env: {},
    readFile: () => Promise.reject(new Error('the demo names no file')),
  });
  const store = await openMemoryStore();
  store.record(historyOf(beginAt));
  const clock = new VirtualTime(beginAt);
  const switches = allWell();
  const ask = asker(switches);
  let uids = 0;
  const daemon = await startTestDaemon({
    store,
    clock,
    config: loaded.config,
    log: () => undefined,
    newUid: () => `picture-${(uids += 1)}`,
    ask,
    deliver: () => ({ kind: 'sent', attempts: 1 }),
  });
  try {
    await play({ daemon, clock, switches, loaded });
    const world = { loaded, store, clock, daemon };
    return {
      svg: { top: await topSvg(world), check: await checkSvg(loaded, ask) },
      page: await pageOf(world),
    };
  } finally {
    await daemon.stop();
  }
}

interface PlayedWorld {
  readonly loaded: LoadedConfig;
  readonly store: MemoryStore;
  readonly clock: VirtualTime;
  readonly daemon: TestDaemon;
}

interface Played extends Omit<PlayedWorld, 'store'> {
  readonly switches: Switches;
}

/** Plays the story of the demo up to the moment of the pictures. */
async function play({ daemon, clock, switches, loaded }: Played): Promise<void> {
  const scenes = [...story];
  for (let atMs = 0; atMs <= lookMs; atMs += stepMs) {
    await clock.runTo(atMs);
    for (; scenes[0] !== undefined && scenes[0].atSecs * 1000 <= atMs; scenes.shift())
      Object.assign(switches, scenes[0].change);
    await daemon.heartbeat({ monitor: 'backup', status: 'up', message: 'done', pingMs: null });
    const due = loaded.config.monitors.filter(({ interval_secs }) => atMs % (interval_secs * 1000) === 0);
    const checked = daemon.checkNow(due.map(({ id }) => id));
    await clock.runTo(atMs);
    await checked;
  }
}

/** What each target of the demo answers at the moment. */
function asker(switches: Switches): (monitor: Monitor) => ProbeResult {
  const counts = new Map<string, number>();
  return ({ id }) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const { baseMs, busyMs } = monitorProfiles.find((rhythm) => rhythm.id === id) ?? { baseMs: 5, busyMs: 0 };
    const latencyMs =
      id === 'search' && switches.isSearchSlow ? 912 : Math.round(baseMs + busyMs / 2 + (count % 5));
    if (!switches.isDatabaseUp && id === 'database')
      return failed('connection', `connection refused by 127.0.0.1:${places.ports.database}`);
    if (!switches.isDatabaseUp && id === 'api')
      return failed('status', 'status 503 Service Unavailable, expected 2xx', {
        statusLine: 'HTTP/1.1 503 Service Unavailable',
        body: '{"error":"the database does not answer"}',
      });
    if (!switches.isDatabaseUp && id === 'shop')
      return failed('status', 'status 502 Bad Gateway, expected 2xx', {
        statusLine: 'HTTP/1.1 502 Bad Gateway',
        body: 'the API is not available',
      });
    if (id === 'flaky' && count % 10 < 2)
      return failed('status', 'status 500 Internal Server Error, expected 2xx');
    return { ...answered, outcome: 'healthy', reason: null, latencyMs };
  };
}

const answered = {
  timings: noTimings,
  answer: null,
  assertions: [],
  certificate: null,
  address: null,
} as const;

function failed(
  category: 'connection' | 'status',
  message: string,
  answer: { readonly statusLine: string; readonly body: string } | null = null,
): ProbeResult {
  return {
    ...answered,
    outcome: 'failed',
    reason: { category, message },
    latencyMs: null,
    answer: answer === null ? null : { ...answer, headers: [] },
  };
}

async function topSvg({ loaded, store, clock }: PlayedWorld): Promise<string> {
  const source = await openLocal({
    loaded,
    clock,
    actions: () => Promise.reject(new Error('a picture does nothing')),
    open: () => Promise.resolve(store),
  });
  const model = await source.read();
  const live = await source.glance(loaded.config.monitors.map(({ id }) => id));
  const events: readonly Event[] = [
    { kind: 'read', model },
    { kind: 'daemon', daemon: 'ok' },
    ...(live === null ? [] : [{ kind: 'glanced', live } as const]),
  ];
  const state = events.reduce(reduce, initialState(topSize, clock.now()));
  const lines = screenLines(state, createTheme('many', true));
  return frameSvg(lines, { title: 'statusd top while a database takes an API and a shop along', ...topSize });
}

async function checkSvg(
  { config }: Pick<LoadedConfig, 'config'>,
  ask: (monitor: Monitor) => ProbeResult,
): Promise<string> {
  const results = config.monitors.map((monitor) =>
    monitor.kind === 'push'
      ? skippedMonitor(monitor, null)
      : checkedMonitor(
          monitor,
          { startedAt: beginAt + lookMs, attempts: 1, result: ask(monitor) },
          { position: null, curl: null },
        ),
  );
  const report = {
    file: 'statusd.toml',
    isOk: false,
    failing: ['down'],
    isInterrupted: false,
    checkedAt: beginAt + lookMs,
    elapsedMs: 214,
    counts: countStatuses(results),
    results,
    causes: causesOf(results, config),
    notes: [],
  } as const;
  const glyphs = unicodeGlyphs;
  const view = {
    paint: paintWith(true),
    glyphs,
    cells: { measure: await measureFor(['✓']), ellipsis: glyphs.ellipsis },
    columns: checkColumns,
    isQuiet: false,
  };
  const lines = renderer.report(report, view).trimEnd().split('\n');
  const typed = `${view.paint.dim('$')} statusd check`;
  return frameSvg([typed, '', ...lines], {
    title: 'statusd check of the same moment',
    columns: checkColumns,
  });
}

/** The HTML of the status page without a token. */
async function pageOf({ loaded, store, clock, daemon }: PlayedWorld): Promise<string> {
  const http = await startHttp({
    loaded: () => loaded,
    store,
    clock,
    log: () => undefined,
    version: '',
    engine: daemon,
    probe: () => Promise.reject(new Error('a picture probes nothing')),
    newRequestId: () => 'picture',
  });
  try {
    const url = new URL(`http://127.0.0.1:${http.address.port}/`);
    const headers = { accept: 'text/html', host: 'status.example.com' };
    const options = { method: 'GET', headers, patienceMs: 20_000, maxBytes: 4_000_000 } as const;
    return (await httpRequest(url, { ...options, what: 'the page', hint: '' })).text;
  } finally {
    await http.stop(0);
  }
}
