/**
 * undici's index takes three times as long to load as its client, so two files of it are imported by path, and a version
 * that moves them breaks here first.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import * as undici from 'undici';
import { loadHttpClient } from '../../../../src/engine/net/http/client.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../../../node_modules/undici/package.json', import.meta.url), 'utf8'),
) as { version: string };

describe('the parts of undici', () => {
  it('are those that its index exports', async () => {
    const { Client } = await loadHttpClient();
    assert.equal(
      Client,
      undici.Client,
      `undici ${version} keeps its Client elsewhere: see net/http/client.ts`,
    );
  });

  it('greet a SOCKS5 proxy', async () => {
    const { Socks5Client } = await loadHttpClient();
    assert.equal(
      typeof Socks5Client,
      'function',
      `undici ${version} has no Socks5Client: see net/http/client.ts`,
    );
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const { port } = proxy.address() as { port: number };
      const accepted = once(proxy, 'connection') as Promise<[Socket]>;
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const [server] = await accepted;
      const greeting = once(server, 'data') as Promise<[Buffer]>;
      const client = new Socks5Client(socket, {});
      client.on('error', () => undefined);
      client.handshake();
      const [bytes] = await greeting;
      assert.deepEqual([...bytes], [5, 1, 0], `undici ${version} greets otherwise`);
      socket.destroy();
      server.destroy();
    } finally {
      proxy.close();
    }
  });
});
