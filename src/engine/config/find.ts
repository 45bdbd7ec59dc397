/** Finds the configuration file. */
import { join, resolve } from 'node:path';
import { StatusdError } from '../core/errors.ts';
import type { Environment } from './expand.ts';

export interface ConfigLocation {
  /** The value of --config; null when it was not given. */
  readonly flag: string | null;
  readonly env: Environment;
  readonly cwd: string;
  /** The home folder of the user; null when there is none. */
  readonly home: string | null;
}

/**
 * The absolute path of the configuration file: `--config`, `$STATUSD_CONFIG`, `./statusd.toml`,
 * `$XDG_CONFIG_HOME/statusd/statusd.toml` (`~/.config` without the variable), `/etc/statusd/statusd.toml`. The first two
 * are taken at their word; of the others the first that exists is. Throws StatusdError `config_missing`.
 */
export function findConfig(whereabouts: ConfigLocation, exists: (path: string) => boolean): string {
  const { flag, env, cwd, home } = whereabouts;
  const named = flag ?? env['STATUSD_CONFIG'] ?? '';
  if (named !== '') return resolve(cwd, named);
  if (flag !== null) throw new StatusdError('config_missing', '--config needs the path of a file');
  const places = [join(cwd, 'statusd.toml'), ...userPlaces(env, home), '/etc/statusd/statusd.toml'];
  const found = places.find(exists);
  if (found !== undefined) return found;
  throw new StatusdError('config_missing', `there is no configuration: looked for ${places.join(', ')}`, {
    hint: '`statusd init` writes one, `statusd demo` runs without, --config PATH names another.',
  });
}

/** The XDG base directory specification: a relative path in the variable is to be ignored. */
function userPlaces({ XDG_CONFIG_HOME: folder = '' }: Environment, home: string | null): readonly string[] {
  const base = folder.startsWith('/') ? folder : home === null ? null : join(home, '.config');
  return base === null ? [] : [join(base, 'statusd', 'statusd.toml')];
}
