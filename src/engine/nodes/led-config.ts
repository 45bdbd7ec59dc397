/**
 * Tells whether a node leads with the configuration that the last leader had. A node with another one stands in: it
 * checks and notifies by its own file, but ends, renames and routes again nothing that its file does not have.
 */
import { aNumber, aText, document, orNull, readAs } from '../core/decode.ts';

/** The configuration that was led with last, as the database remembers it. */
export interface LedConfig {
  /** Its digest, and the version of the program that made the digest. */
  readonly config: string;
  readonly version: string;
  /** The node that led with it last. */
  readonly node: string;
  /** Since when a node with another configuration leads instead, epoch ms; null: none does. */
  readonly standInSinceAt: number | null;
}

interface ConfiguredNode {
  readonly id: string;
  readonly version: string;
  readonly config: string;
}

/** A node as it was last read in the database. */
interface SeenConfig extends ConfiguredNode {
  readonly ageMs: number;
}

/** The name under which the database remembers it. */
export const ledConfigName = 'led_config';

const aLedConfig = document({ config: aText, version: aText, node: aText, standInSinceAt: orNull(aNumber) });

/** Null: no leader has written it down, or not in a way that this version understands. */
export function readLedConfig(value: unknown): LedConfig | null {
  return readAs(value, aLedConfig);
}

export interface Fleet {
  readonly self: ConfiguredNode;
  /** All nodes of the last day, this one perhaps among them. */
  readonly seen: readonly SeenConfig[];
  /** Who was not there for longer is gone. */
  readonly liveMs: number;
}

/**
 * Whether a leader may bring the database in line with its own configuration. It may with the one that was led with last.
 * Another one counts once the node that led last has it too, and no living node has the one from before: then the file
 * was changed on purpose. A node that is gone has changed nothing, so a node with an older file waits for a reload. Before
 * a first leader has written its configuration down, all nodes that were seen have to agree.
 */
export function mayAlign(led: LedConfig | null, { self, seen, liveMs }: Fleet): boolean {
  const others = seen.filter(({ id }) => id !== self.id);
  if (led === null) return others.every(({ config }) => config === self.config);
  if (led.config === self.config) return true;
  const isKept = others.some(({ config, ageMs }) => config === led.config && ageMs <= liveMs);
  const hasChanged = [self, ...others].some(({ id, config }) => id === led.node && config === self.config);
  return hasChanged && !isKept;
}

/** The living nodes of this version, this one aside, that have the configuration that was led with last, while this one has not. */
export function rightfulNodes(led: LedConfig | null, { self, seen, liveMs }: Fleet): readonly string[] {
  if (led === null || led.config === self.config || led.version !== self.version) return [];
  return seen
    .filter(({ id, version, config, ageMs }) => {
      const isAlike = version === self.version && config === led.config;
      return id !== self.id && isAlike && ageMs <= liveMs;
    })
    .map(({ id }) => id);
}

/** The living nodes of the leader's version with another configuration than the leader has. Of another version no digest can be compared. */
export function differingNodes(leader: string | null, { self, seen, liveMs }: Fleet): readonly string[] {
  const all: readonly SeenConfig[] = [
    { ...self, ageMs: 0 },
    ...seen.filter(({ id, ageMs }) => id !== self.id && ageMs <= liveMs),
  ];
  const leading = all.find(({ id }) => id === leader);
  if (leading === undefined) return [];
  return all
    .filter(({ version, config }) => version === leading.version && config !== leading.config)
    .map(({ id }) => id)
    .toSorted();
}
