/** Loads configurations from text, with an environment and files of the test's own. */
import { dirname } from 'node:path';
import { rootCertificates } from 'node:tls';
import { type ListMatches, matcherOf } from '../../src/engine/config/list-matches.ts';
import { ConfigError, type LoadProblem } from '../../src/engine/config/problem.ts';
import { parseConfig, type LoadedConfig } from '../../src/engine/config/load.ts';
import type { ReadFile } from '../../src/engine/config/read-file.ts';

export interface World {
  readonly env?: Readonly<Record<string, string>>;
  /** Content by absolute path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** What the `ca_file` of the example names: certificates of authorities. */
export const authorityFiles = { '/etc/statusd/ca.pem': rootCertificates.slice(0, 2).join('\n') };

/** A reader of files that only exist here; others fail as the system's would. */
export function fakeFiles(files: Readonly<Record<string, string | Uint8Array>>): ReadFile {
  return (path) => {
    const content = files[path];
    if (content !== undefined) return Promise.resolve(Buffer.from(content));
    return Promise.reject(Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' }));
  };
}

/** Finds files that only exist here. */
export function fakeMatches(files: Readonly<Record<string, string | Uint8Array>>): ListMatches {
  return (pattern) => {
    const isMatch = matcherOf(pattern);
    const paths = Object.keys(files).filter(
      (path) => dirname(path) === dirname(pattern) && isMatch(path.slice(dirname(path).length + 1)),
    );
    return Promise.resolve(paths.sort());
  };
}

/** Loads a text as the file /etc/statusd/statusd.toml. */
export function load(toml: string, { env = {}, files = {} }: World = {}): Promise<LoadedConfig> {
  return parseConfig(toml, {
    file: '/etc/statusd/statusd.toml',
    env,
    readFile: fakeFiles(files),
    listMatches: fakeMatches(files),
  });
}

/** The problems of a text that must not load. */
export async function problemsOf(toml: string, world: World = {}): Promise<readonly LoadProblem[]> {
  try {
    await load(toml, world);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the configuration loaded, but should not have');
}
