import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf, faultResult, printable, ProbeFault } from '../../../src/engine/net/faults.ts';

const coded = (code: string, message = '') => Object.assign(new Error(message), { code });
const notified = (error: unknown) => {
  const { outcome, category, message } = faultOf(error, '127.0.0.1:443');
  return `${outcome} ${category}: ${message}`;
};

describe('a fault', () => {
  it("is the target's when the target, or the way to it, is what fails", () => {
    assert.equal(notified(coded('ECONNREFUSED')), 'failed connection: connection refused by 127.0.0.1:443');
    assert.equal(notified(coded('ECONNRESET')), 'failed connection: connection reset by 127.0.0.1:443');
    assert.equal(
      notified(coded('EHOSTUNREACH')),
      'failed connection: 127.0.0.1:443 is unreachable: no route to the host',
    );
    assert.equal(
      notified(coded('ENETUNREACH')),
      'failed connection: 127.0.0.1:443 is unreachable: no route to its network',
    );
    assert.equal(notified(coded('ETIMEDOUT')), 'failed timeout: 127.0.0.1:443 does not answer');
    assert.equal(notified(coded('EPIPE')), 'failed connection: connection closed by 127.0.0.1:443');
    assert.equal(
      notified(coded('EWHATEVER', 'odd')),
      'failed connection: talking to 127.0.0.1:443 failed: odd',
    );
  });

  it("is this host's when this host cannot ask", () => {
    for (const code of [
      'EMFILE',
      'ENFILE',
      'ENOBUFS',
      'ENOMEM',
      'EADDRNOTAVAIL',
      'EACCES',
      'EPERM',
      'ENETDOWN',
      'EAFNOSUPPORT',
    ]) {
      const { outcome, category, message } = faultOf(coded(code), '127.0.0.1:443');
      assert.deepEqual([outcome, category], ['unknown', 'own_fault'], code);
      assert.match(message, new RegExp(`^this host .*127\\.0\\.0\\.1:443.*\\(${code}\\)$`));
    }
  });

  it('of a certificate whose dates cannot be read is one of TLS', () => {
    for (const code of ['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD']) {
      const { category, message } = faultOf(coded(code), 'example.com:443');
      assert.equal(category, 'tls', code);
      assert.match(message, /certificate.* does not say (since|until) when it is valid/);
    }
  });

  it('is silence when nothing came back, and an answer when anything did', () => {
    const isSilence = (code: string) => faultOf(coded(code), '127.0.0.1:443').isSilence === true;
    for (const code of ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])
      assert.equal(isSilence(code), true, code);
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      'EMFILE',
    ])
      assert.equal(isSilence(code), false, code);
    const silent = faultResult(new ProbeFault(faultOf(coded('ETIMEDOUT'), '127.0.0.1:443')));
    assert.equal(silent.isSilence, true);
    assert.equal('isSilence' in faultResult(new ProbeFault(faultOf(coded('ECONNREFUSED'), 'a:1'))), false);
  });

  it("is this program's when nothing of the network can have caused it", () => {
    assert.equal(
      notified(new TypeError('x is not a function')),
      'unknown own_fault: the probe of 127.0.0.1:443 could not be carried out: x is not a function',
    );
    assert.match(notified(coded('ERR_INVALID_ARG_TYPE', 'bad')), /^unknown own_fault: /);
    assert.match(notified(undefined), /^unknown own_fault: /);
    assert.match(notified('text'), /^unknown own_fault: /);
  });

  it('of TLS says what is wrong in plain words', () => {
    assert.equal(
      notified(coded('CERT_HAS_EXPIRED')),
      'failed tls: the certificate of 127.0.0.1:443 has expired',
    );
    assert.equal(
      notified(coded('ERR_SSL_WRONG_VERSION_NUMBER')),
      'failed tls: 127.0.0.1:443 does not speak TLS',
    );
    const openssl =
      'write EPROTO 00:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:rec.c:1:';
    assert.equal(
      notified(coded('EPROTO', openssl)),
      'failed tls: TLS with 127.0.0.1:443 failed: sslv3 alert handshake failure',
    );
    const reason = Object.assign(coded('ERR_SSL_SOMETHING', 'long'), { reason: 'short' });
    assert.equal(notified(reason), 'failed tls: TLS with 127.0.0.1:443 failed: short');
  });

  it('keeps its own words when it has them already', () => {
    const fault = { outcome: 'failed', category: 'tls', message: 'own words' } as const;
    assert.equal(faultOf(new ProbeFault(fault), 'x'), fault);
  });

  it('becomes a result with what was seen by then', () => {
    const fault = { outcome: 'failed', category: 'timeout', message: 'late' } as const;
    assert.deepEqual(faultResult(new ProbeFault(fault, { address: '192.0.2.1', timings: { dnsMs: 3 } })), {
      outcome: 'failed',
      reason: { category: 'timeout', message: 'late' },
      latencyMs: null,
      timings: { dnsMs: 3, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null },
      answer: null,
      assertions: [],
      certificate: null,
      address: '192.0.2.1',
    });
  });
});

describe('text from outside', () => {
  it('is put into sentences as one short line without control codes', () => {
    assert.equal(printable('plain'), 'plain');
    assert.equal(printable('  two\r\nlines \u001b[31m\u202e'), 'two lines');
    assert.equal(printable('x'.repeat(1_000_000), 10), `${'x'.repeat(9)}…`);
    assert.match(printable('😀'.repeat(500), 10), /^(😀)+…$/u);
    assert.equal(
      notified(coded('EODD', 'a\u001b]0;b\u0007c')),
      'failed connection: talking to 127.0.0.1:443 failed: ac',
    );
  });
});
