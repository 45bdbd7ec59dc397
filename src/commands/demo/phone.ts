/** Stands for the telephone of whoever is on call: a server that takes messages as ntfy does. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Phone {
  readonly port: number;
  readonly close: () => void;
}

const maxBytes = 64 * 1024;

/** `onMessage` gets each message as one line. */
export async function startPhone(onMessage: (text: string) => void): Promise<Phone> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      if (body.length < maxBytes) body += text;
    });
    request.on('end', () => {
      onMessage(lineOf(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The title, then the lines of the text. */
function lineOf(body: string): string {
  try {
    const { title = '', message = '' } = JSON.parse(body) as { title?: string; message?: string };
    return [title, ...message.split('\n')].filter((line) => line.trim() !== '').join(' | ');
  } catch {
    return body;
  }
}
