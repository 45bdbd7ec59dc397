/** What is wrong with a database server or the way to it, in words for the operator, and what to do about it. */
import { cleanLine, cutText } from '../../engine/core/text.ts';
import { EmptyPlace, LinkError, readOnlyState } from './link.ts';

interface Fault {
  readonly is: string;
  readonly hint: string;
}

export const readOnlyHint = 'Point storage.url at the primary server: this one is a replica, or read-only.';

const emptyHint = 'It is being restored, or a restore was not completed: restore all of it.';

/** Others may leave soon. */
export const tooManyClients = '53300';

/** By what the server says (PostgreSQL, appendix A). */
const hints: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user and the password in storage.url.',
  '28000': 'Correct the user in storage.url, or let it in (pg_hba.conf).',
  '3D000': 'Make that database first: `createdb`.',
  '42501':
    'Make the user of storage.url the owner of the schema and its tables, or, before the first start, let it create in that database.',
  '42704': 'Correct the parameters in storage.url.',
  '53100': 'Free some space on the disk of the server.',
  [tooManyClients]: 'Raise max_connections of the server, or the limit of the user or the database.',
  '55000': 'Let it be connected to: ALTER DATABASE … ALLOW_CONNECTIONS true.',
  '55P03':
    'End the session that holds the lock (pg_locks), or raise lock_timeout of the user of storage.url.',
  '57014': 'Raise statement_timeout of the user of storage.url: ALTER ROLE … SET statement_timeout.',
  [readOnlyState]: readOnlyHint,
};

/** What was said, and what to do about it. */
export function faultOf(error: unknown): Fault {
  const said = cleanLine(error instanceof Error ? error.message : String(error)).trim();
  if (error instanceof EmptyPlace) return { is: said, hint: emptyHint };
  const { sqlState, cause } = error instanceof LinkError ? error : { sqlState: null, cause: error };
  const known = faults.find(({ codes, words }) => codes?.test(codeOf(cause)) ?? words?.test(said));
  const is = known?.is?.(said, cause) ?? (said === '' ? 'the server was not reached' : said);
  if (known !== undefined) return { is, hint: known.hint };
  if (sqlState === null) return { is, hint: 'Is the server running, and storage.url right?' };
  return { is, hint: hints[sqlState] ?? 'Look at the log of the server.' };
}

/** A fault that is known by its code, or by its words alone. */
interface KnownFault {
  readonly codes?: RegExp;
  readonly words?: RegExp;
  /** In other words than those of the library. */
  readonly is?: (said: string, cause: unknown) => string;
  readonly hint: string;
}

const faults: readonly KnownFault[] = [
  {
    codes: /^CERT_HAS_EXPIRED$/,
    is: () => 'the certificate of the server has expired',
    hint: 'Renew it at the server, and check the clock of this host.',
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    is: () => 'the certificate of the server is not valid yet',
    hint: 'Check the clock of this host.',
  },
  {
    codes: /SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/,
    is: () => 'the certificate of the server comes from an unknown authority',
    hint: 'Name the file with the certificate of that authority in storage.url: sslrootcert=/path/to/ca.pem.',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    is: (_, cause) => `the certificate of the server is for another name${namesIn(cause)}`,
    hint: 'Use a host in storage.url that the certificate names, or have it issued for this one.',
  },
  {
    words: /does not support SSL/,
    is: () => 'the server does not offer TLS',
    hint: 'Turn on ssl there. In a network that you trust, sslmode=disable in storage.url does without.',
  },
  {
    words: /:SSL routines:.*alert .*(?:certificate|unknown ca)/,
    is: (said) => `the server does not accept the client certificate: ${reasonIn(said)}`,
    hint: 'Correct sslcert and sslkey in storage.url, or have the certificate renewed.',
  },
  {
    codes: /^(?:ERR_OSSL_|ERR_SSL_|ERR_TLS_|EPROTO)/,
    is: (said) => `TLS failed: ${reasonIn(said)}`,
    hint: 'Check sslcert, sslkey and sslrootcert in storage.url, and the TLS settings of the server.',
  },
  {
    words: /^(?:ENOENT|EACCES|EISDIR|ENOTDIR|EPERM): /,
    hint: 'Correct sslrootcert, sslcert or sslkey in storage.url, or let this user read that file.',
  },
  {
    words: /client password must be/,
    is: () => 'the server asks for a password, and there is none in storage.url',
    hint: 'Write it there: postgres://user:password@host/database.',
  },
  {
    words: /^no answer within /,
    hint: 'Is the server running, and storage.url right? Behind a pooler, is its pool large enough: 4 connections a node?',
  },
  {
    words: /^the server sends more than /,
    hint: 'Does a PostgreSQL server listen at the address in storage.url? If it does, a table of storage.schema holds rows that are not of statusd.',
  },
  {
    words: /^(?:no more connections allowed|query_wait_timeout)/,
    hint: 'Raise max_client_conn and the size of the pool (default_pool_size) of the pooler: a node has up to 4 connections.',
  },
  {
    words: /server_login_retry|^(?:pgbouncer cannot connect|server login failed)/,
    hint: 'Look at the log of the pooler: its database server does not let it in.',
  },
  {
    words: /startup parameter/,
    hint: 'Remove it from storage.url (options) or the environment (PGOPTIONS): the pooler refuses it.',
  },
  {
    words: /no pg_hba\.conf entry.*no encryption/,
    hint: 'Add sslmode=verify-full to storage.url, or let this user in without (pg_hba.conf).',
  },
];

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** OpenSSL has its reason between colons: `80…:error:0A000418:SSL routines:f:reason:file:1:`. */
function reasonIn(said: string): string {
  return (
    /:error:[^:]*:[^:]*:[^:]*:([^:]+)|^error:[^:]*:[^:]*:[^:]*:([^:]+)/.exec(said)?.slice(1).find(Boolean) ??
    said
  );
}

/** What a certificate says of itself is text from outside. */
function namesIn(cause: unknown): string {
  const { cert } = cause as { readonly cert?: { readonly subjectaltname?: string } };
  const names = cutText(cleanLine(cert?.subjectaltname ?? ''), 120);
  return names === '' ? '' : ` (${names})`;
}
