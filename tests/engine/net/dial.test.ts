import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { withDeadline } from '../../../src/engine/net/deadline.ts';
import { dial, type Dialled, isItself, peerName } from '../../../src/engine/net/dial.ts';
import { ProbeFault } from '../../../src/engine/net/faults.ts';
import type { Resolver } from '../../../src/engine/net/resolve.ts';
import type { ResolvedAddress } from '../../../src/engine/net/address.ts';
import { realClock } from '../../support/real-clock.ts';
import { startSilentPort } from '../../support/silent-port.ts';

/** A deadline that passed ends a call long before this; one that is not kept ends it never. */
const mostMs = 10_000;

const ipv4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const ipv6 = (address: string): ResolvedAddress => ({ address, family: 6 });

describe('dialling', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(
      servers.splice(0).map((server) => {
        server.close();
        return once(server, 'close');
      }),
    );
  });

  async function listen(host: string, port = 0): Promise<{ port: number; accepted: Socket[] }> {
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket);
      sockets.push(socket.on('error', () => undefined));
    });
    servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    return { port: (server.address() as { port: number }).port, accepted };
  }

  async function call(
    host: string,
    port: number,
    { addresses = [] as ResolvedAddress[], timeoutMs = 1000 } = {},
  ): Promise<Dialled> {
    const resolver: Resolver = {
      resolve: (name) => Promise.resolve(addresses.length > 0 ? addresses : [ipv4(name)]),
    };
    const limits = { clock: realClock, timeoutMs, signal: new AbortController().signal };
    const dialled = await withDeadline(limits, (deadline) => dial({ host, port, resolver, deadline }));
    sockets.push(dialled.socket);
    return dialled;
  }
  const fault = async (calling: Promise<unknown>): Promise<ProbeFault> => {
    try {
      await calling;
    } catch (error) {
      assert.ok(error instanceof ProbeFault, String(error));
      return error;
    }
    throw new Error('it connected');
  };

  it('connects, and reports to what and how fast', async () => {
    const { port } = await listen('127.0.0.1');
    const direct = await call('127.0.0.1', port);
    assert.equal(direct.address, '127.0.0.1');
    assert.equal(direct.dnsMs, null);
    assert.ok(direct.connectMs > 0);
    const named = await call('a.example', port, { addresses: [ipv4('127.0.0.1')] });
    assert.ok(named.dnsMs !== null && named.dnsMs >= 0);
  });

  it('tries IPv6 first and goes on at once when it is refused', async () => {
    const { port } = await listen('127.0.0.1');
    const addresses = [ipv4('127.0.0.1'), ipv6('::1')];
    // What else the machine does delays some of them, the head start would delay all.
    let isAtOnce = false;
    for (let count = 0; count < 50 && !isAtOnce; count += 1) {
      const { address, connectMs } = await call('a.example', port, { addresses });
      assert.equal(address, '127.0.0.1');
      isAtOnce = connectMs < 200;
    }
    assert.ok(isAtOnce, 'without the head start');
    await listen('::1', port);
    assert.equal((await call('a.example', port, { addresses })).address, '::1');
  });

  it('gives up on a silent address after a quarter of a second, and closes the losers', async () => {
    const { port, accepted } = await listen('127.0.0.1');
    const silent = await startSilentPort({ host: '127.0.0.2', port });
    const { address, connectMs } = await call('a.example', port, {
      addresses: [ipv4('127.0.0.2'), ipv4('127.0.0.1'), ipv4('127.0.0.3')],
    });
    silent.close();
    assert.equal(address, '127.0.0.1');
    assert.ok(connectMs >= 240, `${connectMs} ms`);
    assert.equal(accepted.length, 1);
    assert.deepEqual(
      process
        .getActiveResourcesInfo()
        .filter((resource) => resource === 'TCPConnectWrap' || resource === 'Timeout'),
      [],
    );
  });

  it('fails with the fault that says most of the target', async () => {
    const { port } = await listen('127.0.0.1');
    await call('127.0.0.1', port);
    const closed = servers.pop();
    closed?.close();
    const refused = await fault(call('127.0.0.1', port));
    assert.deepEqual(refused.fault, {
      outcome: 'failed',
      category: 'connection',
      message: `connection refused by 127.0.0.1:${port}`,
    });
    assert.equal(refused.context.address, '127.0.0.1');
  });

  it('ends at the deadline, naming what it called', async () => {
    const silent = await startSilentPort();
    const startedAt = performance.now();
    const one = await fault(call('127.0.0.1', silent.port, { timeoutMs: 150 }));
    assert.ok(performance.now() - startedAt < mostMs);
    assert.deepEqual(one.fault, {
      outcome: 'failed',
      category: 'timeout',
      message: `no connection to 127.0.0.1:${silent.port} within 0.15 s`,
      isSilence: true,
    });
    assert.equal(one.context.address, '127.0.0.1');
    const addresses = [ipv4('127.0.0.1'), ipv4('127.0.0.2')];
    const two = await fault(call('a.example', silent.port, { addresses, timeoutMs: 150 }));
    assert.equal(two.fault.message, `no connection to a.example:${silent.port} within 0.15 s`);
    silent.close();
  });

  it('takes the refusal of one address for an answer, when the other stays silent', async () => {
    const silent = await startSilentPort();
    const addresses = [ipv4('127.0.0.2'), ipv4('127.0.0.1')];
    const { fault: late } = await fault(call('a.example', silent.port, { addresses, timeoutMs: 400 }));
    silent.close();
    assert.equal(late.category, 'timeout');
    assert.equal(late.isSilence, false);
  });

  /** Other programs take free ports at any moment, so the first one that is still free is used. */
  async function connectedToItself(): Promise<Socket> {
    for (let tries = 0; tries < 50; tries += 1) {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      holder.close();
      await once(holder, 'close');
      const own = connect({ host: '127.0.0.1', port, localPort: port });
      sockets.push(own);
      const isOpen = await once(own, 'connect').then(
        () => true,
        () => false,
      );
      if (isOpen && own.localPort === own.remotePort) return own;
    }
    throw new Error('no port stayed free');
  }

  it('knows a connection to itself', async () => {
    const { port, accepted } = await listen('127.0.0.1');
    const { socket } = await call('127.0.0.1', port);
    assert.equal(isItself(socket, port), false);
    const [server] = servers.splice(0);
    server?.close();
    for (const open of [socket, ...accepted]) open.destroy();
    await once(server as Server, 'close');
    const own = await connectedToItself();
    assert.equal(isItself(own, Number(own.remotePort)), true);
  });

  it('names an address with its port', () => {
    assert.equal(peerName('127.0.0.1', 80), '127.0.0.1:80');
    assert.equal(peerName('::1', 80), '[::1]:80');
  });
});
