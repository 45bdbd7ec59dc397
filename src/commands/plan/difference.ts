/** Compares the running configuration with the one on disk. */
import type { Json } from '../../db/store/operation.ts';
import { isSame } from '../../engine/monitoring/same.ts';
import { readOnce } from '../serve/restart-needed.ts';
import { type ConfigFingerprint, type FingerprintSettings, isHidden } from './fingerprint.ts';
import { durationText } from '../../engine/core/duration.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';

/** Null: there is no value. */
export interface SettingChange {
  readonly key: string;
  readonly before: Json;
  readonly after: Json;
}

export interface Altered {
  readonly id: string;
  readonly changes: readonly SettingChange[];
}

interface Entries {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly Altered[];
}

export interface ConfigDifference {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly restarted: readonly Altered[];
  readonly unchanged: number;
  readonly channels: Entries;
  readonly peers: Entries;
  readonly outputs: Entries;
  /** `page.title` and the like; in effect at once. */
  readonly settings: readonly SettingChange[];
  /** What stays as it was until the daemon is started again. */
  readonly waiting: readonly SettingChange[];
}

export function differenceOf(before: ConfigFingerprint, after: ConfigFingerprint): ConfigDifference {
  const monitors = entriesOf(before.monitors, after.monitors);
  // What another version of the daemon did not write down is not known.
  const names = Object.keys(after.sections).filter((name) => Object.hasOwn(before.sections, name));
  const changed = names.flatMap((section) =>
    changesOf(before.sections[section] ?? {}, after.sections[section] ?? {}).map(({ key, ...change }) => ({
      key: `${section}.${key}`,
      ...change,
    })),
  );
  const settings = changed.filter(({ key }) => key !== 'storage.place');
  const once = new Set<string>(readOnce.map((key) => `server.${key}`));
  const isSamePlace = samePlace(before.sections['storage'], after.sections['storage']);
  const waits = (key: string) =>
    once.has(key) || (/^(?:storage|node)\./.test(key) && !(key === 'storage.url' && isSamePlace));
  return {
    started: monitors.added,
    stopped: monitors.removed,
    restarted: monitors.changed,
    unchanged: Object.keys(after.monitors).length - monitors.added.length - monitors.changed.length,
    channels: withoutUnknown(entriesOf(before.channels, after.channels)),
    peers: entriesOf(before.peers, after.peers),
    outputs: entriesOf(before.outputs, after.outputs),
    settings: settings.filter(({ key }) => !waits(key)),
    waiting: settings.filter(({ key }) => waits(key)),
  };
}

/** Whether both lead to the same database: another login of it is taken by a reload. */
function samePlace(before: FingerprintSettings = {}, after: FingerprintSettings = {}): boolean {
  return before['place'] !== undefined && isSame(before['place'], after['place']);
}

/** Whether nothing at all would happen. */
export function isEmpty({
  started,
  stopped,
  restarted,
  channels,
  peers,
  outputs,
  settings,
  waiting,
}: ConfigDifference): boolean {
  const lists = [channels, peers, outputs].flatMap(({ added, removed, changed }) => [
    added,
    removed,
    changed,
  ]);
  return [started, stopped, restarted, settings, waiting, ...lists].every((list) => list.length === 0);
}

/** Of a channel that is switched off nothing is known but the setting that does so. */
function withoutUnknown(channels: Entries): Entries {
  return {
    ...channels,
    changed: channels.changed.map(({ id, changes }) => {
      const off = changes.find(({ key }) => key === 'switched_off_by');
      if (off === undefined) return { id, changes };
      const known = new Set<Json>(['switched_off_by', off.before, off.after]);
      return { id, changes: changes.filter(({ key }) => known.has(key)) };
    }),
  };
}

type Tables = Readonly<Record<string, FingerprintSettings>>;

function entriesOf(before: Tables, after: Tables): Entries {
  return {
    added: Object.keys(after).filter((id) => !Object.hasOwn(before, id)),
    removed: Object.keys(before).filter((id) => !Object.hasOwn(after, id)),
    changed: Object.entries(after).flatMap(([id, settings]) => {
      const known = Object.hasOwn(before, id) ? before[id] : undefined;
      const changes = known === undefined ? [] : changesOf(known, settings);
      return changes.length === 0 ? [] : [{ id, changes }];
    }),
  };
}

function changesOf(before: FingerprintSettings, after: FingerprintSettings): SettingChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .map((key) => ({ key, before: valueOf(before, key), after: valueOf(after, key) }))
    .filter((change) => !isSame(change.before, change.after));
}

function valueOf(settings: FingerprintSettings, key: string): Json {
  return (Object.hasOwn(settings, key) ? settings[key] : null) ?? null;
}

/** `"a" -> "b"`, `not set -> 3`, `changed` for a secret. The arrow is that of the terminal. */
export function changeText({ key, before, after }: SettingChange, arrow: string): string {
  const isTimed = /^(?:rotations|maintenance|incidents)\./.test(key);
  const [old, next] = [before, after].map((value) => valueText(isTimed ? asWritten(value) : value)) as [
    string,
    string,
  ];
  // What both show is the same: the difference is in the secret part.
  if (old === next)
    return isHidden(after) && after.shown !== null ? `${next}, the secret in it changed` : 'changed';
  return `${old} ${arrow} ${next}`;
}

const spans = new Set(['every', 'duration']);
const instants = new Set(['from', 'start', 'end', 'at']);

/** Spans and instants in milliseconds, as they are written in a file: `1h30m`, `2026-06-01T09:00:00Z`. */
function asWritten(value: Json): Json {
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== 'object' || value === null || isHidden(value)) return value;
  const written = Object.entries(value).map(([key, item]): [string, Json] => {
    if (typeof item !== 'number') return [key, asWritten(item)];
    return [
      key,
      spans.has(key) ? durationText(item).replaceAll(' ', '') : instants.has(key) ? rfc3339(item) : item,
    ];
  });
  return Object.fromEntries(written);
}

function valueText(value: Json): string {
  if (value === null) return 'not set';
  if (isHidden(value)) return value.shown === null ? 'a secret' : cleanLine(JSON.stringify(value.shown));
  return cleanLine(JSON.stringify(plain(value)));
}

/** The same value for a program: a secret is `[secret]`. */
export function plain(value: Json): Json {
  if (isHidden(value)) return value.shown ?? '[secret]';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { from, to, ...rest } = value as Readonly<Record<string, Json>>;
  if (typeof from === 'number' && typeof to === 'number' && Object.keys(rest).length === 0) {
    return from === to ? from : `${from}-${to}`;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
