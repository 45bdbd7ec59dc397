/** Servers on loopback whose every answer is out to act on a terminal. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { startDnsServer } from './dns-server.ts';
import { startHttps, startRaw, type Target } from './http-target.ts';
import { barrage, hostileTexts, volleys } from './hostile-text.ts';

export interface HostileServers {
  /** `/reason/N`, `/header/N`, `/away/N`, `/problem/N` (N below pageCount), `/bytes`, `/healthz`, `/api/summary`. */
  readonly web: Target;
  /** A certificate with hostile names, for `ca.pem` to trust. */
  readonly secure: Target;
  /** Greets as a mail server would, almost. */
  readonly mail: Target;
  /** `127.0.0.1:port` of a name server. */
  readonly dns: string;
  readonly certificate: string;
  /** What `/api/summary` answers. */
  readonly serveSummary: (text: string) => void;
  readonly close: () => Promise<void>;
}

/** What fits into a status line or a header: no line break. */
const oneLine = volleys('answered', 300, (text) => !/[\r\n\0]/.test(text));

/** How many pages there are. */
export const pageCount = oneLine.length;

export async function startHostileServers(folder: string): Promise<HostileServers> {
  let summary = '{}';
  const web = await startRaw((socket) => {
    socket.once('data', (data) => {
      const path = /^\S+ (\S+)/.exec(data.toString('latin1'))?.[1] ?? '/';
      answer(socket, path, summary);
    });
  });
  const pair = hostileCertificate(folder);
  const secure = await startHttps((_, response) => response.writeHead(503).end(barrage('body')), {
    ...pair,
    spkiSha256: '',
  });
  const mail = await startRaw((socket) => {
    socket.write(`220 greeted ${oneLine.join(' ')}\r\n`);
    socket.on('data', () => socket.write(`554 refused ${oneLine.join(' ')}\r\n`));
  });
  const dns = await startDnsServer({
    'txt.example.com': { TXT: Object.values(hostileTexts).map((text) => `record ${text}`) },
    'alias.example.com': { CNAME: ['c\u001b[2Jn\u009b2J.example.com'] },
  });
  return {
    web,
    secure,
    mail,
    dns: dns.address,
    certificate: pair.cert,
    serveSummary: (text) => {
      summary = text;
    },
    close: async () => {
      await Promise.all([web, secure, mail, dns].map((server) => server.close()));
    },
  };
}

/** Bytes as they are: a server library would refuse to send them. */
function answer(socket: Socket, path: string, summary: string): void {
  const send = (head: string, body: string, encoding: BufferEncoding = 'utf8') => {
    const length = Buffer.byteLength(body, encoding);
    const text = `HTTP/1.1 ${head}\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`;
    socket.end(Buffer.from(text, encoding));
  };
  const [, page = '', number = ''] = path.split('/');
  const text = oneLine[Number(number)] ?? '';
  const json = 'content-type: application/json';
  switch (page) {
    case 'reason':
      send(`503 ${text}`, `body ${barrage('body')}`);
      return;
    case 'header':
      send(`500 Oops\r\nx-said: header ${text}\r\nset-cookie: ${text}`, 'body');
      return;
    case 'bytes':
      // C1 as single bytes, which is no UTF-8.
      send('500 \u009b2J\r\nx-said: header \u009b2J\u009d0;owned\u009c', 'body \u009b2J', 'latin1');
      return;
    case 'away':
      send(`302 Found\r\nlocation: http://127.0.0.1:1/${text.replaceAll(' ', '')}`, 'body');
      return;
    case 'healthz':
      send(
        `503 Bad\r\n${json}`,
        JSON.stringify({ status: barrage('status'), scheduler_ok: barrage('yes'), id: barrage('id') }),
      );
      return;
    case 'api':
      send(`200 OK\r\n${json}`, summary);
      return;
    case 'problem':
      send(
        `400 ${text}\r\n${json}`,
        JSON.stringify({ ok: false, description: barrage('said'), error: barrage('said') }),
      );
      return;
    default:
      send(`404 ${text}`, barrage('body'));
      return;
  }
}

/** A certificate for 127.0.0.1 whose subject and further names are hostile. */
function hostileCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-utf8', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ...['-subj', '/CN=cn\u001b[2J\u202e\u009b2J/O=org\u001b]0;owned\u0007\u2066', '-addext'],
      ...['subjectAltName=IP:127.0.0.1,DNS:san\u001b[2J.example', '-days', '5', '-keyout', key, '-out', cert],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
