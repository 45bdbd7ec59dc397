/** The configurations of a test file: its base, and those made of it by tests and reloads. */
import { stringify } from 'smol-toml';
import type { Channel, Config, DisabledChannel } from '../../../engine/config/config.ts';
import type { Environment } from '../../../engine/config/expand.ts';
import { type ConfigFinding, failure } from '../../../engine/config/finding.ts';
import { parseConfig, readTables } from '../../../engine/config/load.ts';
import type { RawTable } from '../../../engine/config/parse.ts';
import { ConfigError, type LoadProblem, sentence } from '../../../engine/config/problem.ts';
import type { ReadFile } from '../../../engine/config/read-file.ts';
import { Secret } from '../../../engine/config/secret.ts';
import { channelRows } from '../../../engine/config/rows/channels.ts';
import { isTable, type Path } from '../../../engine/config/types/value.ts';

export interface ConfigSource {
  readonly text: string;
  /** Its name in messages; relative paths in it start from its folder. */
  readonly file: string;
  readonly env: Environment;
  readonly readFile: ReadFile;
}

/** Settings that are laid over the configuration, and where they stand in the test file. */
export interface ConfigLayer {
  readonly settings: RawTable;
  readonly path: Path;
}

type Outcome = { readonly config: Config } | { readonly findings: readonly ConfigFinding[] };

export interface Configs {
  /** With layers on it, one after the other. */
  readonly under: (configLayers: readonly ConfigLayer[]) => Promise<Outcome>;
}

/** Throws ConfigError when the configuration itself is wrong. */
export async function openConfigs(source: ConfigSource): Promise<Configs> {
  const base = withAllChannels((await parseConfig(source.text, source)).config);
  const { table } = (await readTables(source.text, source)).whole;
  return {
    under: async (configLayers) => {
      const last = configLayers.findLast(({ settings }) => Object.keys(settings).length > 0);
      if (last === undefined) return { config: base };
      const joined = configLayers.reduce<RawTable>((under, { settings }) => overlay(under, settings), table);
      try {
        const { config } = await parseConfig(stringify(joined), source);
        return { config: withAllChannels(config) };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { findings: error.problems.map((problem) => inLayer(problem, last, joined)) };
      }
    },
  };
}

/** Nothing is sent, so a secret that is not there switches nothing off. */
function withAllChannels(config: Config): Config {
  if (config.disabled_channels.length === 0) return config;
  return {
    ...config,
    channels: [...config.channels, ...config.disabled_channels.map(standIn)],
    disabled_channels: [],
  };
}

function standIn({ name }: DisabledChannel): Channel {
  const defaults = Object.entries(channelRows.webhook).flatMap(([key, { fallback }]) =>
    fallback.kind === 'value' ? [[key, fallback.value] as const] : [],
  );
  const own = { name, type: 'webhook', url: new Secret('https://statusd.invalid/') } as const;
  return { ...Object.fromEntries(defaults), ...own } as Channel;
}

/** A problem of a configuration with layers, at the place of the layer that made it. */
function inLayer(problem: LoadProblem, { settings, path: at }: ConfigLayer, joined: RawTable): ConfigFinding {
  const { message, hint } = problem;
  const own = stepsIn(settings, stepsOf(problem.path), joined);
  if (own !== null) return failure([...at, ...own], message, hint);
  return failure(at, `makes the configuration invalid: ${sentence({ ...problem, hint: null })}`, hint);
}

function stepsOf(path: string): Path {
  return [...path.matchAll(/\[(\d+)\]|"([^"]*)"|([^.[\]"]+)/g)].map(([, index, quoted, plain]) =>
    index === undefined ? (quoted ?? plain ?? '') : Number(index),
  );
}

/** The same place in the layer: of a list, the table that has the same name. Null: it is not of the layer. */
function stepsIn(settings: RawTable, [section, index, ...rest]: Path, joined: RawTable): Path | null {
  if (typeof section !== 'string' || !Object.hasOwn(settings, section)) return null;
  if (typeof index !== 'number') return index === undefined ? [section] : [section, index, ...rest];
  const own = settings[section];
  const all = joined[section];
  if (!Array.isArray(own) || !Array.isArray(all)) return [section];
  const wanted = nameOf(all[index]);
  const found = own.findIndex((item) => nameOf(item) === wanted);
  return found === -1 ? null : [section, found, ...rest];
}

function nameOf(item: unknown): unknown {
  return isTable(item) ? (item['id'] ?? item['name']) : undefined;
}

/** Lists of tables that have a name of their own, by the key that holds it. */
const namedBy: Readonly<Record<string, string>> = {
  monitors: 'id',
  channels: 'name',
  rotations: 'name',
  escalations: 'name',
  peers: 'id',
};

/**
 * Tables are joined key by key; of lists whose tables have a name those with the same one are, and others are added.
 * Everything else is replaced.
 */
function overlay(table: RawTable, over: RawTable): RawTable {
  const joined: Record<string, unknown> = { ...table };
  for (const [key, value] of Object.entries(over)) {
    const name = namedBy[key];
    if (name !== undefined && Array.isArray(value)) joined[key] = joinLists(joined[key], value, name);
    else joined[key] = joinValues(joined[key], value);
  }
  return joined;
}

function joinValues(before: unknown, over: unknown): unknown {
  return isTable(before) && isTable(over) ? { ...before, ...over } : over;
}

function joinLists(before: unknown, over: readonly unknown[], name: string): readonly unknown[] {
  const nameOf = (item: unknown): unknown => (isTable(item) ? item[name] : undefined);
  const list = Array.isArray(before) ? [...(before as readonly unknown[])] : [];
  for (const item of over) {
    const index = list.findIndex((known) => nameOf(known) !== undefined && nameOf(known) === nameOf(item));
    if (index === -1) list.push(item);
    else list[index] = joinValues(list[index], item);
  }
  return list;
}
