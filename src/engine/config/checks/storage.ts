/** Whether the URL of the database has parameters without effect: whoever misspells one connects unencrypted. */
import { nearest } from '../../core/nearest.ts';
import type { ConfigDraft } from '../draft.ts';
import { warning, type ConfigFinding } from '../finding.ts';
import { parseDatabaseUrl } from '../types/url.ts';

const known = [
  ...['host', 'port', 'user', 'password', 'application_name', 'fallback_application_name', 'options'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...['client_encoding', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
];

export function* checkStorage({ storage }: ConfigDraft): Generator<ConfigFinding> {
  const url = parseDatabaseUrl(storage?.url?.reveal() ?? '');
  const names = [...(url?.searchParams.keys() ?? [])];
  // Anything else may be a part of a password.
  const unknown = names.filter((name) => /^[a-z_]{1,40}$/i.test(name) && !known.includes(name));
  if (unknown.length === 0) return;
  const [guess] = unknown.flatMap((name) => nearest(name, known) ?? []);
  yield warning(
    ['storage', 'url'],
    `has parameters that do nothing: ${unknown.join(', ')}`,
    guess === undefined ? 'remove them' : `did you mean ${guess}?`,
  );
}
