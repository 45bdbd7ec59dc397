/** Targets of every kind on loopback, healthy and broken, with the configuration that watches them. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckStatus } from '../../src/commands/check/report.ts';
import { selfSigned } from './certificate.ts';
import { closedPort } from './closed-port.ts';
import { startDnsServer } from './dns-server.ts';
import { pluginFolder } from './plugins.ts';

/** Passwords of the configuration: none of them may ever be seen. */
export const canaries = [
  'canary-header-4711',
  'canary-query-4711',
  'canary-login-4711',
  'canary-push-4711',
  // The login as it is sent.
  Buffer.from('user:canary-login-4711').toString('base64'),
] as const;

/** What `check` has to find, in the order of the configuration. */
export const expected: Readonly<Record<string, CheckStatus>> = {
  site: 'up',
  api: 'down',
  words: 'down',
  slow: 'degraded',
  secure: 'up',
  untrusted: 'down',
  port: 'up',
  'closed-port': 'down',
  name: 'up',
  'wrong-name': 'down',
  'disk-ok': 'up',
  'disk-warning': 'degraded',
  'disk-full': 'down',
  'disk-gone': 'unknown',
  backup: 'skipped',
};

export interface World {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a configuration into the folder and answers its path. */
  readonly config: (name: string, text: string) => string;
  /** The origin of a server that answers with `listener`. */
  readonly http: (listener: RequestListener) => Promise<string>;
  /** `127.0.0.1:port` of a server that answers each connection with these bytes. */
  readonly raw: (bytes: Uint8Array) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function startWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-check-'));
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<string> => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const plugins = pluginFolder();
  plugins.script('disk', 'echo "DISK $2 | used=$1"; exit "$1"');
  const dns = await startDnsServer({ 'www.example.com': { A: ['192.0.2.1'] } });
  const pair = selfSigned(5);
  const site = await listen(createHttpServer(answerByPath));
  const secure = await listen(createHttpsServer(pair, (_, response) => response.end('ok')));
  const port = await listen(createServer((socket) => socket.on('error', () => undefined).end()));
  const { address: closed } = await closedPort();
  writeFileSync(join(folder, 'ca.pem'), pair.cert);
  const text = configText({ site, secure, port, closed, dns: dns.address });
  writeFileSync(join(folder, 'statusd.toml'), text);
  return {
    folder,
    env: { STATUSD_EXEC_DIR: plugins.path },
    config: (name, toml) => {
      writeFileSync(join(folder, name), toml);
      return join(folder, name);
    },
    http: async (listener) => `http://${await listen(createHttpServer(listener))}`,
    raw: (bytes) => listen(createServer((socket) => socket.on('error', () => undefined).end(bytes))),
    close: async () => {
      for (const server of servers) {
        server.close();
        if ('closeAllConnections' in server)
          (server as ReturnType<typeof createHttpServer>).closeAllConnections();
      }
      await dns.close();
      plugins.remove();
      rmSync(folder, { recursive: true });
    },
  };
}

const answerByPath: RequestListener = (request, response) => {
  const { authorization = '', 'x-api-key': key = '' } = request.headers;
  if (request.url?.startsWith('/api') === true) {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ error: 'database gone', echo: [request.url, authorization, key] }, null, 2),
    );
  } else if (request.url === '/slow') setTimeout(() => response.end('ok'), 60);
  else response.end('all systems operational\n');
};

interface Addresses {
  readonly site: string;
  readonly secure: string;
  readonly port: string;
  readonly closed: string;
  readonly dns: string;
}

function configText({ site, secure, port, closed, dns }: Addresses): string {
  const [header, query, login, push] = canaries;
  const plugin = (id: string, code: string, name = 'disk') => `
[[monitors]]
id = "${id}"
kind = "exec"
group = "Disks"
command = ["${name}", "${code}", "${id}"]
probe_retries = 0
`;
  return `
[page]
title = "Test"

[[monitors]]
id = "site"
name = "Website"
target = "http://${site}/"
keyword = "operational"

[[monitors]]
id = "api"
name = "Public API"
target = "http://user:${login}@${site}/api?token=${query}&page=1"
headers = { X-Api-Key = "${header}" }
probe_retries = 1

[[monitors]]
id = "words"
target = "http://${site}/words"
keyword = "degraded performance"
probe_retries = 0

[[monitors]]
id = "slow"
target = "http://${site}/slow"
degraded_over_ms = 50

[[monitors]]
id = "secure"
name = "Sécurité 日本"
group = "TLS"
target = "https://${secure}/"
tls_ca_file = "ca.pem"

[[monitors]]
id = "untrusted"
group = "TLS"
target = "https://${secure}/"
probe_retries = 0

[[monitors]]
id = "port"
kind = "tcp"
target = "${port}"

[[monitors]]
id = "closed-port"
kind = "tcp"
target = "${closed}"
probe_retries = 0

[[monitors]]
id = "name"
kind = "dns"
target = "www.example.com"
dns_resolver = "${dns}"
dns_expected = "192.0.2.1"

[[monitors]]
id = "wrong-name"
kind = "dns"
target = "www.example.com"
dns_resolver = "${dns}"
dns_expected = "192.0.2.2"
probe_retries = 0
${plugin('disk-ok', '0')}${plugin('disk-warning', '1')}${plugin('disk-full', '2')}${plugin('disk-gone', '0', 'gone')}
[[monitors]]
id = "backup"
kind = "push"
push_token = "${push}"
`;
}
