/** Prints the nodes that share the configured database. */
import { hostname } from 'node:os';
import type { SeenNode, Survey } from '../../db/shared/survey.ts';
import type { Config } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { secondsText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';

type NodeRole = 'leader' | 'standby' | 'gone';

interface ListedNode extends SeenNode {
  readonly role: NodeRole;
  /** As that of the node that leads; null: nobody leads. */
  readonly isConfigSame: boolean | null;
}

export async function performNodes(run: RunOptions, context: Context): Promise<ExitCode> {
  const { storage } = (await openConfig(run.configFile, context)).config;
  if (storage === null)
    throw new StatusdError('usage', 'this configuration has no [storage]: one node has its database', {
      hint: 'See statusd.toml(5) for a database that several nodes share.',
    });
  const { surveyShared } = await import('../shared-database.ts');
  const found = await surveyShared(storage, context.clock);
  const nodes = listedNodes(found, storage.lease_secs * 1000);
  if (run.isJson) context.stdout.write(`${toJson(nodesJson(found, nodes))}\n`);
  else context.stdout.write(await nodesText(nodes, run, context));
  return found.leader === null ? exitCodes.wrong : exitCodes.ok;
}

/** The name of this node: its own, or that which peers know, or that of the host. */
export function nodeIdOf({ node, health }: Pick<Config, 'node' | 'health'>): string {
  return node.id ?? health.id ?? hostname();
}

/** A node says that it is there once a lease. */
export function listedNodes({ leader, nodes }: Survey, leaseMs: number): readonly ListedNode[] {
  const leading = nodes.find(({ id }) => id === leader);
  return nodes.map((node) => ({
    ...node,
    role: node.id === leader ? 'leader' : node.ageMs > 3 * leaseMs ? 'gone' : 'standby',
    isConfigSame: leading === undefined ? null : node.config === leading.config,
  }));
}

function nodesJson({ leader }: Survey, nodes: readonly ListedNode[]) {
  return {
    leader,
    nodes: nodes.map(({ id, role, ageMs, version, url, isConfigSame, isProbing, probesPerSec }) => ({
      id,
      role,
      seen_secs: Math.round(ageMs / 1000),
      version,
      url,
      is_config_same: isConfigSame,
      is_probing: isProbing,
      probes_per_sec: Math.round(probesPerSec * 10) / 10,
    })),
  };
}

async function nodesText(
  nodes: readonly ListedNode[],
  { isQuiet, isColourRefused }: RunOptions,
  context: Context,
): Promise<string> {
  if (nodes.length === 0) return isQuiet ? '' : 'No node has used this database in the last day.\n';
  const output = await openTerminalOutput(
    context,
    isColourRefused,
    nodes.map(({ id }) => cleanLine(id)),
  );
  const rows = nodes.map(({ id, role, ageMs, version, url, isConfigSame, isProbing, probesPerSec }) =>
    [
      id,
      role,
      `${secondsText(Math.round(ageMs / 1000) * 1000)} ago`,
      version,
      cleanLine(url),
      isConfigSame === false ? 'differs' : isConfigSame === null ? '' : 'same',
      !isProbing && role !== 'leader' ? 'none' : probesPerSec.toFixed(1),
    ].map((text) => ({ text })),
  );
  const columns = ['NODE', 'ROLE', 'SEEN', 'VERSION', 'URL', 'CONFIG', 'CHECKS/S'].map((heading) => ({
    heading,
  }));
  return `${tableLines({ columns, rows }, output).join('\n')}\n`;
}
