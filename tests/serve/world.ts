/** A running HTTP side over a real store in a folder of its own, with an engine that does as it is told. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '../../src/db/store/files/files.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import type { Store } from '../../src/db/store/store.ts';
import type { Operation } from '../../src/db/store/operation.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { samples } from '../../src/db/tables/samples.ts';
import type { LoadedConfig } from '../../src/engine/config/load.ts';
import type { MonitorState } from '../../src/engine/monitoring/confirm/state.ts';
import { freshState } from '../../src/engine/monitoring/confirm/state.ts';
import type { LogEntry } from '../../src/engine/core/log.ts';
import type { Status } from '../../src/engine/core/status.ts';
import { startHttp, type HttpEngine, type HttpOptions } from '../../src/serve/http.ts';
import { load } from '../support/config.ts';
import { leanFetch } from '../support/lean-fetch.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { faultsOf } from './contract.ts';
import { openRealStore } from '../support/real-store.ts';

export const startAt = Date.UTC(2026, 5, 7, 12, 0, 0);

type Heartbeat = Parameters<HttpEngine['heartbeat']>[0];
type PeerHeartbeat = Parameters<HttpEngine['peerHeartbeat']>[0];

interface FakeEngine extends HttpEngine {
  readonly heartbeats: Heartbeat[];
  readonly peerHeartbeats: PeerHeartbeat[];
  /** The monitors that were to be checked out of turn; none is ever done while there is a refusal. */
  readonly checked: string[];
  network: 'ok' | 'suspect' | 'lost';
  /** What the next heartbeats are rejected with; null: they are taken. */
  refusal: Error | null;
  isSchedulerOk: boolean;
  unreachedLeader: string | null;
  lastTickAgeMs: number | null;
  readonly statuses: Map<string, Status>;
  /** Whose last check failed, which nothing confirmed. */
  readonly failing: Set<string>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: () => unknown;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface World {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly engine: FakeEngine;
  readonly clock: VirtualClock;
  readonly logged: LogEntry[];
  readonly loaded: () => LoadedConfig;
  readonly reload: (toml: string) => Promise<void>;
  readonly ask: (path: string, asked?: Asked) => Promise<Reply>;
  /** Sends bytes on a connection of their own and answers with all that came back until it was closed. */
  readonly raw: (bytes: string | Buffer) => Promise<string>;
  readonly stop: (graceMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface WorldOptions {
  /** The disk that the store is on. */
  readonly files?: Files;
  readonly store?: (store: Store) => Store;
  /** Opens another store than that of a file. */
  readonly openStore?: () => Promise<Store>;
  readonly http?: Partial<HttpOptions>;
  /** Files that the configuration names, by absolute path. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** `toml` goes after a `[server]` line: it begins with settings of the server. */
export async function openWorld(toml: string, options: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-serve-'));
  const { files = nodeFiles } = options;
  const parse = (text: string) =>
    load(`[server]\nbind = "127.0.0.1:0"\n${text}`, { files: options.beside ?? {} });
  let loaded = await parse(toml);
  const openFile = () => openRealStore(join(folder, 'statusd.db'), { role: 'daemon', files });
  const store = await (options.openStore ?? openFile)();
  const clock = new VirtualClock(startAt);
  const sync = () => {
    const shown = loaded.config.monitors.map(({ id, name, group, slo_uptime, public: isPublic }) => {
      return { id, name, shown: { group, sloUptimePercent: slo_uptime, isPrivate: !isPublic } };
    });
    return store.write(monitors.sync(store.sql, shown, clock.now()));
  };
  await sync();
  const logged: LogEntry[] = [];
  const engine = fakeEngine();
  let named = 0;
  const http = await startHttp({
    loaded: () => loaded,
    store: options.store?.(store) ?? store,
    clock,
    log: (entry) => logged.push(entry),
    version: '0.0.0',
    engine,
    probe: () => Promise.reject(new Error('nothing is probed here')),
    newRequestId: () => `made-${(named += 1)}`,
    lagMeter: { read: () => ({ p50Ms: 0.25, p99Ms: 3, maxMs: 12 }), stop: () => undefined },
    ...options.http,
  });
  const { port } = http.address;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    store,
    engine,
    clock,
    logged,
    loaded: () => loaded,
    reload: async (text) => {
      loaded = await parse(text);
      await sync();
    },
    ask: (path, asked) => ask(`${url}${path}`, asked),
    raw: (bytes) => raw(port, bytes),
    stop: http.stop,
    close: async () => {
      await http.stop(0);
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The tables of monitors that differ in their ids alone, with what else each is to have. */
export function monitorTables(ids: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  return ids
    .map((id) => `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example.com"\n${more[id] ?? ''}\n`)
    .join('');
}

/** A check of each a minute ago, which found it up. */
export function upBefore(ids: readonly string[]): readonly Operation[] {
  const sample = { status: 'up', latencyMs: 90, holdSecs: 60, isHeartbeat: false } as const;
  const seen = { ...sample, at: startAt - 60_000, category: null, message: null };
  return ids.map((monitor) => samples.add({ ...seen, monitor }));
}

/** An outage of five minutes that is over for an hour. */
export function pastIncident(monitor: string, uid: string): readonly Operation[] {
  const startedAt = startAt - 65 * 60_000;
  return [
    incidents.open({
      uid,
      monitor,
      name: monitor,
      startedAt,
      confirmedAt: startedAt + 60_000,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt: startedAt + 300_000 }),
  ];
}

async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Reply> {
  const reply = await leanFetch(url, { method, headers, body });
  const { status, text } = reply;
  const header = (name: string) => reply.headers.get(name);
  const faults = faultsOf({ method, path: url.slice(new URL(url).origin.length), status, header, text });
  if (faults.length > 0) throw new Error(`${method} ${url} breaks its contract: ${faults.join('; ')}`);
  return { ...reply, json: () => JSON.parse(text) as unknown };
}

async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const received = collect(socket);
  await once(socket, 'connect');
  socket.write(bytes);
  return received;
}

/** All that a socket receives until it is closed, as text of bytes. */
export function collect(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
  });
}

function fakeEngine(): FakeEngine {
  const heartbeats: Heartbeat[] = [];
  const peerHeartbeats: PeerHeartbeat[] = [];
  const checked: string[] = [];
  const statuses = new Map<string, Status>();
  const failing = new Set<string>();
  return {
    heartbeats,
    peerHeartbeats,
    checked,
    network: 'ok',
    statuses,
    failing,
    refusal: null,
    isSchedulerOk: true,
    unreachedLeader: null,
    lastTickAgeMs: 1234,
    heartbeat(heartbeat) {
      if (this.refusal !== null) return Promise.reject(this.refusal);
      heartbeats.push(heartbeat);
      return Promise.resolve();
    },
    peerHeartbeat(heartbeat) {
      if (this.refusal !== null) return Promise.reject(this.refusal);
      peerHeartbeats.push(heartbeat);
      return Promise.resolve();
    },
    health() {
      return {
        isSchedulerOk: this.isSchedulerOk,
        unreachedLeader: this.unreachedLeader,
        lastTickAgeMs: this.lastTickAgeMs,
        lateness: { p50Ms: 1, p99Ms: 20, maxMs: 45.5 },
        network: { state: this.network, sinceAt: null },
      };
    },
    checkNow(ids) {
      checked.push(...ids);
      return this.refusal === null ? Promise.resolve() : new Promise(() => undefined);
    },
    stateOf: (monitor): MonitorState | null => {
      const status = statuses.get(monitor);
      if (status === undefined) return null;
      const at = startAt - 60_000;
      if (failing.has(monitor))
        return { ...freshState, status: 'degraded', failures: { count: 1, sinceAt: at }, knownAt: at };
      const incident = status === 'down' ? { startedAt: at, confirmedAt: at, isReattached: false } : null;
      return { ...freshState, status, incident, knownAt: at };
    },
  };
}
