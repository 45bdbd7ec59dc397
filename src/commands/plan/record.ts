/** Stores the configuration that the daemon runs, so that another process can tell what a reload would change. */
import { randomBytes } from 'node:crypto';
import type { Json, Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Store } from '../../db/store/store.ts';
import { meta } from '../../db/tables/meta.ts';
import { anObject, readAs } from '../../engine/core/decode.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Redact } from '../../engine/config/redact.ts';
import { isSame } from '../../engine/monitoring/same.ts';
import { atOnce, type Steps, withPauses } from '../../engine/core/yielding.ts';
import { readOnce, runningStorage, type StartedConfig } from '../serve/restart-needed.ts';
import { fingerprintSteps, type ConfigFingerprint, type FingerprintSettings } from './fingerprint.ts';

export interface Recorded {
  /** Since when it runs like this. */
  readonly at: number;
  readonly salt: string;
  readonly fingerprint: ConfigFingerprint;
}

interface RunningConfig {
  readonly config: Config;
  readonly redact: Redact;
  /** The configuration of the start: what is read only then has stayed. */
  readonly started: StartedConfig;
  /** Called between the steps, see `paced`. */
  readonly yieldTurn?: () => Promise<void>;
}

const name = 'running';

/** A value of the database may be 100,000 characters long; monitors fill as many values as they need. */
const partCharacters = 80_000;

/** Writes nothing when nothing has changed. */
export async function recordRunning(
  store: Pick<Store, 'sql' | 'write'>,
  { config, redact, started, yieldTurn }: RunningConfig,
  at: number,
): Promise<void> {
  const known = readHead(store.sql);
  const salt = known?.salt ?? randomBytes(16).toString('hex');
  const kept = Object.fromEntries(readOnce.map((key) => [key, started.server[key]]));
  const { node } = started;
  const storage = runningStorage(started.storage, config.storage);
  const running = { ...config, storage, node, server: { ...config.server, ...kept } };
  const inSteps = <Made>(steps: Steps<Made>) =>
    yieldTurn === undefined ? atOnce(steps) : withPauses(steps, yieldTurn);
  const fingerprint = await inSteps(fingerprintSteps(running, { redact, salt }));
  const operations = await inSteps(changes(store.sql, known, { at, salt, fingerprint }));
  // Each part is long, so others have their turn between two. The head comes with the last part: where that is missing,
  // the next start writes both.
  for (const part of operations.slice(0, -2)) await store.write([part], { mustBeDurable: false });
  if (operations.length > 0) await store.write(operations.slice(-2), { mustBeDurable: false });
}

/** Null when no daemon wrote it, or not in a way that this version understands. */
export function readRunning(sql: SqlReader): Recorded | null {
  const head = readHead(sql);
  if (head === null) return null;
  const { at, salt, parts, rest } = head;
  const { channels, peers, outputs, sections } = rest;
  const monitors = Array.from({ length: parts }, (_, part) => readTable(meta.get(sql, partName(part))) ?? {});
  return {
    at,
    salt,
    fingerprint: {
      monitors: tablesOf(Object.fromEntries(monitors.flatMap((part) => Object.entries(part)))),
      channels: tablesOf(channels),
      peers: tablesOf(peers),
      outputs: tablesOf(outputs),
      sections: tablesOf(sections),
    },
  };
}

interface Head {
  readonly at: number;
  readonly salt: string;
  /** How many parts hold the monitors. */
  readonly parts: number;
  readonly rest: FingerprintSettings;
}

function readHead(sql: SqlReader): Head | null {
  const { at, salt, parts, ...rest } = readTable(meta.get(sql, name)) ?? {};
  if (typeof at !== 'number' || typeof salt !== 'string' || typeof parts !== 'number') return null;
  return { at, salt, parts, rest };
}

/** What makes the record that of `fingerprint`: the parts that are not the same, and none when all are. */
function* changes(
  sql: SqlReader,
  known: Head | null,
  { at, salt, fingerprint }: Recorded,
): Steps<readonly Operation[]> {
  const { monitors, ...rest } = fingerprint;
  const parts = yield* partsOf(monitors);
  const changed: Operation[] = [];
  for (const [part, value] of parts.entries()) {
    if (!isSame(meta.get(sql, partName(part)), value))
      changed.push(meta.set({ name: partName(part), value }));
    yield;
  }
  for (let part = parts.length; meta.get(sql, partName(part)) !== null; part += 1)
    changed.push(meta.set({ name: partName(part), value: null }));
  const isHeadSame = known !== null && known.parts === parts.length && isSame(known.rest, rest);
  if (isHeadSame && changed.length === 0) return [];
  return [...changed, meta.set({ name, value: { at, salt, parts: parts.length, ...rest } })];
}

const partName = (part: number) => `${name}.${part}`;

function* partsOf(monitors: ConfigFingerprint['monitors']): Steps<readonly FingerprintSettings[]> {
  const parts: [id: string, settings: FingerprintSettings][][] = [];
  let room = 0;
  for (const [id, settings] of Object.entries(monitors)) {
    const size = JSON.stringify(settings).length + id.length;
    if (parts.length === 0 || size > room) {
      parts.push([]);
      room = partCharacters;
    }
    parts.at(-1)?.push([id, settings]);
    room -= size;
    yield;
  }
  return parts.map((entries) => Object.fromEntries(entries));
}

function tablesOf(value: Json | undefined): Readonly<Record<string, FingerprintSettings>> {
  const entries = Object.entries(readTable(value) ?? {});
  return Object.fromEntries(entries.map(([key, item]) => [key, readTable(item) ?? {}]));
}

function readTable(value: Json | undefined): FingerprintSettings | null {
  return readAs(value, anObject) as FingerprintSettings | null;
}
