import assert from 'node:assert/strict';
import { X509Certificate, createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TcpMonitor } from '../../../src/engine/config/config.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { probeTcp } from '../../../src/engine/probes/tcp.ts';
import { selfSigned } from '../../support/certificate.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';
import {
  imapScript,
  type MailTarget,
  type Script,
  smtpScript,
  startMailTarget,
} from '../../support/smtp-target.ts';

const probe = (target: string, settings: Partial<TcpMonitor> = {}, parts: Partial<ProbeContext> = {}) =>
  probeTcp(aMonitor('tcp', { target, timeout_secs: 2, ...settings }), probeContext(parts));

/** A deadline that passed ends a probe long before this; one that is not kept ends it never. */
const mostMs = 10_000;

const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
  const startedAt = performance.now();
  return [await work, performance.now() - startedAt];
};

/** A server that does `greet` to each connection, while `use` runs. */
async function withServer<T>(
  greet: (socket: Socket) => void,
  use: (target: string) => Promise<T>,
): Promise<T> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const bothFamilies: Partial<ProbeContext> = {
  resolver: {
    resolve: (_host, { families = [4, 6] }) =>
      Promise.resolve(families.map((family) => ({ family, address: family === 4 ? '127.0.0.1' : '::1' }))),
  },
};

describe('a tcp probe', () => {
  it('is healthy when the port takes a connection, and leaves none open', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const result = await withServer(
      (socket) => {
        closed = once(socket.resume(), 'close');
      },
      async (target) => {
        const seen = await probe(target);
        await closed;
        return seen;
      },
    );
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.address, '127.0.0.1');
    assert.equal(result.timings.dnsMs, null);
    assert.ok(result.timings.connectMs !== null && result.timings.connectMs > 0);
    assert.equal(result.latencyMs, result.timings.totalMs);
  });

  it('fails when nobody listens', async () => {
    const target = await withServer(
      () => undefined,
      (address) => Promise.resolve(address),
    );
    const result = await probe(target);
    assert.equal(result.outcome, 'failed');
    assert.deepEqual(result.reason, { category: 'connection', message: `connection refused by ${target}` });
  });

  it('ends by its deadline, whatever a part of it does', async () => {
    const resolver = { resolve: () => new Promise<never>(() => undefined) };
    const [result, tookMs] = await timed(probe('host.example:9', { timeout_secs: 0.3 }, { resolver }));
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'timeout');
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
  });

  it('is degraded when one family of two is refused', async () => {
    await withServer(
      (socket) => socket.resume(),
      async (target) => {
        const port = target.split(':')[1] ?? '';
        const result = await probe(`both.example:${port}`, { dual_stack: true }, bothFamilies);
        assert.equal(result.outcome, 'degraded');
        assert.equal(result.reason?.category, 'address_family');
        assert.equal(
          result.reason.message,
          `it answers over IPv4 only; over IPv6, connection refused by [::1]:${port}`,
        );
      },
    );
  });
});

describe('a tcp probe with starttls', () => {
  const identity = selfSigned(30);
  const pin = createHash('sha256')
    .update(new X509Certificate(identity.cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  const folder = mkdtempSync(join(tmpdir(), 'statusd-tcp-'));
  const caFile = join(folder, 'ca.pem');
  let smtp: MailTarget;
  let imap: MailTarget;
  before(async () => {
    writeFileSync(caFile, identity.cert);
    smtp = await startMailTarget(smtpScript, identity);
    imap = await startMailTarget(imapScript, identity);
  });
  after(async () => {
    await smtp.close();
    await imap.close();
    rmSync(folder, { recursive: true });
  });

  const mail = (target: string, settings: Partial<TcpMonitor> = {}, parts: Partial<ProbeContext> = {}) =>
    probe(target, { starttls: 'smtp', tls_ca_file: caFile, ...settings }, parts);

  const withScript = async <T>(script: Script, use: (target: MailTarget) => Promise<T>): Promise<T> => {
    const target = await startMailTarget(script, identity);
    try {
      return await use(target);
    } finally {
      await target.close();
    }
  };

  it('reads the certificate of a mail server, and takes its leave', async () => {
    const result = await mail(smtp.address);
    assert.equal(result.reason, null);
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.certificate?.spkiSha256, pin);
    assert.ok(result.certificate.isTrusted);
    const days = (result.certificate.validToAt - Date.now()) / 86_400_000;
    assert.ok(days > 29 && days < 31);
    assert.ok(result.timings.tlsMs !== null && result.timings.tlsMs > 0);
    assert.deepEqual(smtp.lines, ['EHLO [127.0.0.1]', 'STARTTLS', 'tls QUIT']);
    await smtp.isLeft();
  });

  it('greets a mail server with the name it is given', async () => {
    for (const [name, line] of [
      ['status.example.com', 'EHLO status.example.com'],
      ['192.0.2.10', 'EHLO [192.0.2.10]'],
    ] as const) {
      await withScript(smtpScript, async ({ address, lines }) => {
        assert.equal((await mail(address, { ehlo_name: name })).reason, null);
        assert.equal(lines[0], line);
      });
    }
  });

  it('reads the certificate of an IMAP server, and takes its leave', async () => {
    const result = await mail(imap.address, { starttls: 'imap' });
    assert.equal(result.reason, null);
    assert.equal(result.certificate?.spkiSha256, pin);
    assert.deepEqual(imap.lines, ['a STARTTLS', 'tls z LOGOUT']);
    await imap.isLeft();
  });

  it('understands a greeting of several lines, and extensions in any case', async () => {
    const greeting = '220-mail.example ESMTP\r\n220-No spam, please\r\n220 ';
    const answers = { ...smtpScript.answers, EHLO: '250-mail.example\r\n250 starttls' };
    const result = await withScript({ ...smtpScript, greeting, answers }, ({ address }) => mail(address));
    assert.equal(result.reason, null);
  });

  it('fails on a certificate that is not trusted, and still reports it', async () => {
    const result = await mail(smtp.address, { tls_ca_file: null });
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.category, 'tls');
    assert.match(result.reason.message, /self-signed/);
    assert.equal(result.certificate?.isTrusted, false);
    assert.equal(result.address, '127.0.0.1');
  });

  it('takes any certificate without tls_verify', async () => {
    const result = await mail(smtp.address, { tls_ca_file: null, tls_verify: false });
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.certificate?.isTrusted, false);
  });

  it('fails on a certificate for another name', async () => {
    const resolver = { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]) };
    const result = await mail(smtp.address.replace('127.0.0.1', 'mail.example'), {}, { resolver });
    assert.equal(result.outcome, 'failed');
    assert.match(result.reason?.message ?? '', /is for localhost.*, not mail\.example$/);
  });

  it('is healthy with the pinned key, degraded with another', async () => {
    assert.equal((await mail(smtp.address, { cert_pin: pin })).outcome, 'healthy');
    const result = await mail(smtp.address, { cert_pin: 'ab'.repeat(32) });
    assert.equal(result.outcome, 'degraded');
    assert.deepEqual(result.reason, {
      category: 'certificate_key',
      message: `the certificate has another key than cert_pin names: ${pin}`,
    });
    assert.ok(result.latencyMs !== null);
  });

  it('knows nothing when tls_ca_file cannot be read', async () => {
    const result = await mail(smtp.address, { tls_ca_file: join(folder, 'gone.pem') });
    assert.equal(result.outcome, 'unknown');
    assert.match(result.reason?.message ?? '', /gone\.pem/);
  });

  const smtpWith = (answers: Script['answers'], greeting = smtpScript.greeting): Script => ({
    greeting,
    answers: { ...smtpScript.answers, ...answers },
    closesOn: ['QUIT'],
  });
  const imapWith = (answers: Script['answers'], greeting = imapScript.greeting): Script => ({
    greeting,
    answers,
    closesOn: ['LOGOUT'],
  });
  const refusals = [
    ['smtp', smtpWith({}, '554 no service'), 'protocol', /does not take mail: "554 no service"$/],
    ['smtp', smtpWith({}, '421 \u001b[31mbusy'), 'protocol', /does not take mail: "421 busy"$/],
    ['smtp', smtpWith({ EHLO: '502 what' }), 'protocol', /refuses EHLO: "502 what"$/],
    ['smtp', smtpWith({ EHLO: '250 mail.example' }), 'tls', /does not offer STARTTLS$/],
    ['smtp', smtpWith({ STARTTLS: '454 no TLS today' }), 'tls', /refuses STARTTLS: "454 no TLS today"$/],
    ['smtp', smtpWith({}, 'HTTP/1.1 400 Bad Request'), 'protocol', /does not speak SMTP: "HTTP/],
    ['imap', imapWith({}, '* BYE too many'), 'protocol', /does not take connections: "\* BYE too many"$/],
    ['imap', imapWith({}, '* PREAUTH hello'), 'tls', /skips TLS: "\* PREAUTH hello"$/],
    ['imap', imapWith({}, '220 mail.example'), 'protocol', /does not speak IMAP: "220 mail\.example"$/],
    ['imap', imapWith({ STARTTLS: '{tag} NO not now' }), 'tls', /refuses STARTTLS: "a NO not now"$/],
    ['imap', imapWith({ STARTTLS: '{tag} BAD what' }), 'tls', /refuses STARTTLS: "a BAD what"$/],
    ['imap', imapWith({ STARTTLS: '* BYE' }), 'tls', /refuses STARTTLS: "\* BYE"$/],
    ['imap', imapWith({ STARTTLS: 'b OK' }), 'protocol', /does not speak IMAP: "b OK"$/],
  ] as const;
  for (const [starttls, script, category, message] of refusals) {
    it(`fails when the server says no (${starttls}, ${message.source}), politely`, async () => {
      await withScript(script, async (target) => {
        const result = await mail(target.address, { starttls });
        assert.equal(result.outcome, 'failed');
        assert.equal(result.reason?.category, category);
        assert.match(result.reason.message, message);
        assert.equal(result.certificate, null);
        assert.equal(target.lines.at(-1), starttls === 'smtp' ? 'QUIT' : 'z LOGOUT');
        await target.isLeft();
      });
    });
  }

  const hostile: readonly (readonly [what: string, greet: (socket: Socket) => void, reason: RegExp])[] = [
    ['says nothing', () => undefined, /^timeout: 127.* did not send a greeting within 0\.4 s$/],
    [
      'drips a greeting without end',
      (socket) => {
        const timer = setInterval(() => socket.write('x'), 10);
        socket.on('close', () => {
          clearInterval(timer);
        });
      },
      /^timeout: .* did not send a greeting/,
    ],
    [
      'greets in lines without end',
      (socket) => {
        const pour = () => {
          while (socket.writable && socket.write('220-more\r\n'.repeat(1000)));
        };
        socket.on('drain', pour);
        pour();
      },
      /^protocol: .* sends lines without end$/,
    ],
    [
      'greets in a line without end',
      (socket) => {
        const pour = () => {
          while (socket.writable && socket.write('x'.repeat(65_536)));
        };
        socket.on('drain', pour);
        pour();
      },
      /^protocol: .* sends lines without end$/,
    ],
    ['hangs up', (socket) => socket.end(), /^connection: connection closed by/],
    [
      'hangs up in the greeting',
      (socket) => socket.end('220-mail\r\n220'),
      /^connection: connection closed by/,
    ],
    [
      'resets the connection',
      (socket) => socket.resetAndDestroy(),
      /^connection: connection (reset|closed) by/,
    ],
    [
      'goes on in plain text after it agreed to TLS',
      (socket) => {
        socket.write('220 hello\r\n');
        socket.once('data', () => {
          socket.write('250 STARTTLS\r\n');
          socket.once('data', () => socket.write('220 go ahead\r\n250 injected\r\n'));
        });
      },
      /^protocol: .* goes on in plain text after it agreed to TLS$/,
    ],
    [
      'agrees to TLS, then says nothing',
      (socket) => {
        socket.write('220 hello\r\n');
        socket.once('data', () => {
          socket.write('250 STARTTLS\r\n');
          socket.once('data', () => socket.write('220 go ahead\r\n'));
        });
      },
      /^timeout: no TLS handshake with/,
    ],
    [
      'agrees to TLS, then hangs up',
      (socket) => {
        socket.write('220 hello\r\n');
        socket.once('data', () => {
          socket.write('250 STARTTLS\r\n');
          socket.once('data', () => {
            socket.write('220 go ahead\r\n');
            socket.once('data', () => socket.resetAndDestroy());
          });
        });
      },
      /^tls: /,
    ],
    [
      'agrees to TLS, then speaks something else',
      (socket) => {
        socket.write('220 hello\r\n');
        socket.once('data', () => {
          socket.write('250 STARTTLS\r\n');
          socket.once('data', () => {
            socket.write('220 go ahead\r\n');
            socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
          });
        });
      },
      /^tls: .* does not speak TLS$/,
    ],
  ];
  for (const [what, greet, expected] of hostile) {
    it(`fails by its deadline when the server ${what}`, async () => {
      // Whatever does not end at its deadline has to be seen before it, also where the machine is busy.
      const timeout_secs = expected.source.startsWith('^timeout') ? 0.4 : 5;
      const ask = () => timed(withServer(greet, (target) => mail(target, { timeout_secs })));
      let [result, tookMs] = await ask();
      // It says so when the machine stood still meanwhile, which is nothing of the server's.
      for (let count = 0; count < 5 && result.outcome === 'unknown'; count += 1)
        [result, tookMs] = await ask();
      assert.equal(result.outcome, 'failed');
      assert.match(`${result.reason?.category ?? ''}: ${result.reason?.message ?? ''}`, expected);
      assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
    });
  }

  it('does not wait for a server that never hangs up', async () => {
    await withScript({ ...smtpScript, closesOn: [], lingers: true }, async (target) => {
      const [result, tookMs] = await timed(mail(target.address, { timeout_secs: 30 }));
      assert.equal(result.outcome, 'healthy');
      assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
      assert.ok((result.latencyMs ?? Infinity) < tookMs);
    });
  });

  it('still reports why the server refused when it lingers past the deadline', async () => {
    const script = { greeting: '554 no service', answers: {}, lingers: true, greetsAfterMs: 300 };
    await withScript(script, async (target) => {
      const [result, tookMs] = await timed(mail(target.address, { timeout_secs: 0.4 }));
      assert.match(result.reason?.message ?? '', /does not take mail/);
      assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
    });
  });

  it('stops when it is called off, with the connection closed', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    let closed: Promise<unknown> = Promise.resolve();
    await withServer(
      (socket) => {
        closed = once(socket.resume(), 'close');
        setTimeout(() => {
          controller.abort(reason);
        }, 20);
      },
      async (target) => {
        const probing = mail(target, { timeout_secs: 30 }, { signal: controller.signal });
        const [, tookMs] = await timed(assert.rejects(probing, reason));
        assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
        await closed;
      },
    );
  });
});
