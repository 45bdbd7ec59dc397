/** Makes a configuration of one target: its monitor, with every setting at its default. */
import { type LoadedConfig, parseConfig } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import type { ProbeQuestion } from './target.ts';
import { tomlString } from '../document/toml.ts';

export interface AskedConfig extends Pick<LoadedConfig, 'redact' | 'config'> {
  readonly monitor: ProbedMonitor;
}

/** Throws what loading a configuration throws. */
export async function questionConfig(question: ProbeQuestion): Promise<AskedConfig> {
  const { config, redact } = await parseConfig(tableOf(question), surroundings);
  const [monitor] = config.monitors;
  if (monitor === undefined || monitor.kind === 'push') throw new Error('no question is a push monitor');
  return { monitor, redact, config };
}

/** Nothing of this host may change what is asked. */
const surroundings = { file: '/nowhere/statusd.toml', env: {}, readFile: readSmallFile };

/** The least that makes a monitor. A dollar sign of a target stands for itself. */
function tableOf({ kind, target }: ProbeQuestion): string {
  return [
    '[[monitors]]',
    'id = "target"',
    `kind = ${tomlString(kind)}`,
    `target = ${tomlString(target)}`,
    'probe_retries = 0',
  ].join('\n');
}
