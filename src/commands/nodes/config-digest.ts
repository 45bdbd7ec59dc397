/** A digest of the settings that nodes sharing a database must have in common. */
import { createHash } from 'node:crypto';
import type { Config } from '../../engine/config/config.ts';

const digests = new WeakMap<Config, string>();

/** Of what should be the same on all nodes; which secret stands where does not show. */
export function configDigestOf(config: Config): string {
  let digest = digests.get(config);
  if (digest === undefined) {
    const own = { server: null, node: null, health: null, storage: null };
    digest = createHash('sha256')
      .update(JSON.stringify({ ...config, ...own }))
      .digest('hex')
      .slice(0, 12);
    digests.set(config, digest);
  }
  return digest;
}
