/** The rows of `[storage]` and `[node]`: a database server that several nodes share, and this node among them. */
import { optional, required, setting } from '../row.ts';
import { integer } from '../types/number.ts';
import { flag } from '../types/flag.ts';
import { secretly, secretText } from '../types/secret-text.ts';
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
        raw === ''
          ? bad('must not be empty', 'is its variable set? without a server, remove [storage]')
          : secretUrl.read(raw),
    } satisfies ValueType<Secret>,
    {
      doc: 'The PostgreSQL database that keeps everything, instead of server.database_path. $STATUSD_STORAGE_URL takes precedence, and is enough without this table.',
      example: '"postgres://statusd@db.example.com/statusd?sslmode=verify-full"',
    },
  ),
  schema: setting(identifier, 'statusd', {
    doc: 'The schema in that database. Nodes with the same one share everything and are one monitor.',
    example: '"statusd"',
  }),
  lease_secs: setting(integer({ min: 5, max: 120 }), 15, {
    doc: 'How long the node that leads may be out of reach of the database before another one takes over. The same on all nodes.',
    example: '15',
  }),
  history_hours: setting(integer({ min: 26, max: 8760 }), 48, {
    doc: 'For how long each node keeps single samples in memory. Older ones are in the table history of the database, and read from there; figures and charts by the hour and by the day stay in memory.',
    example: '48',
  }),
};

/** Null: it is empty, which is as good as none. */
const nodeToken: ValueType<Secret | null> = {
  ...secretText,
  read: (raw) => {
    if (raw === '') return good(null);
    if (typeof raw === 'string' && !/^[!-~]+$/.test(raw))
      return bad('must be ASCII without blanks', 'a header carries it; for example: openssl rand -hex 32');
    return secretText.read(raw);
  },
};

export const nodeRows = {
  id: optional(identifier, {
    doc: 'The name of this node among those that share [storage], each with its own. health.id when absent, else the name of the host. $STATUSD_NODE takes precedence.',
    example: '"paris"',
  }),
  url: optional(baseUrl, {
    doc: 'Where the other nodes reach this one. The address it listens on when absent.',
    example: '"http://10.0.0.5:8787"',
  }),
  token: optional(nodeToken, {
    doc: 'What the nodes show each other, the same on all of them. Without one, or with an empty one, the node that leads makes all checks itself.',
    example: '"${NODE_TOKEN}"',
  }),
  probe: setting(flag, true, {
    doc: 'Whether this node makes checks. One that does not makes them all the same when it leads and no other node can.',
    example: 'true',
  }),
};
