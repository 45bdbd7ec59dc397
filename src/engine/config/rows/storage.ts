/** The rows of `[storage]` and `[node]`: a database server that several nodes share, and this node among them. */
import { optional, required, setting } from '../row.ts';
import { integer } from '../types/number.ts';
import { flag } from '../types/flag.ts';
import { isBlank, secretly, secretText } from '../types/secret-text.ts';
import type { Secret } from '../secret.ts';
import { bad, good, type ValueType } from '../types/value.ts';
import { identifier } from '../types/text.ts';
import { baseUrl, databaseUrl } from '../types/url.ts';

const secretUrl = secretly(databaseUrl);

export const storageRows = {
  url: required(
    {
      ...secretUrl,
      read: (raw) =>
        isBlank(raw)
          ? bad('must not be empty', 'is its variable set? without a server, remove [storage]')
          : secretUrl.read(raw),
    } satisfies ValueType<Secret>,
    {
      doc: 'PostgreSQL database that stores everything, instead of server.database_path. $STATUSD_STORAGE_URL takes precedence and works without this table. sslmode=verify-full encrypts and verifies the server; sslrootcert names the file with the certificate of its authority. Without sslmode nothing is encrypted. Another user or password takes effect with a reload. Behind a pooler in session mode each node needs 4 connections.',
      example: '"postgres://statusd@db.example.com/statusd?sslmode=verify-full"',
    },
  ),
  schema: setting(identifier, 'statusd', {
    doc: 'Schema in that database. Nodes with the same schema share all data and act as one installation.',
    example: '"statusd"',
  }),
  lease_secs: setting(integer({ min: 5, max: 120 }), 15, {
    doc: 'How long the leader may be unable to reach the database before another node takes over. Must be the same on all nodes.',
    example: '15',
  }),
  history_hours: setting(integer({ min: 26, max: 8760 }), 48, {
    doc: 'Hours for which each node keeps single samples in memory. Older samples are read from the table history of the database; hourly and daily figures stay in memory.',
    example: '48',
  }),
};

/** Null: it is empty, which is as good as none. */
const nodeToken: ValueType<Secret | null> = {
  ...secretText,
  read: (raw) => {
    if (isBlank(raw)) return good(null);
    if (typeof raw === 'string' && !/^[!-~]+$/.test(raw))
      return bad('must be ASCII without blanks', 'a header carries it; for example: openssl rand -hex 32');
    return secretText.read(raw);
  },
};

export const nodeRows = {
  id: optional(identifier, {
    doc: 'Unique name of this node among those sharing [storage]. Default: health.id, else the host name. $STATUSD_NODE takes precedence.',
    example: '"paris"',
  }),
  url: optional(baseUrl, {
    doc: 'URL at which the other nodes reach this one. Default: the address on which it listens.',
    example: '"http://10.0.0.5:8787"',
  }),
  token: optional(nodeToken, {
    doc: 'Token shared by all nodes, with which they authenticate to each other. If it is absent or empty, the leader makes all checks itself.',
    example: '"${NODE_TOKEN}"',
  }),
  probe: setting(flag, true, {
    doc: 'Let this node make checks. With false it still makes them when it leads and no other node can.',
    example: 'true',
  }),
};
