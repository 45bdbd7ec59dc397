/** The nodes of a shared database, and how long the database takes to answer. */
import { LinkError } from './link.ts';
import {
  openFault,
  sharedDatabaseAt,
  type SharedDatabaseOptions,
  readStanding,
  type Standing,
} from './database.ts';
import type { NodeRow } from './statements.ts';

export interface SeenNode extends NodeRow {
  /** Since it was there. */
  readonly ageMs: number;
}

export interface Survey extends Standing {
  /** Those of the last day, by id. */
  readonly nodes: readonly SeenNode[];
  /** How long the server takes to answer. */
  readonly tookMs: number;
  /** The clock of this host minus that of the server. */
  readonly aheadMs: number;
  /** How large the table of history is; null: there is none yet. */
  readonly historyBytes: number | null;
}

const deadlineMs = 10_000;

/** The same nodes, so long after they were read. */
export function agedBy(nodes: readonly SeenNode[], ms: number): readonly SeenNode[] {
  return nodes.map((node) => ({ ...node, ageMs: node.ageMs + ms }));
}

/** A row of `Statements.nodes`. */
export function seenNode(row: Readonly<Record<string, unknown>>): SeenNode {
  return {
    id: String(row['id']),
    url: String(row['url']),
    version: String(row['version']),
    config: String(row['config']),
    isProbing: row['is_probing'] === true,
    probesPerSec: Number(row['probes_per_sec']),
    ageMs: Number(row['age']),
  };
}

/** Throws `store_unusable`. */
export async function survey(options: Omit<SharedDatabaseOptions, 'deadlineMs'>): Promise<Survey> {
  const { schema, clock } = options;
  const place = sharedDatabaseAt({ ...options, deadlineMs });
  try {
    const standing = await readStanding(place, { schema, deadlineMs });
    const rows = await place.link.run(place.statements.nodes, deadlineMs);
    const startedMs = clock.monotonic();
    const [now] = await place.link.run(place.statements.place, deadlineMs);
    const tookMs = clock.monotonic() - startedMs;
    const [table] = await place.link.run(place.statements.hasHistory, deadlineMs);
    const bytes = table?.['bytes'] ?? null;
    return {
      ...standing,
      historyBytes: bytes === null ? null : Number(bytes),
      tookMs,
      aheadMs: clock.now() - tookMs / 2 - Number(now?.['now']),
      nodes: rows.map(seenNode),
    };
  } catch (error) {
    throw error instanceof LinkError ? openFault(error) : error;
  } finally {
    await place.link.close();
  }
}
