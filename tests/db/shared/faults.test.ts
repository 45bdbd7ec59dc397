import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { isUnreachable, openFault } from '../../../src/db/shared/database.ts';
import { createLink } from '../../../src/db/shared/link.ts';
import { query, skipWithoutPostgres, startPostgres, type Postgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';

/** What is said of the database at a URL that cannot be used, and whether a node waits for it. */
async function said(
  url: string,
  text = 'SELECT 1',
): Promise<{ readonly text: string; readonly isAwaited: boolean }> {
  const link = createLink(url, realClock);
  const error: unknown = await link.run({ text }, 30_000).catch((thrown: unknown) => thrown);
  await link.close();
  const { message, hint } = openFault(error);
  return {
    text: `${message.replace('cannot use the database of [storage]: ', '')}. ${hint ?? ''}`,
    isAwaited: isUnreachable(error),
  };
}

/** TLS 1.2, a fatal alert: the authority of the client certificate is not known. */
const unknownAuthority = Buffer.from([21, 3, 3, 0, 2, 2, 48]);

describe('a database server whose certificate is of no use', () => {
  let authority: Authority;
  let folder: ReturnType<typeof makeFolder>;
  const servers: Server[] = [];
  before(() => {
    authority = createAuthority();
    folder = makeFolder();
  });
  after(() => {
    authority.remove();
    folder.remove();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Agrees to TLS as PostgreSQL does, or does not (null), or ends it with an alert. Answers its port. */
  const listen = async (own: Pick<Credentials, 'cert' | 'key'> | 'alert' | null) => {
    const greet = (socket: Socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write(own === null ? 'N' : 'S');
          if (own === null) return;
          if (own === 'alert') socket.once('data', () => socket.write(unknownAuthority));
          else
            new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(own) }).on(
              'error',
              () => undefined,
            );
        });
    };
    const server = createServer(greet).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const of = (port: number, parameters: string, host = '127.0.0.1') =>
    said(`postgres://statusd:pa55word@${host}:${port}/statusd?${parameters}`);
  const trusting = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.file)}`;
  const issued = (days?: number) =>
    authority.issue({ names: ['127.0.0.1'], ...(days !== undefined && { days }) });

  it('says that it has expired', async () => {
    const { text, isAwaited } = await of(await listen(issued(-1)), trusting());
    assert.equal(
      text,
      'the certificate of the server has expired. Renew it at the server, and check the clock of this host.',
    );
    assert.equal(isAwaited, true);
  });

  it('says that its authority is not known, and where to name it', async () => {
    const { text } = await of(await listen(issued()), 'sslmode=verify-full');
    assert.match(
      text,
      /comes from an unknown authority\. Name the file .* sslrootcert=\/path\/to\/ca\.pem\.$/,
    );
  });

  it('says that it is for another name, and for which', async () => {
    const { text } = await of(await listen(issued()), trusting(), 'localhost');
    assert.match(
      text,
      /^the certificate of the server is for another name \(IP Address:127\.0\.0\.1\)\. Use a host/,
    );
  });

  it('says that there is no TLS', async () => {
    const { text } = await of(await listen(null), trusting());
    assert.match(text, /^the server does not offer TLS\. Turn on ssl there\./);
  });

  it('says that a file of the URL cannot be read', async () => {
    const { text } = await of(await listen(issued()), 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem');
    assert.match(text, /open '\/nowhere\/ca\.pem'\. Correct sslrootcert, sslcert or sslkey in storage\.url/);
  });

  it('says that the client certificate is not accepted, or has the key of another', async () => {
    const [own, other] = [issued(), issued()];
    writeFileSync(folder.at('client.pem'), own.cert);
    writeFileSync(folder.at('client.key'), own.key);
    writeFileSync(folder.at('other.key'), other.key);
    const port = await listen('alert');
    const withKey = (key: string) =>
      of(port, `${trusting()}&sslcert=${folder.at('client.pem')}&sslkey=${folder.at(key)}`);
    assert.match(
      (await withKey('client.key')).text,
      /^the server does not accept the client certificate: tlsv1 alert unknown ca\. Correct sslcert/,
    );
    assert.match((await withKey('other.key')).text, /^TLS failed: key values mismatch\. Check sslcert/);
  });
});

/** A message of the protocol. */
function message(type: string, ...fields: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    fields.map((field) => {
      if (typeof field === 'string') return Buffer.from(field);
      const number = Buffer.alloc(4);
      number.writeInt32BE(field);
      return number;
    }),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

describe('a database server or pooler that refuses what the URL has', () => {
  /** Answers each message with the next of `answers`. */
  const refusedBy = async (...answers: readonly Buffer[]) => {
    const server = createServer((socket) => {
      const left = [...answers];
      socket
        .on('error', () => undefined)
        .on('data', () => {
          const answer = left.shift();
          if (answer !== undefined) socket.write(answer);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const found = await said(`postgres://statusd@127.0.0.1:${port}/statusd`);
    server.close();
    return found;
  };

  it('says that it has no password, and does not wait for one', async () => {
    const { text, isAwaited } = await refusedBy(
      message('R', 10, 'SCRAM-SHA-256\0\0'),
      message('R', 11, 'r=nonce,s=c2FsdA==,i=4096'),
    );
    assert.match(text, /^the server asks for a password, and there is none in storage\.url\. Write it there/);
    assert.equal(isAwaited, false);
  });

  it('says that a parameter is refused, and does not wait for anything', async () => {
    const refusal = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
    const { text, isAwaited } = await refusedBy(message('E', refusal));
    assert.match(text, /^unsupported startup parameter: options\. Remove it from storage\.url \(options\)/);
    assert.equal(isAwaited, false);
  });

  for (const [words, hint, awaited] of [
    ['no more connections allowed (max_client_conn)', 'Raise max_client_conn and the size of the pool', true],
    ['query_wait_timeout', 'Raise max_client_conn and the size of the pool', true],
    [
      'server login has been failing, try again later (server_login_retry)',
      'Look at the log of the pooler',
      true,
    ],
    ['password authentication failed', 'Correct the user and the password', false],
    ['no such database: statusd', 'Make that database first', false],
  ] as const)
    it(`names the cure where a pooler, which has one code for all, says: ${words}`, async () => {
      const { text, isAwaited } = await refusedBy(message('E', `SFATAL\0C08P01\0M${words}\0\0`));
      assert.equal(text.startsWith(`${words}. ${hint}`), true, text);
      assert.equal(isAwaited, awaited);
    });
});

describe('a database server that limits its user', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url: string;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
  });
  after(() => postgres.stop());

  it('says whose limit of connections is reached, and waits', async () => {
    const role = `limited_${process.pid}`;
    await query(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0`);
    const { text, isAwaited } = await said(url.replace('statusd@', `${role}@`));
    await query(url, `DROP ROLE ${role}`);
    assert.match(
      text,
      /^too many connections for role "[^"]+"\. Raise max_connections of the server, or the limit of the user/,
    );
    assert.equal(isAwaited, true);
  });

  it('says that a statement may not take as long as it does', async () => {
    const { text } = await said(`${url}&options=-c%20statement_timeout%3D20`, 'SELECT pg_sleep(600)');
    assert.match(text, /^canceling statement due to statement timeout\. Raise statement_timeout of the user/);
  });
});
