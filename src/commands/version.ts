/** The version of this package. */
import { readFileSync } from 'node:fs';

/** Set by the build; absent when the sources run as they are. */
declare const STATUSD_VERSION: string | undefined;

export function version(): string {
  if (typeof STATUSD_VERSION === 'string') return STATUSD_VERSION;
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
