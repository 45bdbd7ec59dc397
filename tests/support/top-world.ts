/** A folder with a configuration and a database in which something is wrong, for the terminal view. */
import { writeFileSync } from 'node:fs';
import type { Json, Operation } from '../../src/db/store/operation.ts';
import { alertStates } from '../../src/db/tables/alert-states.ts';
import { announcements } from '../../src/db/tables/announcements.ts';
import { channels } from '../../src/db/tables/channels.ts';
import { decisions } from '../../src/db/tables/decisions.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { freshState, type MonitorState } from '../../src/engine/monitoring/confirm/state.ts';
import type { Status } from '../../src/engine/core/status.ts';
import { realClock } from './real-clock.ts';
import { openRealStore } from './real-store.ts';
import { makeFolder } from './tiny-store.ts';

export interface TopWorld {
  readonly cwd: string;
  /** Writes as another process beside the daemon would. */
  readonly write: (...operations: readonly Operation[]) => Promise<void>;
  readonly remove: () => void;
}

export interface TopWorldOptions {
  /** Where a daemon would listen. */
  readonly bind: string;
}

interface Made {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  readonly status: Status;
  readonly latencyMs: number;
}

const made: readonly Made[] = [
  { id: 'db', name: 'Primary database', group: 'Core', status: 'up', latencyMs: 4 },
  { id: 'api', name: 'Public API', group: 'Core', status: 'down', latencyMs: 120 },
  { id: 'search', name: 'Search', group: 'Core', status: 'degraded', latencyMs: 1340 },
  { id: 'web', name: 'Website', group: 'Edge', status: 'up', latencyMs: 86 },
  { id: 'kyoto', name: '京都 edge', group: 'Edge', status: 'up', latencyMs: 240 },
  { id: 'mail', name: 'Mail relay', group: null, status: 'up', latencyMs: 31 },
  { id: 'backup', name: 'Nightly backup', group: null, status: 'unknown', latencyMs: 0 },
];

const headWith = ({ bind }: TopWorldOptions) => `
[page]
title = "Example Systems"

[server]
bind = "${bind}"
database_path = "statusd.db"
auth_token = "the-token-of-the-tests"

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/ops"

[[channels]]
name = "mail"
type = "webhook"
url = "http://127.0.0.1:1/mail"
`;

/** Every sample has the same latency, so that a screen looks the same whenever it is drawn. */
export async function makeTopWorld(options: TopWorldOptions = { bind: '127.87.87.87:1' }): Promise<TopWorld> {
  const folder = makeFolder();
  writeFileSync(folder.at('statusd.toml'), headWith(options) + made.map(monitorText).join(''));
  const file = folder.at('statusd.db');
  const write = async (...operations: readonly Operation[]) => {
    const store = await openRealStore(file, { role: 'writer' });
    await store.write(operations);
    await store.close();
  };
  const now = realClock.now();
  // As a daemon leaves it when it ends: what opens it has no log to go through.
  const store = await openRealStore(file, { role: 'daemon' });
  await store.write([
    ...made.flatMap((monitor) => historyOf(monitor, now)),
    ...outageOf(now),
    ...troubleOf(now),
  ]);
  await store.close();
  return { cwd: folder.path, write, remove: folder.remove };
}

function monitorText({ id, name, group }: Made): string {
  const inGroup = group === null ? '' : `group = "${group}"\n`;
  return `\n[[monitors]]\nid = "${id}"\nname = "${name}"\n${inGroup}target = "http://127.0.0.1:1/"\n`;
}

const everyMs = 300_000;
/** The last checks are so old. */
const lookedMs = 5000;

function historyOf({ id, name, status, latencyMs }: Made, now: number): Operation[] {
  const seen = monitors.see({ id, name, at: now });
  if (status === 'unknown') return [seen];
  const untilAt = status === 'down' ? now - outageMs : now;
  const from = Math.floor((now - 30 * 3_600_000) / everyMs) * everyMs;
  const history = Array.from({ length: Math.floor((untilAt - from) / everyMs) }, (_, index) => ({
    at: from + index * everyMs,
    status: 'up' as const,
    latencyMs,
    holdSecs: 300,
    isHeartbeat: false,
  }));
  const last =
    status === 'down'
      ? failuresOf(id, now)
      : [
          samples.add({
            monitor: id,
            at: now - lookedMs,
            status,
            latencyMs,
            holdSecs: 300,
            isHeartbeat: false,
            category: null,
            message: status === 'degraded' ? 'slower than 1000 ms: 1340 ms' : null,
          }),
        ];
  const state =
    status === 'down' ? { ...freshState, status, incident: heldSince(now) } : { ...freshState, status };
  return [
    seen,
    ...samples.addHistory(id, history),
    ...last,
    alertStates.save({ monitor: id, state: jsonOf(state), at: now }),
  ];
}

/** They say nothing of the time after now: the day's uptime stays the same however long a test takes. */
function failuresOf(monitor: string, now: number): Operation[] {
  const untilAt = now - lookedMs;
  return Array.from({ length: Math.ceil((outageMs - lookedMs) / 60_000) }, (_, index) => {
    const at = now - outageMs + index * 60_000;
    return samples.add({
      monitor,
      at,
      status: 'down',
      latencyMs: null,
      holdSecs: Math.min(60, (untilAt - at) / 1000),
      isHeartbeat: false,
      category: 'connection',
      message: refused,
    });
  });
}

/** A state is stored as the plain JSON it is. */
function jsonOf(state: MonitorState): Json {
  return JSON.parse(JSON.stringify(state)) as Json;
}

/**
 * A screen without what depends on when it was drawn: times, the date of an event before midnight, the days that have
 * passed since midnight, the hour that has just begun. Columns are parted by two spaces.
 */
export function settledScreen(text: string): string {
  const today = new Date(realClock.now()).toISOString().slice(5, 10);
  return text
    .replace(/ (\d\d-\d\d)(?= \d\d:\d\d:\d\d)/g, (date, day) => (day === today ? date : ' '))
    .replace(/\d\d:\d\d:\d\d/g, 'hh:mm:ss')
    .replace(/for \d+m( \d+s)?/g, 'for TIME')
    .replace(/\b\d+[hms]( \d+s)?( ago)\b/g, 'TIME$2')
    .replace(/\b\d+m \d+s\b|\b1[23]m\b/g, 'TIME')
    .replace(/·{10,}\S*|\.{10,}\S*/g, 'DAYS')
    .replace(/(?<=[ }])(?:([▁▃▄▆█])\1{22}|([#_~+-])\2{10})(?= )/g, '$&$1$2')
    .replace(/(?:▅{8,}|={8,})(?:\{[^}]*\})?[✗x]*/g, 'LATENCY')
    .replace(/ {2,}/g, '  ');
}

const refused = 'the connection to 127.0.0.1:1 is refused';
const outageMs = 754_000;

function heldSince(now: number) {
  return { startedAt: now - outageMs, confirmedAt: now - outageMs + 120_000, isReattached: false };
}

function outageOf(now: number): Operation[] {
  const incident = 'k3jd8s2a';
  const at = now - outageMs + 120_000;
  return [
    incidents.open({
      uid: incident,
      monitor: 'api',
      name: 'Public API',
      startedAt: now - outageMs,
      confirmedAt: at,
      category: 'connection',
      reason: refused,
      cause: null,
      impacted: ['search'],
      snapshot: null,
      vantage: null,
    }),
    decisions.log({
      at,
      monitor: 'api',
      incident,
      channel: 'mail',
      event: 'down',
      verdict: 'told',
      reason: 'delivered',
      detail: 'The message arrived.',
    }),
  ];
}

function troubleOf(now: number): Operation[] {
  const failed = Array.from({ length: 4 }, (_, index) =>
    channels.failed({ channel: 'ops', at: now - 643_000 + index * 1000, error: 'connection refused' }),
  );
  const banner = {
    title: 'Moving to a new building',
    body: null,
    severity: 'info',
    untilAt: null,
    createdAt: now,
  } as const;
  return [...failed, announcements.add(banner)];
}
