/** Asks a question with the probes and the defaults that a configuration would give it. */
import { parseConfig, type Loaded } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import type { Redact } from '../../engine/config/redact.ts';
import type { Clock } from '../../engine/core/clock.ts';
import type { ProbeResult } from '../../engine/core/probe.ts';
import { check } from '../../engine/probes/check.ts';
import { createResolver } from '../../engine/probes/resolve.ts';
import { createTrust } from '../../engine/probes/tls-trust.ts';
import { version } from '../version.ts';
import type { Question } from './target.ts';
import { tomlString } from './toml.ts';

export interface Asker {
  readonly probe: (question: Question) => Promise<ProbeResult>;
  /** Masks what looks like a secret in the targets asked so far. */
  readonly redact: Redact;
}

export interface AskerTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where `ping` is looked for. */
  readonly searchPath: string;
}

export function createAsker({ clock, signal, searchPath }: AskerTools): Asker {
  const shared = { clock, signal, searchPath, version: version(), nameServers: null, execDir: null };
  const tools = { ...shared, resolver: createResolver({ clock }), trust: createTrust() };
  const loaded = new Map<string, Promise<Loaded>>();
  const masks = new Set<Redact>();
  return {
    redact: (text) => [...masks].reduce((masked, mask) => mask(masked), text),
    probe: async (question) => {
      const table = tableOf(question);
      const loading = loaded.get(table) ?? parseConfig(table, surroundings);
      loaded.set(table, loading);
      const { config, redact } = await loading;
      masks.add(redact);
      const [monitor] = config.monitors;
      if (monitor === undefined || monitor.kind === 'push') throw new Error('no question is a push monitor');
      return (await check(monitor, { ...tools, redact })).result;
    },
  };
}

/** Nothing of this host may change what is asked. */
const surroundings = { file: 'statusd.toml', env: {}, readFile: readSmallFile };

/** The least that makes a monitor; every other setting is its default. */
function tableOf({ kind, target }: Question): string {
  return [
    '[[monitors]]',
    'id = "target"',
    `kind = ${tomlString(kind)}`,
    `target = ${tomlString(target)}`,
    'probe_retries = 0',
  ].join('\n');
}
