/** Mail servers on loopback that offer STARTTLS, or misbehave where one could. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { KeyPair } from './certificate.ts';

export interface MailTarget {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Every line that a client sent, those inside TLS with `tls ` in front. */
  readonly lines: readonly string[];
  /** Resolves once no connection is open; rejects when one is left open. */
  readonly isLeft: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What is said: at the start (null says nothing), then in answer to the first word of each line. */
export interface Script {
  readonly greeting: string | null;
  /** A word that is not in it gets no answer. */
  readonly answers: Readonly<Record<string, string>>;
  /** The word after whose answer TLS starts. */
  readonly upgradesOn?: string;
  /** Words after which it hangs up. */
  readonly closesOn?: readonly string[];
  /** Never closes its side, though the client has closed its own. */
  readonly lingers?: boolean;
  readonly greetsAfterMs?: number;
}

export const smtpScript: Script = {
  greeting: '220 mail.example ESMTP',
  answers: {
    EHLO: '250-mail.example at your service\r\n250-SIZE 1000\r\n250-STARTTLS\r\n250 HELP',
    STARTTLS: '220 go ahead',
    QUIT: '221 bye',
  },
  upgradesOn: 'STARTTLS',
  closesOn: ['QUIT'],
};

export const imapScript: Script = {
  greeting: '* OK [CAPABILITY IMAP4rev1 STARTTLS] ready',
  answers: {
    STARTTLS: '* OK still here\r\n{tag} OK begin TLS now',
    LOGOUT: '* BYE\r\n{tag} OK bye',
  },
  upgradesOn: 'STARTTLS',
  closesOn: ['LOGOUT'],
};

/** `{tag}` in an answer is the word in front of the command, as in IMAP. */
export async function startMailTarget(script: Script, identity: KeyPair): Promise<MailTarget> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const secureContext = createSecureContext(identity);

  const converse = (socket: Socket, isSecure: boolean) => {
    socket.on('error', () => socket.destroy());
    let received = '';
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let at = received.indexOf('\r\n'); at !== -1; at = received.indexOf('\r\n')) {
        const line = received.slice(0, at);
        received = received.slice(at + 2);
        lines.push(isSecure ? `tls ${line}` : line);
        const [first = '', second = ''] = line.split(' ');
        const word = first in script.answers ? first : second;
        const answer = script.answers[word];
        if (answer !== undefined) socket.write(`${answer.replaceAll('{tag}', first)}\r\n`);
        if (script.closesOn?.includes(word)) socket.end();
        if (script.upgradesOn !== word || isSecure) continue;
        socket.off('data', onData);
        converse(new TLSSocket(socket, { isServer: true, secureContext }), true);
        return;
      }
    };
    socket.on('data', onData);
  };

  const server = createServer({ allowHalfOpen: script.lingers === true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    setTimeout(() => {
      if (script.greeting !== null) socket.write(`${script.greeting}\r\n`);
    }, script.greetsAfterMs ?? 0);
    converse(socket, false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    lines,
    isLeft: async () => {
      const signal = AbortSignal.timeout(1000);
      await Promise.all([...sockets].map((socket) => once(socket, 'close', { signal })));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
