/** Targets of HTTP probes on loopback: well-behaved ones, hostile ones, proxies. */
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import type { Credentials } from './tls.ts';

export interface Target {
  readonly port: number;
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** How many connections it has had. */
  readonly connections: () => number;
  /** Cuts what is open. */
  readonly close: () => Promise<void>;
}

const loopback = '127.0.0.1';

/** Starts any server on a free port of loopback, and can stop it whatever its clients do. */
async function start(server: Server, { scheme = 'http', host = loopback, port = 0 } = {}): Promise<Target> {
  const open = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    origin: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    connections: () => count,
    close: async () => {
      for (const socket of open) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

interface Place {
  readonly host?: string;
  readonly port?: number;
}

export function startHttp(listener: RequestListener, place: Place = {}): Promise<Target> {
  return start(createHttpServer(listener), place);
}

export function startHttps(
  listener: RequestListener,
  credentials: Credentials,
  place: Place = {},
): Promise<Target> {
  return start(createHttpsServer(credentials, listener), { scheme: 'https', ...place });
}

/** Speaks whatever `talk` says to each connection. */
export function startRaw(talk: (socket: Socket) => void, place: Place = {}): Promise<Target> {
  return start(createTcpServer(talk), place);
}

/** Answers each connection's first bytes with `answer` and hangs up. */
export function startAnswer(answer: string | Buffer): Promise<Target> {
  return startRaw((socket) => {
    socket.once('data', () => socket.end(answer));
  });
}

export interface Proxy extends Target {
  /** The request lines or SOCKS requests it was given: `CONNECT api.example:443`, `GET http://…`. */
  readonly requests: readonly string[];
}

interface ProxyRules {
  /** `user:password` that clients must present. */
  readonly login?: string;
  /** Where names lead; others are refused. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** Connects to where a client wants to go, as far as the rules let it. */
function onward(target: string, { hosts = {} }: ProxyRules): Socket | null {
  const { hostname, port } = new URL(`http://${target}`);
  const host = hosts[hostname] ?? (hostname === loopback ? hostname : null);
  return host === null ? null : connect(Number(port || 80), host);
}

/** An HTTP proxy: CONNECT, and whole URLs for plain targets. */
export async function startHttpProxy(rules: ProxyRules = {}, credentials?: Credentials): Promise<Proxy> {
  const requests: string[] = [];
  const expected =
    rules.login === undefined ? undefined : `Basic ${Buffer.from(rules.login).toString('base64')}`;
  const isWelcome = (login: string | undefined) => expected === undefined || login === expected;
  const server = credentials === undefined ? createHttpServer() : createHttpsServer(credentials);
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    requests.push(`CONNECT ${url}`);
    if (!isWelcome(headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const far = onward(url, rules);
    if (far === null) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    far.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    far.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  server.on('request', (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (!isWelcome(request.headers['proxy-authorization'])) {
      response.writeHead(407).end();
      return;
    }
    response.end(`by way of the proxy: ${JSON.stringify(request.headers)}`);
  });
  const target = await start(server, { scheme: credentials === undefined ? 'http' : 'https' });
  return { ...target, requests };
}

/** A SOCKS5 proxy (RFC 1928) with user name and password (RFC 1929) where a login is set. */
export async function startSocksProxy(rules: ProxyRules = {}): Promise<Proxy> {
  const requests: string[] = [];
  const target = await startRaw((socket) => {
    void serveSocks(socket, { ...rules, note: (request) => requests.push(request) }).catch(() =>
      socket.destroy(),
    );
  });
  return { ...target, requests };
}

interface SocksRules extends ProxyRules {
  readonly note: (request: string) => void;
}

async function serveSocks(socket: Socket, rules: SocksRules): Promise<void> {
  const read = async () => ((await once(socket, 'data')) as [Buffer])[0];
  const methods = [...(await read()).subarray(2)];
  const method = rules.login === undefined ? 0 : 2;
  socket.write(Buffer.from([5, methods.includes(method) ? method : 0xff]));
  if (rules.login !== undefined) {
    const login = await read();
    const nameEnd = 2 + login.readUInt8(1);
    const given = `${login.toString('utf8', 2, nameEnd)}:${login.toString('utf8', nameEnd + 1)}`;
    socket.write(Buffer.from([1, given === rules.login ? 0 : 1]));
    if (given !== rules.login) return;
  }
  const request = await read();
  const hostEnd = request.length - 2;
  const host =
    request.readUInt8(3) === 3
      ? request.toString('latin1', 5, hostEnd)
      : [...request.subarray(4, hostEnd)].join('.');
  const destination = `${host}:${request.readUInt16BE(hostEnd)}`;
  rules.note(`CONNECT ${destination}`);
  const reply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  const far = onward(destination, rules);
  if (far === null) {
    socket.end(reply(4));
    return;
  }
  far.on('error', () => socket.end(reply(5)));
  await once(far, 'connect');
  socket.write(reply(0));
  socket.pipe(far).pipe(socket);
}
